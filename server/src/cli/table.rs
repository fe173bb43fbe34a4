//! Columns aligned by what a terminal shows, not by bytes.

use unicode_width::UnicodeWidthStr as _;

use clap::builder::styling::Style;

use super::output::paint;

/// A cell: its text and how it looks.
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

/// The rows as lines, two spaces between columns, none at the end of a line.
pub(super) fn aligned<const N: usize>(rows: &[[Cell; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.text.width().max(*width);
        }
    }
    let mut lines = String::new();
    for row in rows {
        let shown = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
        for (index, (cell, width)) in row.iter().zip(widths).take(shown).enumerate() {
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
        let rows = [["名前".into(), "b".into()], ["abcdef".into(), "c".into()], ["x".into(), "".into()]];
        let plain = anstream::adapter::strip_str(&aligned(&rows)).to_string();
        assert_eq!(plain, "名前    b\nabcdef  c\nx\n");
    }
}
