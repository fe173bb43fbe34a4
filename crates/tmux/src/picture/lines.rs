//! Splits a capture with colours into lines that stand alone.
//!
//! tmux prints a colour only where it changes, also from one line to the next. Here each line begins with the colours
//! of its first character, so that a line can be compared, stored and shown without the lines above it.

use std::{iter::Peekable, str::Chars};

/// Maximum length of a line in bytes.
const LONGEST: usize = 64 * 1024;

/// Maximum length of the parameters of an escape sequence.
const PARAMETERS: usize = 128;

/// Maximum number of attributes of a character. tmux has fewer.
const ATTRIBUTES: usize = 16;

/// Colours and attributes of the next character, as the parameters that select them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Style {
    attributes: Vec<String>,
    foreground: String,
    background: String,
    /// True while characters are those of the line drawing set.
    drawing: bool,
}

/// Returns the lines of a capture. Escape sequences other than colours are removed, and characters of the line drawing
/// set are replaced by Unicode's.
pub(super) fn split(captured: &str) -> Vec<String> {
    let mut style = Style::default();
    captured.lines().map(|line| style.alone(line)).collect()
}

/// Returns the text of a line without colours.
pub(super) fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            escape(&mut chars);
        } else if !c.is_control() {
            text.push(c);
        }
    }
    text
}

impl Style {
    /// Returns one line with the colours of its first character, and keeps those after its last one.
    fn alone(&mut self, line: &str) -> String {
        let mut alone = String::with_capacity(line.len() + 16);
        // Length without spaces at the end that cannot be seen.
        let mut seen = 0;
        // Style of the text so far, to print a change only before a character.
        let mut printed = Self::default();
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\u{1b}' => {
                    if let Some(parameters) = escape(&mut chars) {
                        self.select(&parameters);
                    }
                }
                '\u{e}' => self.drawing = true,
                '\u{f}' => self.drawing = false,
                c if c.is_control() => {}
                c if alone.len() < LONGEST => {
                    if !self.looks_like(&printed) {
                        alone.push_str(&self.sequence());
                        printed.clone_from(self);
                    }
                    alone.push(if self.drawing { drawn(c) } else { c });
                    if c != ' ' || self.is_visible() {
                        seen = alone.len();
                    }
                }
                _ => {}
            }
        }
        alone.truncate(seen);
        alone
    }

    /// Applies the parameters of a colour sequence.
    fn select(&mut self, parameters: &str) {
        let mut parts = parameters.split(';');
        while let Some(part) = parts.next() {
            match part.split(':').next().unwrap_or_default() {
                "" | "0" => *self = Self { drawing: self.drawing, ..Self::default() },
                "38" => self.foreground = colour(part, &mut parts),
                "48" => self.background = colour(part, &mut parts),
                // The colour of an underline is not shown.
                "58" => drop(colour(part, &mut parts)),
                "39" => self.foreground.clear(),
                "49" => self.background.clear(),
                "59" => {}
                number => match number.parse() {
                    Ok(30..=37_u16 | 90..=97) => part.clone_into(&mut self.foreground),
                    Ok(40..=47 | 100..=107) => part.clone_into(&mut self.background),
                    Ok(1..=9 | 21) if self.takes(part) => self.attributes.push(part.to_owned()),
                    _ => {}
                },
            }
        }
    }

    /// True if the attribute is new.
    fn takes(&self, attribute: &str) -> bool {
        self.attributes.len() < ATTRIBUTES && !self.attributes.iter().any(|known| known == attribute)
    }

    /// Returns the sequence that selects the style from any other one.
    fn sequence(&self) -> String {
        let colours = [&self.foreground, &self.background].into_iter().filter(|colour| !colour.is_empty());
        let parameters: Vec<&str> = self.attributes.iter().chain(colours).map(String::as_str).collect();
        let separator = if parameters.is_empty() { "" } else { ";" };
        format!("\u{1b}[0{separator}{}m", parameters.join(";"))
    }

    fn looks_like(&self, other: &Self) -> bool {
        (&self.attributes, &self.foreground, &self.background)
            == (&other.attributes, &other.foreground, &other.background)
    }

    /// True if a space in this style can be seen.
    fn is_visible(&self) -> bool {
        !self.background.is_empty() || self.attributes.iter().any(|attribute| attribute != "1" && attribute != "2")
    }
}

/// Returns the parameters of a colour, given as one part with colons or as several parts; empty if it is incomplete.
fn colour<'a>(part: &'a str, parts: &mut impl Iterator<Item = &'a str>) -> String {
    if part.contains(':') {
        return part.to_owned();
    }
    let kind = parts.next().unwrap_or_default();
    let wanted = match kind {
        "5" => 1,
        "2" => 3,
        _ => return String::new(),
    };
    let mut colour = vec![part, kind];
    colour.extend(parts.take(wanted));
    if colour.len() == wanted + 2 { colour.join(";") } else { String::new() }
}

/// Consumes an escape sequence; returns the parameters if it selects colours.
fn escape(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    match chars.next()? {
        '[' => {
            let mut parameters = String::new();
            loop {
                match chars.next()? {
                    'm' => break Some(parameters).filter(|text| text.chars().all(|c| ";:0123456789".contains(c))),
                    '@'..='~' => break None,
                    c if parameters.len() < PARAMETERS => parameters.push(c),
                    _ => {}
                }
            }
        }
        // A link or a title: up to BEL or ST.
        ']' | 'P' | 'X' | '^' | '_' => loop {
            match chars.next()? {
                '\u{7}' => break None,
                '\u{1b}' => {
                    chars.next_if_eq(&'\\');
                    break None;
                }
                _ => {}
            }
        },
        // A character set has one more character.
        '(' | ')' | '*' | '+' => {
            chars.next();
            None
        }
        _ => None,
    }
}

/// Returns the character that a letter of the line drawing set draws.
fn drawn(c: char) -> char {
    const FROM: &str = "`afgijklmnopqrstuvwxyz{|}~";
    const TO: &str = "◆▒°±␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";
    FROM.chars().zip(TO.chars()).find(|(from, _)| *from == c).map_or(c, |(_, to)| to)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_line_begins_with_its_own_colours() {
        let captured = "\u{1b}[1m\u{1b}[31mred\nstill\u{1b}[0m\u{1b}[39m\u{1b}[49m \u{1b}[48;5;22mgreen   \nplain\n\n";
        let lines = split(captured);
        let green = "\u{1b}[0;1;31mstill\u{1b}[0m \u{1b}[0;48;5;22mgreen   ";
        assert_eq!(lines, ["\u{1b}[0;1;31mred", green, "\u{1b}[0;48;5;22mplain", ""]);
        assert_eq!(plain(&lines[1]), "still green   ");
    }

    #[test]
    fn what_cannot_be_seen_is_left_out() {
        assert_eq!(split("a  \u{1b}[32m  \n"), ["a"]);
        assert_eq!(split("\u{1b}]8;;https://x\u{1b}\\link\u{1b}]8;;\u{7} b\u{1b}[2Jc\n"), ["link bc"]);
        assert_eq!(split("\u{1b}[4:3m\u{1b}[58;5;1mcurl\n"), ["\u{1b}[0;4:3mcurl"]);
    }

    #[test]
    fn line_drawing_is_unicode() {
        assert_eq!(split("\u{e}lqk\u{f} lqk\n\u{e}x\nx\u{f}\n"), ["┌─┐ lqk", "│", "│"]);
    }

    #[test]
    fn wide_and_combining_characters_stay() {
        assert_eq!(split("日本 e\u{301} \u{1b}[1m👩‍💻\n"), ["日本 e\u{301} \u{1b}[0;1m👩‍💻"]);
    }

    #[test]
    fn a_line_is_bounded() {
        let line = "\u{1b}[31mä".repeat(LONGEST);
        assert!(split(&line)[0].len() <= LONGEST + 32);
    }

    proptest! {
        /// A line shows the same text with or without the lines above it, and contains only colour sequences.
        #[test]
        fn any_capture_is_read(text in "[\u{1b}\u{e}\u{f}\u{7}\\[\\];:0-9mPa-c ü\n]{0,120}") {
            for line in split(&text) {
                let mut style = Style::default();
                prop_assert_eq!(style.alone(&line), line.clone());
                let left = plain(&line);
                prop_assert!(!left.contains('\u{1b}'), "{:?}", left);
            }
        }
    }
}
