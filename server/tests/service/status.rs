//! `the-loop status`: its report of how sessions start, and commands without a current folder.

use std::{fs, process::Stdio};

use serde_json::json;
use testkit::TestHome;

use super::Home;
use crate::app::{Said, THE_LOOP};

#[test]
fn how_a_session_starts_is_told_as_it_is() {
    let home = Home::of(TestHome::builder().exe(THE_LOOP).declare(json!({ "name": "ops" })).build());
    home.run(&["standing", "create", "made", "--no-start"]);
    home.run(&["standing", "create", "torn", "--no-start"]);
    fs::write(home.home.records().join("torn.json"), "{").expect("written");
    let starts = |name: &str| {
        let text = home.run(&["status"]).out;
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {text}"));
        let said = |how: &&str| line.split_whitespace().any(|word| word == *how);
        ["yes", "unknown", "no"].into_iter().find(said).expect("told")
    };
    for (enabled, declared) in [(true, "yes"), (false, "no")] {
        home.home.reconfigure("/standingSessions/enabled", json!(enabled));
        assert_eq!((starts("ops"), starts("made"), starts("torn")), (declared, "yes", "unknown"), "{enabled}");
    }
}

#[test]
fn without_a_current_folder_no_project_is_guessed() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let gone = home.path().join("gone");
    let run = |args: &[&str]| {
        fs::create_dir(&gone).expect("made");
        let mut command = home.command("sh");
        command.env_remove("THE_LOOP_CLI_CONFIG").stdin(Stdio::null());
        command.args(["-c", "rmdir \"$PWD\" && exec \"$@\"", "sh", THE_LOOP]).args(args).current_dir(&gone);
        Said::of(&command.output().expect("runs"))
    };
    for args in [&["standing", "list"][..], &["stop"], &["doctor"]] {
        let said = run(args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {said:#?}");
        assert!(said.err.contains("the current directory no longer exists"), "{}", said.err);
    }
    let config = home.config_file().display().to_string();
    assert_eq!(run(&["--config", &config, "standing", "list"]).code, 0);
    assert_eq!(run(&["completions", "bash"]).code, 0);
}
