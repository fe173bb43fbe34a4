//! `the-loop config`: a person checks, shows, edits and writes the config.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use testkit::TestHome;

use crate::app::{Said, THE_LOOP};

fn home() -> TestHome {
    TestHome::builder().exe(THE_LOOP).build()
}

fn run(home: &TestHome, editor: &str, args: &[&str]) -> Said {
    let mut command = home.command(THE_LOOP);
    command.arg("config").args(args).env_remove("VISUAL").env("EDITOR", editor);
    Said::of(&command.output().expect("the binary runs"))
}

fn config(home: &TestHome) -> PathBuf {
    PathBuf::from(run(home, "", &["check"]).out.split(": no mistakes").next().expect("a path"))
}

#[test]
fn a_config_is_checked_and_shown_with_the_line_of_each_value() {
    let home = home();
    home.write_config("service:\n  port: 4321\n");
    let checked = run(&home, "", &["check"]);
    assert!(checked.code == 0 && checked.out.contains("no mistakes; it declares 0 sessions"), "{checked:?}");
    let shown = run(&home, "", &["show", "service"]);
    assert!(shown.out.contains("service.port: 4321  # line 2\n"), "{shown:?}");
    assert!(shown.out.contains("service.auth.mode: \"same-user\"  # default\n"), "{shown:?}");
    assert!(!shown.out.contains("routing"), "{shown:?}");
    let changed = run(&home, "", &["show", "--changed", "--format", "json"]);
    let changed: Value = serde_json::from_str(&changed.out).expect("JSON");
    assert_eq!(changed, json!([{ "key": "service.port", "value": 4321, "source": "file", "line": 2 }]));
    assert_eq!(run(&home, "", &["show", "servise"]).code, 1);

    home.write_config("service:\n  port: many\n");
    let checked = run(&home, "", &["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&checked.out).expect("JSON");
    assert_eq!(
        (checked.code, &report["ok"], &report["problems"][0]["line"]),
        (2, &json!(false), &json!(2)),
        "{report}"
    );
    assert_eq!(run(&home, "", &["show"]).code, 2);
}

#[test]
fn an_edit_with_mistakes_never_replaces_the_config_and_is_continued() {
    let home = home();
    home.write_config("service:\n  port: 4321\n");
    let file = config(&home);
    let draft = file.with_file_name("cli-config.draft.yaml");
    let text = || fs::read_to_string(&file).expect("the config");

    let same = run(&home, "true", &["edit"]);
    assert!(same.code == 0 && same.out.contains("nothing was changed") && !draft.exists(), "{same:?}");

    let broken = run(&home, "sed -i s/4321/many/", &["edit"]);
    assert!(broken.code == 2 && broken.err.contains("service.port") && draft.exists(), "{broken:?}");
    assert_eq!(text(), "service:\n  port: 4321\n");

    let mended = run(&home, "sed -i s/many/4322/", &["edit"]);
    assert!(mended.code == 0 && mended.err.contains("Continuing with the draft") && !draft.exists(), "{mended:?}");
    assert_eq!(text(), "service:\n  port: 4322\n");

    let ended = run(&home, "false", &["edit"]);
    assert!(ended.code == 1 && ended.err.contains("ended with exit status: 1"), "{ended:?}");
    fs::remove_file(&draft).expect("the draft is kept");

    // Another program writes it while the editor is open.
    let other = format!("sh -c 'echo \"# other\" >> {} && echo \"# mine\" >> \"$1\"' sh", file.display());
    let refused = run(&home, &other, &["edit"]);
    assert!(refused.code == 1 && refused.err.contains("changed by another program"), "{refused:?}");
    assert_eq!(text(), "service:\n  port: 4322\n# other\n");
}

#[test]
fn a_new_config_is_commented_and_an_existing_one_is_left() {
    let home = home();
    let file = config(&home);
    let kept = fs::read_to_string(&file).expect("the config");
    let refused = run(&home, "", &["init"]);
    assert!(refused.code == 1 && refused.err.contains("was not changed"), "{refused:?}");
    assert_eq!(fs::read_to_string(&file).expect("the config"), kept);
    fs::remove_file(&file).expect("removed");
    let written = run(&home, "", &["init"]);
    assert!(written.code == 0 && written.out.contains("was written"), "{written:?}");
    let text = fs::read_to_string(&file).expect("the config");
    assert!(text.contains("#   port: 4114") && text == run(&home, "", &["init", "--print"]).out, "{text}");
    assert_eq!(run(&home, "", &["check"]).code, 0);
}
