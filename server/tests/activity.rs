//! Activity of sessions in `list` and `status`: what each one does, since when, and which one waits for an answer.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::Stdio,
    time::SystemTime,
};

use jiff::Timestamp;
use serde_json::{Value, json};
use standing::{Activity, CreateRequest, Row, State};
use testkit::{TestHome, wait_for};

use crate::app::{Command, Said, THE_LOOP};

const QUESTION: &str = "May I delete the folder `build` and everything that stands below it, whatever it is?";

fn home() -> TestHome {
    TestHome::builder().exe(THE_LOOP).set("/service/enabled", json!(false)).build()
}

fn create(home: &TestHome, name: &str, fault: &str) {
    let args = if fault.is_empty() { Vec::new() } else { vec!["--fault".to_owned(), fault.to_owned()] };
    let request = CreateRequest { harness_args: Some(args), ..CreateRequest::named(name) };
    assert!(home.the_loop().standing().create(&request).expect("created").ok, "{name}");
}

/// The row of a session once it is at that.
fn once(home: &TestHome, name: &str, activity: Activity) -> Row {
    wait_for(&format!("{name} to be {activity:?}"), || {
        let row = home.the_loop().standing().get(name).expect("a row");
        (row.activity == activity).then_some(row)
    })
}

fn run(home: &TestHome, args: &[&str]) -> Said {
    Said::of(&home.command(THE_LOOP).args(args).output().expect("the binary runs"))
}

/// The line of a session.
fn line<'a>(said: &'a Said, name: &str) -> &'a str {
    said.out.lines().find(|line| line.split_whitespace().next() == Some(name)).unwrap_or_else(|| panic!("{said:?}"))
}

fn transcript(home: &TestHome, row: &Row) -> PathBuf {
    let projects = fs::read_dir(home.home().join(".the-loop-demo/projects")).expect("conversations");
    let file = format!("{}.jsonl", row.harness_session_id);
    projects.flatten().map(|project| project.path().join(&file)).find(|path| path.exists()).expect("a conversation")
}

fn at(moment: SystemTime) -> String {
    Timestamp::try_from(moment).expect("a time").strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[test]
fn list_and_status_tell_who_works_who_rests_and_who_waits_for_an_answer() {
    let home = home();
    create(&home, "asks", &format!("dialog={QUESTION}"));
    create(&home, "rests", "");
    create(&home, "works", "busy=600000");
    create(&home, "halted", "");
    once(&home, "asks", Activity::Waiting);
    once(&home, "rests", Activity::Idle);
    once(&home, "works", Activity::Busy);
    Command::in_home(&home).ok(&["stop", "halted"], "halted  stopped");

    for args in [&["standing", "list"][..], &["status"]] {
        let said = run(&home, args);
        for (name, word) in [("asks", "waiting"), ("rests", "idle"), ("works", "busy")] {
            let words: Vec<&str> = line(&said, name).split_whitespace().collect();
            assert!(words.contains(&word) && words.contains(&"now"), "{args:?}: {}", line(&said, name));
        }
        let asks = line(&said, "asks");
        assert!(asks.contains("May I delete the folder `build`") && asks.contains('…'), "shortened: {asks}");
        assert!(!line(&said, "halted").contains("idle"), "{}", line(&said, "halted"));
    }
    // The published columns stay where they were.
    let list = run(&home, &["standing", "list"]);
    let titles: Vec<&str> = list.out.lines().next().expect("titles").split_whitespace().collect();
    assert_eq!(titles[..7], ["Name", "Harness", "Tmux", "Declared", "Status", "Live", "Slack"]);
    let json: Value = serde_json::from_str(&run(&home, &["standing", "list", "--format", "json"]).out).expect("JSON");
    let asks = json.as_array().expect("rows").iter().find(|row| row["name"] == "asks").expect("its row").clone();
    assert_eq!((&asks["activity"], &asks["question"]), (&json!("waiting"), &json!(QUESTION)));
    home.the_loop().standing().stop_all().expect("a report");
}

#[test]
fn since_is_what_files_tell() {
    let home = home();
    let begun = at(SystemTime::now());
    create(&home, "rests", "");
    create(&home, "works", "busy=600000");
    create(&home, "asks", &format!("dialog={QUESTION}"));
    let asks = once(&home, "asks", Activity::Waiting);
    assert_eq!(asks.since, asks.started_at, "nothing was ever said to it: it asks since it was started");

    let rests = once(&home, "rests", Activity::Idle);
    let file = transcript(&home, &rests);
    // The agent holds its reply back for a moment, and writes nothing after that.
    wait_for("the reply", || fs::read_to_string(&file).ok().filter(|text| text.contains("\"assistant\"")));
    let rests = once(&home, "rests", Activity::Idle);
    let written = at(file.metadata().expect("there").modified().expect("a time"));
    assert_eq!(rests.since, written.clone().max(rests.started_at.clone()));
    // An old conversation that was resumed rests since its start, not since last night.
    let handle = fs::File::options().append(true).open(&file).expect("opened");
    handle.set_modified(SystemTime::UNIX_EPOCH).expect("set");
    assert_eq!(once(&home, "rests", Activity::Idle).since, rests.started_at);

    let works = once(&home, "works", Activity::Busy);
    let lines = fs::read_to_string(transcript(&home, &works)).expect("read");
    let turn = lines.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let turn = turn.into_iter().find(|line| line["type"] == "user").expect("a turn");
    let turn: Timestamp = turn["at"].as_str().expect("text").parse().expect("a time");
    assert_eq!(works.since, turn.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());

    Command::in_home(&home).ok(&["stop", "rests"], "rests  stopped");
    let stopped = home.the_loop().standing().get("rests").expect("a row");
    assert!(begun <= stopped.since && stopped.since <= at(SystemTime::now()), "{}", stopped.since);
    let list = home.the_loop().standing().list().expect("rows");
    assert!(list.iter().all(|row| !row.since.is_empty()), "{list:#?}");
    // A second stop of what is stopped moves nothing.
    Command::in_home(&home).ok(&["stop", "rests"], "rests  not-running");
    assert_eq!(home.the_loop().standing().get("rests").expect("a row").since, stopped.since);
    home.the_loop().standing().stop_all().expect("a report");
}

#[test]
fn status_with_needs_exits_with_3_while_a_session_waits_for_an_answer() {
    let home = home();
    let code = |args: &[&str]| run(&home, args).code;
    assert_eq!((code(&["status"]), code(&["status", "--needs"])), (0, 0));
    create(&home, "rests", "");
    once(&home, "rests", Activity::Idle);
    assert_eq!(code(&["status", "--needs"]), 0);
    create(&home, "asks", &format!("dialog={QUESTION}"));
    once(&home, "asks", Activity::Waiting);
    assert_eq!((code(&["status"]), code(&["status", "--needs"])), (0, 3));
    assert_eq!(code(&["status", "--needs", "--format", "json"]), 3);
    // What does not run though it should is worse.
    Command::in_home(&home).ok(&["stop", "rests"], "rests  stopped");
    assert_eq!((code(&["status"]), code(&["status", "--needs"])), (1, 1));
    Command::in_home(&home).ok(&["start", "rests"], "rests  resumed");
    home.write_config("standingSessions: [\n");
    assert_eq!(code(&["status", "--needs"]), 2);
    assert!(home.the_loop().standing().stop_all().is_ok_and(|report| report.ok));
}

#[test]
fn a_list_reads_the_screen_of_a_session_whose_title_tells_nothing() {
    let home = home();
    let args = ["--fault", &format!("dialog={QUESTION}"), "--fault", "title=my own title"].map(str::to_owned).to_vec();
    let request = CreateRequest { harness_args: Some(args), ..CreateRequest::named("asks") };
    assert!(home.the_loop().standing().create(&request).expect("created").ok);
    once(&home, "asks", Activity::Waiting);
    let listed = home.the_loop().standing().list().expect("rows");
    assert_eq!(listed[0].activity, Activity::Waiting, "{listed:#?}");
    assert!(listed[0].question.starts_with("May I delete the folder"), "{}", listed[0].question);
    assert_eq!(run(&home, &["status", "--needs"]).code, 3);
    home.the_loop().standing().stop_all().expect("a report");
}

#[test]
fn needs_lists_the_most_urgent_first_and_follows_each_change() {
    let home = home();
    let none = run(&home, &["needs"]);
    assert_eq!((none.code, none.out.as_str()), (0, "No session needs you.\n"));
    create(&home, "rests", "");
    create(&home, "over", "exit-after=3000:7");
    wait_for("over to exit", || {
        (home.the_loop().standing().get("over").expect("a row").state == State::Ended).then_some(())
    });
    let mut watching = home.command(THE_LOOP);
    watching.args(["needs", "--watch", "--format", "json"]).stdout(Stdio::piped());
    let mut watching = watching.spawn().expect("the binary runs");
    let mut lines = BufReader::new(watching.stdout.take().expect("piped above")).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().expect("a line").expect("read")).expect("JSON") };
    let kinds = |list: &Value| -> Vec<String> {
        let entries = list.as_array().expect("a list").iter();
        entries.map(|entry| format!("{} {}", entry["kind"], entry["sessions"][0]).replace('"', "")).collect()
    };
    assert_eq!(kinds(&next()), ["exited over"]);
    create(&home, "asks", &format!("dialog={QUESTION}"));
    let changed = wait_for("the prompt in the list", || {
        let list = next();
        (kinds(&list) == ["prompt asks", "exited over"]).then_some(list)
    });
    assert_eq!(changed[0]["reason"], QUESTION);
    watching.kill().expect("ended");
    watching.wait().expect("ended");

    let text = run(&home, &["needs"]);
    let order: Vec<&str> = text.out.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!((text.code, order), (1, vec!["asks", "over"]), "{text:?}");
    let json = run(&home, &["needs", "--format", "json"]);
    let list: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!((json.code, kinds(&list)), (1, vec!["prompt asks".to_owned(), "exited over".to_owned()]));
    home.the_loop().standing().stop_all().expect("a report");
    assert_eq!(run(&home, &["needs"]).code, 0);
    home.write_config("standingSessions: [\n");
    assert_eq!(run(&home, &["needs"]).code, 2);
}
