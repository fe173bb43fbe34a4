//! Hazards of the state folder: who may read and write it, its disk, and what lies in it.

use std::{fs, io::Write as _, os::unix::fs::PermissionsExt as _, path::Path, process::Stdio};

use serde_json::{Value, json};

use super::{Home, builder, doctor, findings, nothing, only, severe, sound, told};
use crate::app::{Said, THE_LOOP};

#[test]
fn a_state_folder_that_others_can_read_or_write() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops", "--no-start"]);
    let root = home.home.project().join(".the-loop");
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    sound(&home);
    mode(&root, 0o777);
    let shown = root.display().to_string();
    only(&home, nothing, "permissions", &["run programs as you", &format!("chmod go-w {shown}")]);
    mode(&root, 0o755);
    for (open, word) in [(0o777, "write"), (0o755, "read")] {
        mode(&root.join("local/standing"), open);
        only(&home, nothing, "permissions", &[word, &format!("chmod -R go-rwx {shown}/local/standing")]);
    }
    mode(&root.join("local/standing"), 0o700);
    sound(&home);
    mode(&home.home.config_file(), 0o666);
    only(&home, nothing, "permissions", &["cli-config.yaml", "run programs as you", "chmod go-w"]);
    mode(&home.home.config_file(), 0o600);
    if nix::unistd::geteuid().is_root() {
        nix::unistd::chown(&root.join("logs"), Some(65534.into()), None).expect("root may");
        only(&home, nothing, "permissions", &["another user (uid 65534)", "chown -R 0"]);
    }
}

#[test]
fn a_state_folder_that_cannot_be_made() {
    let home = Home::of(builder().build());
    let blocked = home.home.path().join("blocked");
    fs::write(&blocked, "").expect("written");
    home.home.reconfigure("/state/root", json!(blocked.join("below")));
    let (findings, code) = doctor(&home, nothing);
    let of = |check: &str| severe(&findings).into_iter().filter(|found| found["check"] == check).collect::<Vec<_>>();
    assert_eq!((of("permissions").len(), code), (1, 1), "{findings:#?}");
    told(of("permissions")[0], &["blocked", "not a directory", "state.root"]);
}

#[test]
fn a_disk_that_is_nearly_full_or_cannot_be_written_to() {
    let home = Home::of(builder().build());
    let root = home.home.path().join("state");
    fs::create_dir(&root).expect("made");
    home.home.reconfigure("/state/root", json!(root));
    let script = r#"mount -t tmpfs -o "mode=0755,$1" tmpfs "$2" && exec "$3" doctor --format json"#;
    let on_a_disk = |options: &str| {
        let mut command = home.home.command("unshare");
        command.args(["--mount", "sh", "-c", script, "sh", options]).arg(&root).arg(THE_LOOP).stdin(Stdio::null());
        command.output().ok().filter(|output| !output.stdout.is_empty())
    };
    for (options, check, part) in [
        ("size=1m", "disk", "nearly full"),
        ("size=100m,nr_inodes=50", "disk", "inodes"),
        ("size=100m,ro", "permissions", "read-only"),
    ] {
        let Some(output) = on_a_disk(options) else {
            let _ = writeln!(std::io::stderr(), "SKIPPED a_disk_that_is_nearly_full: no disk can be mounted here");
            return;
        };
        let (findings, code) = findings(&Said::of(&output));
        let hazards = severe(&findings);
        assert!(code == 1 && hazards.len() == 1 && hazards[0]["check"] == check, "{options}: {hazards:#?}");
        told(hazards[0], &[part, root.to_str().expect("UTF-8")]);
    }
    let roomy = findings(&Said::of(&on_a_disk("size=100m").expect("as above")));
    assert_eq!((severe(&roomy.0), roomy.1), (Vec::new(), 0));
}

#[test]
fn a_records_folder_that_cannot_be_written_to() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops", "--no-start"]);
    let script = r#"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" doctor --format json"#;
    let mut command = home.home.command("unshare");
    command.args(["--mount", "sh", "-c", script, "sh"]).arg(home.home.records()).arg(THE_LOOP).stdin(Stdio::null());
    let Some(output) = command.output().ok().filter(|output| !output.stdout.is_empty()) else {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED a_records_folder_that_cannot_be_written_to: nothing can be mounted");
        return;
    };
    let (findings, code) = findings(&Said::of(&output));
    let hazards = severe(&findings);
    assert!(code == 1 && hazards.len() == 1 && hazards[0]["check"] == "permissions", "{hazards:#?}");
    told(hazards[0], &["local/standing", "read-only"]);
}

#[test]
fn a_record_that_cannot_be_read_or_is_of_tomorrow() {
    let home = Home::of(builder().build());
    home.run(&["standing", "create", "ops", "--no-start"]);
    let path = home.home.records().join("ops.json");
    let text = fs::read_to_string(&path).expect("there");
    fs::write(&path, &text[..text.len() / 2]).expect("written");
    only(&home, nothing, "record", &["ops.json", "`ops`", "fix the file"]);
    let mut record: Value = serde_json::from_str(&text).expect("JSON");
    record["startedAt"] = json!("2199-01-01T00:00:00Z");
    fs::write(&path, record.to_string()).expect("written");
    only(&home, nothing, "clock", &["`ops`", "2199-01-01T00:00:00Z", "set the clock"]);
}
