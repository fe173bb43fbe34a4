//! screen: the last lines of a pane. Reading a pane is not a message from the session.

use harness::{Harness, Screen};
use wire::SessionName;

use super::Context;
use crate::{Error, registry::Entry, state::Condition};

/// Returns the last `lines` lines of a session's pane, alive or retained; empty if there is no pane.
pub(crate) fn screen(context: &Context, name: &SessionName, lines: usize) -> Result<String, Error> {
    let entry = context.registry.read(name);
    if matches!(entry, Entry::Vacant) {
        context.resolve_vacant(name)?;
    }
    let panes = context.look();
    let condition = context.judge(name, &entry, panes.as_ref()).condition;
    if let Condition::Silent(silence) = condition {
        return Err(silence.into());
    }
    let Some(pane) = condition.shown() else { return Ok(String::new()) };
    let text = context.tmux.capture(pane).into_result()?.unwrap_or_default();
    Ok(last_lines(&text, lines))
}

/// Returns the last lines of a screen.
pub fn last_lines(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// Returns the part of a screen above the harness's input box: what the harness said, without its hints. The whole screen
/// if no box is visible or nothing is above it.
pub(crate) fn above_input<'a>(harness: &dyn Harness, screen: Screen<'a>) -> &'a str {
    let Some(input) = harness.input_lines(screen) else { return screen.text };
    let before: usize = screen.text.split_inclusive('\n').take(input.start).map(str::len).sum();
    let above = &screen.text[..before];
    if above.contains(char::is_alphanumeric) { above } else { screen.text }
}

/// Length limit of the last line in a row, in characters.
const LINE: usize = 200;

/// Returns the last line of a screen that contains words.
pub(crate) fn last_line(text: &str) -> String {
    let has_words = |line: &&str| line.chars().any(char::is_alphanumeric);
    let line = text.lines().rev().find(has_words).unwrap_or_default();
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    line.trim().chars().take(LINE).collect()
}

#[cfg(test)]
mod tests {
    use config::Routing;
    use process::Surroundings;

    use super::*;

    #[test]
    fn the_hints_below_the_input_box_are_not_what_was_said() {
        let here = Surroundings::of_process();
        let demo = harness::by_name("demo", &Routing::default(), &here).expect("built in");
        let last = |text: &str| last_line(above_input(demo.as_ref(), Screen { text, title: "demo: idle" }));
        let rule = "\u{2500}".repeat(40);
        let hint = "  enter sends \u{b7} ctrl-j new line";
        assert_eq!(last(&format!("14 of 14 done\n\n{rule}\n> a draft\n{rule}\n{hint}\n")), "14 of 14 done");
        assert_eq!(last(&format!("{rule}\n> \n{rule}\n{hint}\n")), hint.trim(), "nothing was said yet");
        assert_eq!(last("done\n"), "done", "no box");
    }

    #[test]
    fn a_frame_is_not_a_line_with_words() {
        assert_eq!(last_line("one\n  two \u{7}\n\u{2570}\u{2500}\u{2500}\n\n"), "two");
        assert_eq!(last_line("\u{2500}\n> \n"), "");
        assert_eq!(last_line(&"\u{e4}".repeat(300)).chars().count(), LINE);
    }
}
