//! Tables with columns aligned by their width on a terminal, not by bytes, and fitted to the terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use clap::builder::styling::Style;

use super::output::paint;

/// Minimum width of the last column, before other columns are omitted.
const LEAST: usize = 28;

/// Width of the last column where the terminal's width is unknown.
const USUAL: usize = 60;

/// Cell: its text and its style.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(super) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, Style::new())
    }
}

/// Formats the rows within a terminal's width, titles first. Columns are omitted by title, in this order, until the
/// line fits; then the last column is shortened. Without a terminal all columns stay.
pub(super) fn fitted(mut rows: Vec<Vec<Cell>>, gives_way: &[&str], terminal: Option<usize>) -> String {
    let last = |rows: &[Vec<Cell>]| rows.first().map_or(0, |titles| titles.len().saturating_sub(1));
    let before_last = |rows: &[Vec<Cell>]| widths(rows).iter().take(last(rows)).map(|width| width + 2).sum::<usize>();
    if let Some(terminal) = terminal {
        let wanted = widths(&rows).last().copied().unwrap_or_default().min(LEAST);
        for title in gives_way {
            let Some(column) = rows.first().and_then(|titles| titles.iter().position(|cell| cell.text == *title))
            else {
                continue;
            };
            if before_last(&rows) + wanted <= terminal {
                break;
            }
            for row in &mut rows {
                row.remove(column);
            }
        }
    }
    let room = terminal.map_or(USUAL, |terminal| terminal.saturating_sub(before_last(&rows)).max(LEAST));
    for cell in rows.iter_mut().skip(1).filter_map(|row| row.last_mut()) {
        cell.text = shortened(&cell.text, room);
    }
    aligned(&rows)
}

/// Shortens the text to a number of columns.
fn shortened(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut used = 0;
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or_default();
            used < room
        })
        .collect();
    format!("{}…", kept.trim_end())
}

fn widths<R: AsRef<[Cell]>>(rows: &[R]) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        for (index, cell) in row.as_ref().iter().enumerate() {
            let width = cell.text.width();
            match widths.get_mut(index) {
                Some(widest) => *widest = width.max(*widest),
                None => widths.push(width),
            }
        }
    }
    widths
}

/// Formats the rows as lines, with two spaces between columns and none at the end of a line.
pub(super) fn aligned<R: AsRef<[Cell]>>(rows: &[R]) -> String {
    let widths = widths(rows);
    let mut lines = String::new();
    for row in rows {
        let row = row.as_ref();
        let shown = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
        for (index, (cell, width)) in row.iter().zip(&widths).take(shown).enumerate() {
            lines.push_str(&paint(cell.style, &cell.text));
            if index + 1 < shown {
                lines.push_str(&" ".repeat(width - cell.text.width() + 2));
            }
        }
        lines.push('\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        let rows: [[Cell; 2]; 3] =
            [["名前".into(), "b".into()], ["abcdef".into(), "c".into()], ["x".into(), "".into()]];
        let plain = anstream::adapter::strip_str(&aligned(&rows)).to_string();
        assert_eq!(plain, "名前    b\nabcdef  c\nx\n");
    }

    fn fitted_to(terminal: Option<usize>) -> String {
        let row = |cells: [&str; 4]| cells.map(Cell::from).to_vec();
        let rows = vec![
            row(["Name", "Tmux", "Since", "Prompt"]),
            row(["ops", "loop-standing-ops", "9 h ago", "Do you want to proceed? (1 Yes, 2 No, 3 Tell it what to do)"]),
            row(["b", "loop-standing-b", "", ""]),
        ];
        anstream::adapter::strip_str(&fitted(rows, &["Tmux", "Name"], terminal)).to_string()
    }

    #[test]
    fn columns_give_way_to_the_last_one_and_it_is_shortened() {
        let piped = fitted_to(None);
        assert!(piped.contains("loop-standing-ops") && piped.contains("3 Tell it what to do)"), "{piped}");
        let wide = fitted_to(Some(70));
        assert!(wide.contains("loop-standing-ops") && wide.contains("Do you want to proceed? (1 Yes"), "{wide}");
        assert!(wide.lines().all(|line| line.width() <= 70), "{wide}");
        let narrow = fitted_to(Some(48));
        assert!(narrow.contains("ops   9 h ago  Do you want to proceed? (1 Yes,…"), "{narrow}");
        assert!(!narrow.contains("Tmux") && narrow.lines().all(|line| line.width() <= 48), "{narrow}");
    }
}
