//! Screen: header, conversation, input box or dialog. It only converts a state to one string for the terminal.

use super::{
    terminal::Size,
    wrap::{cells, cut, wrap},
};

const PLAIN: &str = "";
const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const HINTS: &str = "enter sends · ctrl-j new line · esc interrupts · /exit leaves";
const DIALOG_HINTS: &str = "enter confirms · a digit chooses";

/// Contents of the screen.
pub(super) struct View<'a> {
    /// Header line.
    pub(super) header: String,
    /// Conversation, oldest first, already shortened for display.
    pub(super) talk: &'a [Said],
    /// Line below the conversation, for example that work is in progress.
    pub(super) status: Option<&'a str>,
    /// Bottom part.
    pub(super) bottom: Bottom<'a>,
}

/// Message of the conversation.
pub(super) struct Said {
    /// Mark before its first line.
    pub(super) mark: &'static str,
    /// Text of the message.
    pub(super) words: String,
}

/// Part that takes input.
pub(super) enum Bottom<'a> {
    /// Input box with its text.
    Entry(String),
    /// Open prompt.
    Dialog {
        /// Text of the prompt.
        question: &'a str,
        /// Possible answers.
        choices: &'a [&'static str],
        /// Answer that Enter selects, from 0.
        selected: usize,
    },
}

/// Returns the whole screen as terminal output.
pub(super) fn paint(view: &View<'_>, size: Size) -> String {
    let (bottom, cursor) = paint_bottom(&view.bottom, size);
    // In a very low window the box is most important.
    let bottom = &bottom[bottom.len().saturating_sub(size.rows)..];
    let room = size.rows - bottom.len();
    let mut rows = Vec::with_capacity(size.rows);
    rows.extend([Row::new(BOLD, cut(&view.header, size.columns)), rule(size)].into_iter().take(room));
    let room = room - rows.len();
    let talk = newest(view, room, size.columns);
    rows.extend(talk);
    rows.resize_with(size.rows - bottom.len(), || Row::new(PLAIN, String::new()));
    rows.extend_from_slice(bottom);

    let rows: Vec<_> = rows.iter().map(|row| format!("{}{}\x1b[0m\x1b[K", row.style, row.text)).collect();
    let cursor = cursor.map_or_else(String::new, |Cursor { from_bottom, column }| {
        format!("\x1b[{};{}H\x1b[?25h", size.rows.saturating_sub(from_bottom).max(1), column + 1)
    });
    format!("\x1b[?25l\x1b[H{}{cursor}", rows.join("\r\n"))
}

#[derive(Clone)]
struct Row {
    style: &'static str,
    text: String,
}

impl Row {
    fn new(style: &'static str, text: String) -> Self {
        Self { style, text }
    }
}

/// Position of the cursor: rows up from the last, columns from 0.
struct Cursor {
    from_bottom: usize,
    column: usize,
}

fn rule(size: Size) -> Row {
    Row::new(DIM, "─".repeat(size.columns))
}

fn paint_bottom(bottom: &Bottom<'_>, size: Size) -> (Vec<Row>, Option<Cursor>) {
    let mut rows = vec![rule(size)];
    let hints = |hints| Row::new(DIM, cut(hints, size.columns));
    match bottom {
        Bottom::Entry(text) => {
            // One column is left for the cursor.
            let lines = wrap(text, size.columns.saturating_sub(3));
            let shown = &lines[lines.len().saturating_sub((size.rows / 3).max(1))..];
            let column = 2 + shown.last().map_or(0, |line| cells(line));
            rows.extend(indented("> ", shown));
            rows.extend([rule(size), hints(HINTS)]);
            (rows, Some(Cursor { from_bottom: 2, column: column.min(size.columns.saturating_sub(1)) }))
        }
        Bottom::Dialog { question, choices, selected } => {
            rows.extend(wrap(question, size.columns).into_iter().map(|line| Row::new(BOLD, line)));
            rows.push(Row::new(PLAIN, String::new()));
            for (index, choice) in choices.iter().enumerate() {
                let mark = if index == *selected { "❯" } else { " " };
                rows.push(Row::new(PLAIN, cut(&format!("{mark} {}. {choice}", index + 1), size.columns)));
            }
            rows.extend([Row::new(PLAIN, String::new()), hints(DIALOG_HINTS)]);
            (rows, None)
        }
    }
}

/// Returns the last rows of the conversation, newest at the end.
fn newest(view: &View<'_>, room: usize, columns: usize) -> Vec<Row> {
    let mut upwards = Vec::new();
    if let Some(status) = view.status {
        upwards.push(Row::new(DIM, cut(status, columns)));
    }
    for said in view.talk.iter().rev() {
        if upwards.len() >= room {
            break;
        }
        let lines = wrap(&said.words, columns.saturating_sub(2));
        upwards.extend(indented(said.mark, &lines).into_iter().rev());
    }
    upwards.truncate(room);
    upwards.reverse();
    upwards
}

/// Puts a mark of two cells before the first line, and indents the others.
fn indented(mark: &'static str, lines: &[String]) -> Vec<Row> {
    let row =
        |(index, line): (usize, &String)| Row::new(PLAIN, format!("{}{line}", if index == 0 { mark } else { "  " }));
    lines.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(picture: &str) -> Vec<String> {
        let bare = |line: &str| {
            let mut text = String::new();
            let mut chars = line.chars();
            while let Some(char) = chars.next() {
                if char == '\x1b' {
                    chars.by_ref().skip(1).find(char::is_ascii_alphabetic);
                } else {
                    text.push(char);
                }
            }
            text
        };
        picture.split("\r\n").map(bare).collect()
    }

    fn view(talk: &[Said]) -> View<'_> {
        View { header: "header".into(), talk, status: None, bottom: Bottom::Entry("hello".into()) }
    }

    #[test]
    fn the_newest_line_stays_and_the_height_is_kept() {
        let talk: Vec<_> = (0..50).map(|turn| Said { mark: "› ", words: format!("turn {turn}\nmore") }).collect();
        for rows in 1..30 {
            let shown = lines(&paint(&view(&talk), Size { columns: 20, rows }));
            assert_eq!(shown.len(), rows);
            assert_eq!(shown.contains(&"  more".to_owned()), rows > 6, "{rows}: {shown:?}");
        }
        let shown = lines(&paint(&view(&talk), Size { columns: 20, rows: 9 }));
        assert_eq!(shown[0], "header");
        assert_eq!(shown[2..5], ["  more", "› turn 49", "  more"]);
        assert_eq!(shown[6], "> hello");
    }

    #[test]
    fn a_dialog_stands_in_place_of_the_box() {
        let bottom = Bottom::Dialog { question: "Trust this folder?", choices: &["No, exit", "Yes"], selected: 0 };
        let shown = lines(&paint(&View { bottom, ..view(&[]) }, Size { columns: 40, rows: 12 }));
        assert!(shown.contains(&"❯ 1. No, exit".to_owned()), "{shown:?}");
        assert!(!shown.iter().any(|line| line.starts_with("> ")), "{shown:?}");
    }
}
