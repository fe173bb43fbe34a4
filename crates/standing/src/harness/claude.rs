//! Claude Code.
//!
//! Facts seen on 2.1.332: `--session-id` of an existing conversation and `--resume` of an unknown one exit 1; the
//! transcript is `<config dir>/projects/<cwd, non-alphanumerics as ->/<id>.jsonl`, there once a prompt was submitted;
//! a paste is held open for about 100 ms; the state stands in the title.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use wire::Activity;

use super::{Fresh, Harness, Place, Reading, Screen, trust};
use crate::{Surroundings, config::HarnessTrust};

pub(crate) struct Claude;

impl Harness for Claude {
    fn program(&self) -> &'static str {
        "claude"
    }

    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        let mut argv = vec!["--session-id".to_owned(), fresh.id.to_owned()];
        argv.extend_from_slice(fresh.args);
        argv.push(fresh.prompt.to_owned());
        argv
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let mut argv = vec!["--resume".to_owned(), id.to_owned()];
        argv.extend_from_slice(args);
        Some(argv)
    }

    fn trust(&self, place: &Place<'_>, args: &[String], settings: HarnessTrust) -> Result<(), String> {
        trust::claude(place, args, settings)
    }

    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        // It names the folder after the real path of its working directory.
        let cwd = place.cwd.canonicalize().unwrap_or_else(|_| place.cwd.to_owned());
        let folder: String =
            cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        Some(config_dir(place.surroundings)?.join("projects").join(folder).join(format!("{id}.jsonl")))
    }

    fn enter_gap(&self) -> Duration {
        Duration::from_millis(200)
    }

    fn read(&self, screen: Screen<'_>) -> Reading {
        read_screen(screen)
    }
}

/// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
pub(super) fn config_dir(surroundings: &Surroundings) -> Option<PathBuf> {
    match surroundings.var("CLAUDE_CONFIG_DIR") {
        Some(dir) => Some(Path::new(dir).to_owned()),
        None => surroundings.home().map(|home| home.join(".claude")),
    }
}

fn read_screen(screen: Screen<'_>) -> Reading {
    let lines: Vec<&str> = screen.text.lines().collect();
    if let Some(question) = dialog(&lines) {
        return Reading { activity: Activity::Waiting, question };
    }
    let busy = lines.iter().rev().take(12).any(|line| line.contains("esc to interrupt"));
    let activity = match screen.title.chars().next() {
        _ if busy => Activity::Busy,
        Some('✳') => Activity::Idle,
        // A turning wheel of Braille dots.
        Some('\u{2800}'..='\u{28ff}') => Activity::Busy,
        _ => Activity::Unknown,
    };
    Reading { activity, question: String::new() }
}

/// A dialog has numbered answers of which one is marked: `❯ 1. Yes`.
fn dialog(lines: &[&str]) -> Option<String> {
    let trimmed = |line: &str| line.trim_matches(|c: char| c.is_whitespace() || "│╭╰╮╯─".contains(c)).to_owned();
    let marked = lines.iter().rposition(|line| {
        let rest = trimmed(line);
        rest.strip_prefix('❯')
            .map(str::trim_start)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest[1..].starts_with('.'))
    })?;
    let from = marked.saturating_sub(8);
    let question: Vec<String> =
        lines[from..].iter().map(|line| trimmed(line)).filter(|line| !line.is_empty()).collect();
    Some(question.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_answer_is_a_dialog() {
        let screen = "╭──────╮\n│ Do you want to proceed? │\n│ ❯ 1. Yes │\n│   2. No │\n╰──────╯";
        let reading = read_screen(Screen { text: screen, title: "✳ Claude Code" });
        assert_eq!(reading.activity, Activity::Waiting);
        assert!(reading.question.contains("Do you want to proceed?"), "{}", reading.question);
    }

    #[test]
    fn the_title_and_the_hint_tell_work_from_rest() {
        let read = |text, title| read_screen(Screen { text, title }).activity;
        assert_eq!(read("> ", "✳ Claude Code"), Activity::Idle);
        assert_eq!(read("✻ Thinking… (12s · esc to interrupt)\n> ", "✳ Claude Code"), Activity::Busy);
        assert_eq!(read("> ", "⠐ Claude Code"), Activity::Busy);
        assert_eq!(read("$ ", "bash"), Activity::Unknown);
    }
}
