//! Screen of Cursor's agent, from descriptions of others: only unmistakable texts are read.

use wire::Activity;

use crate::{
    Reading, Screen,
    screen::{lines, question},
};

/// Text of an empty input box.
const EMPTY: [&str; 2] = ["→ Add a follow-up", "→ Plan, search, build anything"];

/// Texts that appear only in a dialog.
const ASKS: [&str; 3] = ["Workspace Trust Required", "Run this command?", "Allow this "];

pub(super) fn read(screen: Screen<'_>) -> Reading {
    let lines = lines(screen);
    let tail = lines.len().saturating_sub(25);
    let has = |words: &str| lines[tail..].iter().any(|line| line.contains(words));
    if let Some(asked) = lines[tail..].iter().position(|line| ASKS.iter().any(|words| line.contains(words))) {
        return Reading { activity: Activity::Waiting, question: question(&lines[tail + asked..]) };
    }
    let activity = if has("ctrl+c to stop") {
        Activity::Busy
    } else if EMPTY.iter().any(|words| has(words)) {
        Activity::Idle
    } else {
        Activity::Unknown
    };
    Reading { activity, question: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_unmistakable_is_read() {
        let read = |text| read(Screen { text, title: "Cursor Agent" });
        assert_eq!(read("  → Add a follow-up          ctrl+c to stop").activity, Activity::Busy);
        assert_eq!(read("  → Add a follow-up").activity, Activity::Idle);
        assert_eq!(read("hello").activity, Activity::Unknown);
        let asked = read("Workspace Trust Required\n\n  [a] Trust this workspace\n  [q] Quit");
        assert_eq!(asked.activity, Activity::Waiting);
        assert!(asked.question.ends_with("[q] Quit"), "{}", asked.question);
    }
}
