//! `the-loop events`: filters, formats, and a log that is followed while it rotates.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
    sync::mpsc,
    thread,
};

use serde_json::Value;
use testkit::{CAP, TestHome, wait_for};

use crate::app::{Command, Said, THE_LOOP};

fn home() -> TestHome {
    TestHome::builder().exe(THE_LOOP).build()
}

fn events(home: &TestHome, args: &[&str]) -> Said {
    Said::of(&home.command(THE_LOOP).arg("events").args(args).stdin(Stdio::null()).output().expect("the binary runs"))
}

fn names(lines: &str) -> Vec<String> {
    let name = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["event"].as_str().map(str::to_owned);
    lines.lines().filter_map(name).collect()
}

fn log_file(home: &TestHome) -> std::path::PathBuf {
    home.project().join(".the-loop/logs/events.jsonl")
}

#[test]
fn filters_and_formats() {
    let home = home();
    let cli = Command::in_home(&home);
    for name in ["a", "b"] {
        cli.ok(&["create", name, "--no-start"], &format!("{name}  not-running"));
    }
    cli.ok(&["delete", "a"], "a  deleted");
    assert_eq!(
        names(&events(&home, &["--format", "jsonl"]).out),
        ["standing.created", "standing.created", "standing.deleted"]
    );
    for (args, expected) in [
        (&["--type", "*.deleted"][..], &["standing.deleted"][..]),
        (
            &["--type", "standing.d*", "--type", "standing.cr?ated"],
            &["standing.created", "standing.created", "standing.deleted"],
        ),
        (&["--session", "a"], &["standing.created", "standing.deleted"]),
        (&["--limit", "1"], &["standing.deleted"]),
        (&["--since", "10m", "--session", "b"], &["standing.created"]),
        (&["--since", "2999-01-01T00:00:00Z"], &[]),
    ] {
        let said = events(&home, &[args, &["--format", "jsonl"]].concat());
        assert_eq!(
            (said.code, names(&said.out)),
            (0, expected.iter().map(|&name| name.to_owned()).collect()),
            "{args:?}"
        );
    }
    let json: Value = serde_json::from_str(&events(&home, &["--format", "json"]).out).expect("one document");
    assert_eq!((json.as_array().map(Vec::len), &json[2]["standing"]), (Some(3), &"a".into()));
    let table = events(&home, &[]);
    let head: Vec<&str> = table.out.lines().next().expect("a head").split_whitespace().collect();
    assert_eq!(head, ["Time", "Source", "Level", "Event", "Session", "Detail"]);
    assert!(table.out.contains("auto_start=true"), "{}", table.out);
}

#[test]
fn nothing_there_is_said_and_mistakes_are_named() {
    let home = home();
    let said = events(&home, &["--format", "json"]);
    assert_eq!((said.code, said.out.as_str()), (0, "[]\n"));
    assert!(said.err.contains("events.jsonl"), "{}", said.err);
    for args in [&["--since", "yesterday"][..], &["--follow", "--format", "json"], &["--format", "xml"]] {
        let said = events(&home, args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {}", said.err);
    }
    fs::create_dir_all(log_file(&home)).expect("a folder in its place");
    assert_eq!(events(&home, &[]).code, 2);
}

#[test]
fn what_others_wrote_reaches_no_terminal_unchanged() {
    let home = home();
    fs::create_dir_all(log_file(&home).parent().expect("a folder")).expect("made");
    let hostile =
        "{\"ts\":\"t\",\"event\":\"x\",\"detail\":\"a\\u001b]52;c;eA==\\u0007b \u{9b}2J \u{202e}c\"}\n{\"cut\n";
    fs::write(log_file(&home), hostile).expect("written");
    for format in ["table", "json", "jsonl"] {
        let said = events(&home, &["--format", format]);
        assert!(said.code == 0 && said.out.contains("52;c;eA=="), "{said:?}");
        assert!(!said.out.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}']), "{said:?}");
    }
}

#[test]
fn a_followed_log_is_followed_across_its_rotation() {
    let home = home();
    let cli = Command::in_home(&home);
    cli.ok(&["create", "before", "--no-start"], "before  not-running");
    let first = fs::read_to_string(log_file(&home)).expect("the log");
    // Full but for a few bytes, so that the next event needs another file.
    let mut file = fs::OpenOptions::new().append(true).open(log_file(&home)).expect("the log");
    let filler = format!("{{\"event\":\"filler\",\"pad\":\"{}\"}}\n", "x".repeat(1000));
    let full = 16 * 1024 * 1024 - first.len();
    file.write_all(filler.repeat(full / filler.len()).as_bytes()).expect("filled");
    drop(file);

    let mut follower = home.command(THE_LOOP);
    follower.args(["events", "--follow", "--format", "jsonl", "--type", "standing.*", "--type", "log.rotated"]);
    let mut follower = follower.stdout(Stdio::piped()).spawn().expect("the binary runs");
    let (sender, lines) = mpsc::channel();
    let out = follower.stdout.take().expect("piped above");
    let reading = thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let next = || lines.recv_timeout(CAP).map(|line| names(&line).remove(0)).expect("an event");
    assert_eq!(next(), "standing.created");
    let names: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
    for name in &names {
        cli.ok(&["create", name, "--no-start"], &format!("{name}  not-running"));
    }
    let seen: Vec<String> = (0..=names.len()).map(|_| next()).collect();
    assert_eq!(seen.iter().filter(|name| *name == "log.rotated").count(), 1, "{seen:?}");
    assert_eq!(seen.iter().filter(|name| *name == "standing.created").count(), names.len(), "{seen:?}");
    let rotated = wait_for("the file that made room", || fs::metadata(log_file(&home).with_extension("jsonl.1")).ok());
    assert!(rotated.len() <= 16 * 1024 * 1024);
    follower.kill().expect("ended");
    follower.wait().expect("reaped");
    reading.join().expect("no panic");
}

#[test]
fn events_have_the_fields_that_are_documented() {
    let home = super::Home::of(TestHome::builder().exe(THE_LOOP).build());
    home.start();
    let cli = Command::in_home(&home.home);
    cli.ok(&["create", "ops"], "ops  started");
    assert_eq!(home.run(&["standing", "say", "ops", "hello"]).code, 0);
    assert_eq!(home.run(&["standing", "say", "ops", "hello", "--actor", "me"]).code, 0);
    let address = home.details()["address"].as_str().expect("an address").to_owned();
    assert_eq!(home.run(&["stop"]).code, 0);
    let events = home.home.events();
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    for name in ["service.started", "service.stopped"] {
        let (host, port) =
            (of(name)[0]["host"].as_str().expect("a host"), of(name)[0]["port"].as_u64().expect("a port"));
        assert!(address.starts_with(&format!("http://{host}:{port}/")), "{name}: {address}");
    }
    let said = of("standing.said");
    assert_eq!((said[0].get("actor"), &said[1]["actor"]), (None, &Value::from("me")), "{said:#?}");
    for event in &events {
        assert!(event.as_object().expect("an object").values().all(|value| value != ""), "{event:#}");
    }
}

#[test]
fn a_config_that_cannot_be_used_is_told_of_and_refused_where_it_matters() {
    let home = super::Home::of(TestHome::builder().exe(THE_LOOP).build());
    home.run(&["standing", "create", "ops", "--no-start"]);
    home.home.reconfigure("/service/port", Value::from("x"));
    let said = events(&home.home, &["--format", "jsonl"]);
    assert_eq!((said.code, names(&said.out)), (0, vec!["standing.created".to_owned()]), "{said:#?}");
    assert!(said.err.contains("`service.port`") && said.err.contains("events.jsonl"), "{}", said.err);
    for args in [["channels", "status"], ["channels", "test"]] {
        let said = home.run(&args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:#?}");
        assert!(said.err.contains("`service.port`"), "{}", said.err);
    }
}
