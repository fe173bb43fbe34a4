//! Lines with colour sequences as HTML: flat spans with classes, since the page's policy forbids style attributes.
//!
//! The classes are those of `style/session.css`: a letter for each of eight foregrounds, `k` and a letter for each
//! background, and a letter for each attribute.

mod colour;

use std::{fmt::Write as _, iter::Peekable, str::Chars};

use colour::{Colour, Tint};

/// Maximum length of a line's HTML in bytes.
const LONGEST: usize = 64 * 1024;

/// Style of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Style {
    foreground: Option<Colour>,
    background: Option<Tint>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    strike: bool,
    reverse: bool,
    hidden: bool,
}

/// Returns a line as HTML. Text is escaped, unknown escape sequences are left out, and the length is bounded.
pub(crate) fn html(line: &str) -> String {
    let mut html = String::with_capacity(line.len() + 32);
    let (mut style, mut open) = (Style::default(), Style::default());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            if let Some(parameters) = escape(&mut chars) {
                style.select(&parameters);
            }
            continue;
        }
        if c.is_control() {
            continue;
        }
        if html.len() >= LONGEST {
            break;
        }
        if style != open {
            close(&mut html, open);
            begin(&mut html, style);
            open = style;
        }
        match c {
            _ if style.hidden => html.push(' '),
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            c => html.push(c),
        }
    }
    close(&mut html, open);
    html
}

/// Returns a line as plain text, without escape sequences and control characters.
pub(crate) fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
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

fn begin(html: &mut String, style: Style) {
    let classes = style.classes();
    if !classes.is_empty() {
        // Writing to a string never fails.
        let _ = write!(html, "<span class=\"{classes}\">");
    }
}

fn close(html: &mut String, style: Style) {
    if !style.classes().is_empty() {
        html.push_str("</span>");
    }
}

impl Style {
    /// Returns the classes of the style; empty for the default one.
    fn classes(self) -> String {
        let foreground = match self.foreground {
            // Black on a background is meant to be read, and so it is on a dark one.
            Some(Colour::Black) if self.background.is_some() => None,
            Some(colour) => Some(colour.class()),
            None if self.dim => Some(Colour::Dim.class()),
            None => None,
        };
        let attributes = [
            (self.dim && self.foreground.is_some_and(|colour| !matches!(colour, Colour::Dim | Colour::Black)), "h"),
            (self.bold, "b"),
            (self.italic, "i"),
            (self.underline, "l"),
            (self.strike, "s"),
            (self.reverse, "x"),
        ];
        let attributes = attributes.into_iter().filter(|(is_set, _)| *is_set).map(|(_, class)| class);
        let colours = foreground.into_iter().chain(self.background.map(Tint::class));
        colours.chain(attributes).collect::<Vec<_>>().join(" ")
    }

    /// Applies the parameters of a colour sequence.
    fn select(&mut self, parameters: &str) {
        let mut parts = parameters.split(';');
        while let Some(part) = parts.next() {
            let (number, rest) = part.split_once(':').unwrap_or((part, ""));
            match number.parse().unwrap_or(0_u16) {
                0 => *self = Self::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                4 => self.underline = rest != "0",
                21 => self.underline = true,
                7 => self.reverse = true,
                8 => self.hidden = true,
                9 => self.strike = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underline = false,
                27 => self.reverse = false,
                28 => self.hidden = false,
                29 => self.strike = false,
                number @ (30..=37 | 90..=97) => self.foreground = Some(Colour::of_sixteen(number)),
                number @ (40..=47 | 100..=107) => self.background = Tint::of_sixteen(number - 10),
                39 => self.foreground = None,
                49 => self.background = None,
                38 => {
                    let rgb = colour::rgb(rest, &mut parts);
                    self.foreground = rgb.map_or(self.foreground, |rgb| Some(Colour::nearest(rgb)));
                }
                48 => {
                    let rgb = colour::rgb(rest, &mut parts);
                    self.background = rgb.map_or(self.background, Tint::nearest);
                }
                58 => drop(colour::rgb(rest, &mut parts)),
                _ => {}
            }
        }
    }
}

/// Consumes an escape sequence; returns the parameters if it selects colours. Text of a link stays, its target does
/// not.
fn escape(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    match chars.next()? {
        '[' => {
            let mut parameters = String::new();
            loop {
                match chars.next()? {
                    'm' => break Some(parameters).filter(|text| text.chars().all(|c| ";:0123456789".contains(c))),
                    '@'..='~' => break None,
                    c => parameters.push(c),
                }
            }
        }
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
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_attributes_are_classes() {
        for (line, wanted) in [
            ("plain", "plain"),
            ("\u{1b}[0;31mred\u{1b}[0m end", "<span class=\"r\">red</span> end"),
            ("\u{1b}[1;3;4;9;92mall", "<span class=\"g b i l s\">all</span>"),
            ("\u{1b}[2mfaint", "<span class=\"d\">faint</span>"),
            ("\u{1b}[2;36mfaint", "<span class=\"c h\">faint</span>"),
            ("\u{1b}[7mturned", "<span class=\"x\">turned</span>"),
            ("\u{1b}[38;5;208morange", "<span class=\"y\">orange</span>"),
            ("\u{1b}[38;2;215;119;87mtrue", "<span class=\"y\">true</span>"),
            ("\u{1b}[38:2::255:107:128mcolons", "<span class=\"r\">colons</span>"),
            ("\u{1b}[48;5;22m+ added", "<span class=\"kg\">+ added</span>"),
            ("\u{1b}[48;2;61;1;0m- removed", "<span class=\"kr\">- removed</span>"),
            ("\u{1b}[30;42mok", "<span class=\"kg\">ok</span>"),
            ("\u{1b}[40mblack", "black"),
            ("\u{1b}[4:0mno line", "no line"),
        ] {
            assert_eq!(html(line), wanted, "{line:?}");
        }
    }

    #[test]
    fn an_equal_style_continues_its_span() {
        assert_eq!(html("\u{1b}[31ma\u{1b}[0;31mb\u{1b}[38;5;9mc"), "<span class=\"r\">abc</span>");
    }

    #[test]
    fn text_is_escaped_and_what_is_not_text_is_left_out() {
        assert_eq!(html("<b> & \u{1b}[2Jx\u{7}\u{1b}]0;title\u{7}"), "&lt;b&gt; &amp; x");
        let link = "\u{1b}]8;;javascript:alert(1)\u{1b}\\click\u{1b}]8;;\u{1b}\\ end";
        assert_eq!(html(link), "click end");
        assert_eq!(html("\u{1b}[31\">m<x"), "&lt;x");
        assert_eq!(html("\u{1b}[8mpass\u{1b}[28m!"), "    !");
    }

    #[test]
    fn wide_and_combining_characters_stay_whole() {
        let text = "日本語 e\u{301} 👩‍💻 ─┐";
        assert_eq!(html(text), text);
        assert_eq!(html(&format!("\u{1b}[31m{text}")), format!("<span class=\"r\">{text}</span>"));
    }

    #[test]
    fn a_hostile_line_is_bounded_and_its_spans_are_closed() {
        let colours = (0..20_000).map(|at| format!("\u{1b}[{}m<", 31 + at % 6)).collect::<Vec<_>>().concat();
        for line in [colours, "&".repeat(100_000), "\u{1b}".repeat(70_000), "\u{1b}[".repeat(40_000)] {
            let html = html(&line);
            assert!(html.len() <= LONGEST + 64, "{}", html.len());
            assert_eq!(html.matches("<span").count(), html.matches("</span>").count());
        }
        for bytes in [&b"\xff\xfe\x1b[3"[..], b"\x1b]8;;", b"\x1bP\x1b\\", b"\x1b[38;5m", b"\x1b[38;2;1m", b"\x1b[;;m"]
        {
            assert!(!html(&String::from_utf8_lossy(bytes)).contains('\u{1b}'));
        }
    }
}
