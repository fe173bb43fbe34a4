//! Screen with its colours, to distinguish text that a person typed into an input box from text that the program draws.
//!
//! Programs show hints and suggestions in an empty box, faint or grey. Without colours these look like typed text that
//! was not sent.

use std::ops::Range;

use super::{Harness, Screen};

/// Screen at one moment, with the part of it that is drawn in full strength.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Styled {
    /// Visible lines, as plain text.
    pub text: String,
    /// Visible lines, with spaces in place of faint and grey text and the cursor.
    bright: Vec<String>,
    /// Title that the program set.
    pub title: String,
}

impl Styled {
    /// Parses the output of `capture-pane -e`.
    pub fn read(title: &str, captured: &str) -> Self {
        let mut style = Style::default();
        let lines: Vec<(String, String)> = captured.lines().map(|line| style.split(line)).collect();
        let text = lines.iter().map(|(plain, _)| plain.trim_end()).collect::<Vec<_>>().join("\n");
        let bright = lines.into_iter().map(|(_, bright)| bright).collect();
        Self { text: text.trim_end().to_owned(), bright, title: title.to_owned() }
    }

    /// Returns the screen as plain text.
    pub fn screen(&self) -> Screen<'_> {
        Screen { text: &self.text, title: &self.title }
    }

    /// Returns the unsent text in the input box; `None` if there is none, or no box is visible.
    pub fn unsent(&self, harness: &dyn Harness) -> Option<String> {
        let Range { start, end } = harness.input_lines(self.screen())?;
        let frame = |c: char| c.is_whitespace() || "│┃".contains(c);
        let mut typed = Vec::new();
        for (at, line) in self.bright.iter().enumerate().take(end).skip(start) {
            let line = line.trim_matches(frame);
            let line = if at == start { line.strip_prefix(harness.prompt_marks()).unwrap_or(line) } else { line };
            typed.push(line.trim_matches(frame));
        }
        let typed = typed.join("\n").trim_matches('\n').to_owned();
        let is_hint = |hint: &str| typed.starts_with(hint) || (typed.len() >= 3 && hint.starts_with(&typed));
        let hinted = harness.hints().iter().any(|hint| is_hint(hint));
        (!typed.is_empty() && !hinted).then_some(typed)
    }
}

/// Style of the next character.
#[derive(Debug, Default)]
struct Style {
    faint: bool,
    inverse: bool,
    grey: bool,
}

impl Style {
    /// Returns the text of a line, and its bright part.
    fn split(&mut self, line: &str) -> (String, String) {
        let (mut plain, mut bright) = (String::new(), String::new());
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match c {
                '\u{1b}' => self.escape(&mut chars),
                c if c.is_control() => {}
                c => {
                    plain.push(c);
                    bright.push(if self.faint || self.inverse || self.grey { ' ' } else { c });
                }
            }
        }
        (plain, bright)
    }

    /// Consumes one escape sequence; only colour sequences have an effect here.
    fn escape(&mut self, chars: &mut std::str::Chars<'_>) {
        match chars.next() {
            Some('[') => {
                let sequence: String = take_until(chars, |c| ('@'..='~').contains(&c));
                if let Some(parameters) = sequence.strip_suffix('m') {
                    self.select(parameters);
                }
            }
            // A link or a title: up to BEL or the backslash of its terminator.
            Some(']') => {
                take_until(chars, |c| c == '\u{7}' || c == '\\');
            }
            _ => {}
        }
    }

    fn select(&mut self, parameters: &str) {
        let mut numbers = parameters.split([';', ':']).map(|number| number.parse::<u16>().unwrap_or(0));
        while let Some(number) = numbers.next() {
            match number {
                0 => *self = Self::default(),
                2 => self.faint = true,
                22 => self.faint = false,
                7 => self.inverse = true,
                27 => self.inverse = false,
                90 => self.grey = true,
                30..=37 | 39 | 91..=97 => self.grey = false,
                38 => self.grey = is_grey(&mut numbers),
                48 | 58 => {
                    is_grey(&mut numbers);
                }
                _ => {}
            }
        }
    }
}

/// True if a colour, given by its number or by its parts, is grey. Near black and near white are text colours; the
/// range between them is grey.
fn is_grey(numbers: &mut impl Iterator<Item = u16>) -> bool {
    match numbers.next() {
        Some(5) => matches!(numbers.next(), Some(8 | 238..=250)),
        Some(2) => {
            let parts: Vec<u16> = numbers.take(3).collect();
            let (least, most) = (parts.iter().min().copied(), parts.iter().max().copied());
            least.zip(most).is_some_and(|(least, most)| most - least <= 16 && (0x48..=0xc0).contains(&most))
        }
        _ => false,
    }
}

fn take_until(chars: &mut std::str::Chars<'_>, ends: impl Fn(char) -> bool) -> String {
    let mut taken = String::new();
    for c in chars {
        taken.push(c);
        if ends(c) {
            break;
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use config::Routing;
    use process::Surroundings;

    use super::*;
    use crate::by_name;

    /// Reads the lowest lines of real agents' screens, captured with their colours.
    fn unsent(harness: &str, captured: &str) -> Option<String> {
        let adapter = by_name(harness, &Routing::default(), &Surroundings::of_process()).expect("built in");
        Styled::read("", captured).unsent(adapter.as_ref())
    }

    fn claude(boxed: &str) -> Option<String> {
        let rule = "─".repeat(40);
        unsent(
            "claude",
            &format!(
                "● hi\n\x1b[38;5;244m{rule}\n\x1b[39m{boxed}\n\x1b[0m\x1b[38;5;244m{rule}\n\x1b[39m  auto mode on"
            ),
        )
    }

    #[test]
    fn a_draft_in_the_box_of_claude_is_told_from_its_own_hints() {
        assert_eq!(claude("❯\u{a0}\x1b[7m "), None);
        assert_eq!(claude("❯\u{a0}half a draft\x1b[7m "), Some("half a draft".to_owned()));
        assert_eq!(claude("\x1b[38;5;246m❯\u{a0}\x1b[7m\x1b[39mP\x1b[0;2mress up to edit queued messages"), None);
        assert_eq!(claude("❯\u{a0}[Pasted text #1 +59 lines]"), Some("[Pasted text #1 +59 lines]".to_owned()));
        assert_eq!(claude("❯\u{a0}one\n  two\x1b[7m "), Some("one\ntwo".to_owned()));
        assert_eq!(claude("!\u{a0}\x1b[7m "), Some("!".to_owned()), "Enter would run what is pasted behind it");
    }

    #[test]
    fn a_draft_in_the_box_of_codex_is_told_from_its_own_hints() {
        let boxed = |text: &str| {
            format!(
                "• hi\n\n\x1b[1m›\x1b[0m\x1b[39m {text}\n\n  \x1b[38;5;223mgpt default\x1b[39m · /work\n  ← for agents · ? for shortcuts"
            )
        };
        assert_eq!(unsent("codex", &boxed("\x1b[2mAsk Codex to do anything\x1b[0m")), None);
        assert_eq!(unsent("codex", &boxed("half a draft")), Some("half a draft".to_owned()));
        assert_eq!(unsent("codex", &boxed("Ask Codex to do anything")), None, "a terminal without colours");
    }

    #[test]
    fn a_draft_in_the_box_of_gemini_is_told_from_its_own_hints() {
        let rule = "▀".repeat(40);
        let boxed = |text: &str| format!("hi\n{rule}\n \x1b[38;5;183m> {text}\n\n workspace (/directory)");
        let hint = "\x1b[7m\x1b[39m \x1b[0m\x1b[38;5;248m\x1b[48;5;240m Type your message or @path/to/file\x1b[39m";
        assert_eq!(unsent("gemini", &boxed(hint)), None);
        assert_eq!(unsent("gemini", &boxed("\x1b[39mhalf a draft\x1b[7m ")), Some("half a draft".to_owned()));
    }

    #[test]
    fn a_draft_in_the_box_of_opencode_is_told_from_its_own_hints() {
        let edge = "    \x1b[38;5;75m┃\x1b[38;5;15m\x1b[48;5;234m  ";
        let boxed = |text: &str| {
            format!(
                "{edge}\n{edge}{text}\n{edge}\n{edge}\x1b[38;5;75mBuild\x1b[38;5;15m \x1b[38;5;8m·\x1b[38;5;15m \x1b[38;5;255mStub 1\n    \x1b[38;5;75m╹\x1b[38;5;234m▀▀▀▀▀▀▀▀\n"
            )
        };
        assert_eq!(unsent("opencode", &boxed("\x1b[38;5;8mAsk anything… \"Fix a TODO\"\x1b[38;5;15m")), None);
        assert_eq!(unsent("opencode", &boxed("\x1b[38;5;255mhalf a draft")), Some("half a draft".to_owned()));
    }

    #[test]
    fn a_draft_in_the_box_of_the_demo_is_seen() {
        let rule = "─".repeat(40);
        let boxed = |text: &str| unsent("demo", &format!("the-loop demo\n{rule}\n{text}\n{rule}\nenter sends"));
        assert_eq!(boxed("> "), None);
        assert_eq!(boxed("> half a thought"), Some("half a thought".to_owned()));
    }

    #[test]
    fn nothing_is_unsent_where_no_box_is_seen() {
        assert_eq!(unsent("claude", "loading"), None);
        assert_eq!(unsent("cursor", "anything"), None);
    }
}
