//! Settings of a launch of Claude Code, seen on 2.1.332.
//!
//! `--settings` takes a file or inline JSON, and only the last one counts. So the operator's own settings are merged into
//! the file of the launch. Their hooks stay beside ours, as do those of the user's and the project's settings files.

use std::{fs, path::Path};

use config::CrossSession;
use serde_json::{Map, Value, json};

use super::Place;
use crate::launch::{Launch, LaunchSettings};

/// Events of which a hook tells. Events of single tools are left out: a hook for each would slow every tool.
const EVENTS: [&str; 7] =
    ["SessionStart", "UserPromptSubmit", "PermissionRequest", "Notification", "Stop", "StopFailure", "SessionEnd"];

/// Key for messages of other sessions.
const CROSS_SESSION: &str = "crossSessionInbound";

/// Seconds after which Claude Code gives up on a hook.
const TIMEOUT: u32 = 5;

/// Makes the settings of a launch. The error says why the operator's own settings could not be read.
pub(super) fn of_launch(place: &Place<'_>, args: &[String], launch: &Launch<'_>) -> Result<LaunchSettings, String> {
    let (mut kept, mut own) = (Vec::new(), None);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("--settings=") {
            Some(value) => own = Some(value.to_owned()),
            None if word == "--settings" => own = words.next().cloned(),
            None => kept.push(word.clone()),
        }
        if word == "--" {
            kept.extend(words.by_ref().cloned());
        }
    }
    let mut content = own.map_or_else(|| Ok(Map::new()), |own| read(place, &own))?;
    add_hooks(&mut content, launch.hook)?;
    content.entry(CROSS_SESSION).or_insert_with(|| json!(word(launch.cross_session)));
    let file = launch.file.to_str().ok_or("the path of its settings file is not UTF-8")?;
    let args = ["--settings".to_owned(), file.to_owned()].into_iter().chain(kept).collect();
    Ok(LaunchSettings { args, content: Value::Object(content) })
}

const fn word(cross_session: CrossSession) -> &'static str {
    match cross_session {
        CrossSession::Refuse => "refuse",
        CrossSession::Accept => "accept",
        CrossSession::Ask => "hold",
    }
}

/// Reads the operator's settings: inline JSON, or a file as Claude Code finds it.
fn read(place: &Place<'_>, settings: &str) -> Result<Map<String, Value>, String> {
    let text = if settings.trim_start().starts_with('{') {
        settings.to_owned()
    } else {
        let file = place.cwd.join(Path::new(settings));
        fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?
    };
    serde_json::from_str(&text).map_err(|error| format!("`--settings`: {error}"))
}

/// Adds our hook to each event, behind the operator's own.
fn add_hooks(content: &mut Map<String, Value>, command: &str) -> Result<(), String> {
    let hooks = content.entry("hooks").or_insert_with(|| json!({}));
    let hooks = hooks.as_object_mut().ok_or("`--settings`: `hooks` is not an object")?;
    for event in EVENTS {
        let list = hooks.entry(event).or_insert_with(|| json!([]));
        let list = list.as_array_mut().ok_or_else(|| format!("`--settings`: `hooks.{event}` is not a list"))?;
        list.push(json!({"hooks": [{"type": "command", "command": command, "timeout": TIMEOUT}]}));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use process::Surroundings;

    use super::*;
    use crate::{Harness as _, claude::Claude};

    fn of(cwd: &Path, args: &[&str]) -> Result<LaunchSettings, String> {
        let here = Surroundings::of_process();
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let launch = Launch { hook: "our-hook", file: Path::new("/state/l.json"), cross_session: CrossSession::Refuse };
        Claude.launch_settings(&Place::of(&here, cwd), &args, &launch).expect("claude has settings")
    }

    #[test]
    fn our_hooks_stand_beside_those_of_the_operator() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = json!({"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}});
        fs::write(folder.path().join("own.json"), own.to_string()).expect("written");
        let inline = own.to_string();
        for args in
            [&["--settings", "own.json"][..], &["--settings=own.json"], &["--settings", "{}", "--settings", &inline]]
        {
            let settings = of(folder.path(), args).expect("merged");
            assert_eq!(settings.args, ["--settings", "/state/l.json"], "{args:?}");
            let content = settings.content;
            assert_eq!((&content["model"], &content[CROSS_SESSION]), (&json!("opus"), &json!("refuse")));
            let stop = content["hooks"]["Stop"].as_array().expect("a list");
            let commands: Vec<&Value> = stop.iter().map(|entry| &entry["hooks"][0]["command"]).collect();
            assert_eq!(commands, ["theirs", "our-hook"]);
            assert_eq!(content["hooks"]["StopFailure"][0]["hooks"][0]["command"], "our-hook");
        }
    }

    #[test]
    fn other_arguments_and_a_decision_of_the_operator_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let args = [
            "--allowedTools",
            "Read",
            "--settings",
            r#"{"crossSessionInbound":"accept"}"#,
            "--verbose",
            "--",
            "--settings",
        ];
        let settings = of(folder.path(), &args).expect("merged");
        assert_eq!(
            settings.args,
            ["--settings", "/state/l.json", "--allowedTools", "Read", "--verbose", "--", "--settings"]
        );
        assert_eq!(settings.content[CROSS_SESSION], "accept");
    }

    #[test]
    fn settings_that_cannot_be_merged_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        for args in [["--settings", "missing.json"], ["--settings", "{"], ["--settings", r#"{"hooks": []}"#]] {
            of(folder.path(), &args).expect_err("not merged");
        }
    }
}
