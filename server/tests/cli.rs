//! The command line: the built binary in a home of its own.

use std::process::Stdio;

use testkit::{Terminal, TestHome, wait_for};

use crate::app::{Command, Said, THE_LOOP};

fn run(home: &TestHome, args: &[&str]) -> Said {
    Said::of(&home.command(THE_LOOP).args(args).stdin(Stdio::null()).output().expect("the binary runs"))
}

fn home() -> TestHome {
    TestHome::builder().exe(THE_LOOP).build()
}

#[test]
fn version_and_help() {
    let home = home();
    assert_eq!(run(&home, &["--version"]).out, format!("the-loop {}\n", server::VERSION_AND_COMMIT));
    assert!(server::VERSION_AND_COMMIT.starts_with(env!("CARGO_PKG_VERSION")));
    let verbs = ["list", "get", "create", "delete", "start", "stop", "restart", "say"];
    for verb in verbs {
        let help = run(&home, &["standing", verb, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.out.contains(&format!("Examples:\n  the-loop standing {verb}")), "{}", help.out);
    }
    // What a help points at is there.
    let answer = run(&home, &["standing", "answer", "--help"]).out;
    let words: Vec<&str> = answer.split_whitespace().collect();
    assert!(words.join(" ").contains("`the-loop standing get NAME --format json`"), "{answer}");
    let standing = run(&home, &["standing", "--help"]).out;
    assert!(verbs.iter().all(|verb| standing.contains(&format!("\n  {verb} "))), "{standing}");
}

#[test]
fn an_empty_list_says_what_to_type() {
    let home = home();
    let text = run(&home, &["standing", "list"]);
    assert_eq!(text.code, 0);
    assert!(text.out.contains("the-loop standing create"), "{}", text.out);
    let json = run(&home, &["standing", "list", "--format", "json"]);
    assert_eq!((json.code, json.out.as_str(), json.err.as_str()), (0, "[]\n", ""));
}

#[test]
fn mistakes_in_the_call_exit_with_2() {
    let home = home();
    for args in [
        vec!["--service", "http://127.0.0.1:4114"],
        vec!["standing"],
        vec!["standing", "lst"],
        vec!["standing", "restart"],
        vec!["standing", "say", "ops"],
        vec!["standing", "say", "ops", "one", "--text", "two"],
        vec!["standing", "get", "Not-A-Name"],
        vec!["standing", "create", "ops", "--prompt", "a", "--prompt-file", "b"],
        vec!["standing", "list", "--format", "xml"],
    ] {
        let told = run(&home, &args);
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{args:?}: {}", told.err);
        assert!(!told.err.is_empty());
    }
}

#[test]
fn what_is_not_there_exits_with_1() {
    let home = home();
    for args in [["get", "ops"], ["delete", "ops"]] {
        let told = run(&home, &["standing", args[0], args[1]]);
        assert_eq!((told.code, told.out.as_str()), (1, ""), "{args:?}: {}", told.err);
        assert!(told.err.contains("`ops`"), "{}", told.err);
    }
}

#[test]
fn a_brief_that_cannot_be_read_is_named() {
    let home = home();
    let told = run(&home, &["standing", "create", "ops", "--prompt-file", "no/such.md"]);
    assert_eq!(told.code, 2);
    assert!(told.err.contains(&home.project().join("no/such.md").display().to_string()), "{}", told.err);
}

#[test]
fn a_reader_that_left_is_no_error() {
    let home = home();
    let mut child = home.command("/bin/sh");
    let script = format!("{{ '{THE_LOOP}' standing list; echo $? >&2; }} | true");
    let told = Said::of(&child.args(["-c", &script]).output().expect("sh runs"));
    assert_eq!(told.err, "0\n");
}

#[test]
fn a_full_disk_is_one() {
    let home = home();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full opens");
    let told = Said::of(&home.command(THE_LOOP).args(["standing", "list"]).stdout(full).output().expect("runs"));
    assert_eq!(told.code, 1);
    assert!(told.err.contains("could not write"), "{}", told.err);
}

#[test]
fn no_colours_but_on_a_terminal() {
    let home = home();
    let told = run(&home, &["standing", "get", "ops"]);
    assert!(!told.err.contains('\u{1b}'), "{:?}", told.err);
}

#[test]
fn colours_where_a_person_sits_and_wants_them() {
    let home = home();
    let terminal = Terminal::open(&home);
    for (number, (setting, coloured)) in [("", true), ("NO_COLOR=1", false), ("TERM=dumb", false)].iter().enumerate() {
        terminal.type_line(&format!("clear; {setting} {THE_LOOP} standing get ops; echo end-$((10 + {number}))"));
        let end = format!("end-{}", 10 + number);
        let shown = wait_for("the refusal", || Some(terminal.coloured()).filter(|text| text.contains(&end)));
        assert!(shown.contains("error:"), "{shown:?}");
        assert_eq!(shown.contains("\u{1b}[31m"), *coloured, "{setting}: {shown:?}");
    }
}

#[test]
fn delete_asks_where_a_person_can_answer() {
    let home = home();
    let cli = Command::in_home(&home);
    let question = "Stop `ops` and remove its record";
    cli.ok(&["create", "ops", "--no-start"], "ops  not-running");
    for (flag, answer, shown) in
        [("", Some("no"), "nothing was deleted\ncode=1"), ("", Some("y"), "code=0"), ("--yes", None, "code=0")]
    {
        let terminal = Terminal::open(&home);
        terminal.type_line(&format!("clear; {THE_LOOP} standing delete ops {flag}; echo code=$?"));
        if let Some(answer) = answer {
            wait_for("the question", || terminal.screen().contains(question).then_some(()));
            terminal.type_line(answer);
        }
        wait_for(shown, || terminal.screen().contains(shown).then_some(()));
        let gone = shown == "code=0";
        assert_eq!(terminal.screen().contains("ops  deleted"), gone, "{}", terminal.screen());
        assert_eq!(cli.run(&["get", "ops"]).code, i32::from(gone));
        if gone {
            cli.ok(&["create", "ops", "--no-start"], "ops  not-running");
        }
    }
}

#[test]
fn a_config_that_cannot_be_used_is_refused_with_its_place() {
    let home = home();
    home.write_config("standingSessions:\n  enabled: maybe\n");
    for args in [&["standing", "list"][..], &["standing", "create", "ops"], &["standing", "get", "ops"], &["serve"]] {
        let told = run(&home, args);
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{args:?}: {}", told.err);
        assert!(told.err.contains("cli-config.yaml:2:12: `standingSessions.enabled`"), "{args:?}: {}", told.err);
    }
}

#[test]
fn a_message_that_never_ends_is_refused() {
    let home = home();
    let zeros = std::fs::File::open("/dev/zero").expect("/dev/zero opens");
    let mut say = home.command(THE_LOOP);
    let told = Said::of(&say.args(["standing", "say", "ops", "-"]).stdin(zeros).output().expect("the binary runs"));
    assert_eq!(told.code, 2);
    assert!(told.err.contains("1048576 bytes"), "{}", told.err);
}
