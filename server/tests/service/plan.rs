//! `the-loop plan`, and what a shell and a packager get.

use std::fs;

use serde_json::json;
use testkit::{TestHome, assert_nothing_spawned};

use super::Home;
use crate::app::THE_LOOP;

#[test]
fn a_plan_shows_file_record_and_tmux_and_changes_nothing() {
    let home = TestHome::builder().exe(THE_LOOP);
    let home = home.declare(json!({ "name": "fresh" })).declare(json!({ "name": "lost", "cwd": "/no/such" }));
    let home = Home::of(home.build());
    home.run(&["standing", "create", "made"]);
    let (plan, code) = assert_nothing_spawned(&home.home, || home.report(&["plan"]));
    assert_eq!((code, &plan["ok"], &plan["services"][0]["outcome"]), (1, &json!(false), &json!("started")), "{plan:#}");
    let rows = plan["standingSessions"].as_array().expect("rows").iter();
    let actions: Vec<_> = rows.map(|row| (row["name"].as_str(), row["action"].as_str())).collect();
    let expected = [("fresh", "start"), ("lost", "fail"), ("made", "leave-running")];
    assert_eq!(actions, expected.map(|(name, action)| (Some(name), Some(action))));
    let text = home.run(&["plan"]);
    assert_eq!(text.code, 1);
    for part in ["Start would", "/no/such", "leave it running", "declared"] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    home.run(&["start", "--service-only", "--port", "0"]);
    assert_eq!(home.report(&["plan"]).0["services"][0]["outcome"], "already-running");
    home.home.write_config("standingSessions: 7\n");
    assert_eq!(home.run(&["plan"]).code, 2);
}

#[test]
fn shells_and_packagers_get_theirs() {
    let home = Home::of(TestHome::builder().exe(THE_LOOP).build());
    for shell in ["bash", "zsh", "fish"] {
        let said = home.run(&["completions", shell]);
        assert!(said.code == 0 && said.out.contains("standing"), "{shell}: {said:#?}");
    }
    assert_eq!(home.run(&["completions", "cmd.exe"]).code, 2);
    let folder = home.home.path().join("man");
    let said = home.run(&["man", folder.to_str().expect("UTF-8")]);
    assert_eq!(said.code, 0, "{said:#?}");
    for page in ["the-loop.1", "the-loop-start.1", "the-loop-standing-say.1"] {
        assert!(fs::read_to_string(folder.join(page)).expect(page).contains(".TH"), "{page}");
    }
}
