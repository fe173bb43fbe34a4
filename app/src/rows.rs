//! Rendered rows, kept until their text changes: 500 rows take longer to render than to send.
//!
//! Rows that contain a form with a key are not kept, since two readers must never send the same key.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use wire::Row;

use crate::when;

/// Number of rows that are kept. More than any list has; a bound for names that come and go.
const MOST: usize = 4096;

/// Rendered rows of one instance.
#[derive(Debug, Default)]
pub(crate) struct Rows(Mutex<HashMap<String, Kept>>);

#[derive(Debug)]
struct Kept {
    row: Row,
    screen: Option<String>,
    stale: bool,
    /// Time in seconds since 1970 at which one of its ages has another text.
    until: u64,
    html: Arc<str>,
}

impl Rows {
    /// Returns a row as it was rendered before, or renders it. `screen` is the text of its pane; `stale` is true for a last
    /// known row.
    pub(crate) fn get_or_render(
        &self,
        row: &Row,
        screen: Option<&str>,
        stale: bool,
        render: impl FnOnce() -> String,
    ) -> Arc<str> {
        let now = when::now();
        if let Some(kept) = self.lock().get(&row.name).filter(|kept| kept.is_of(row, screen, stale, now)) {
            return Arc::clone(&kept.html);
        }
        let html: Arc<str> = render().into();
        let mut rows = self.lock();
        if rows.len() >= MOST {
            rows.clear();
        }
        rows.insert(row.name.clone(), Kept::of(row, screen, stale, now, Arc::clone(&html)));
        html
    }

    /// Locks the rows. They stay consistent if a holder panics, since each change is one call.
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn of(row: &Row, screen: Option<&str>, stale: bool, now: u64, html: Arc<str>) -> Self {
        let times = [&row.since, &row.started_at].into_iter().filter_map(|time| when::seconds(time));
        let until = times.map(|then| now + when::lasts_until(now.saturating_sub(then))).min().unwrap_or(u64::MAX);
        Self { row: row.clone(), screen: screen.map(str::to_owned), stale, until, html }
    }

    fn is_of(&self, row: &Row, screen: Option<&str>, stale: bool, now: u64) -> bool {
        let measured = |row: &Row| (row.cpu, row.memory.map(|bytes| bytes / 1_000_000));
        now < self.until
            && self.stale == stale
            && self.row.is_like(row)
            && self.row.last_line == row.last_line
            && measured(&self.row) == measured(row)
            && (!self.stale || self.row.as_of == row.as_of)
            && self.screen.as_deref() == screen
    }
}

#[cfg(test)]
mod tests {
    use wire::State;

    use super::*;

    #[test]
    fn a_row_is_rendered_again_only_if_its_text_changes() {
        let rows = Rows::default();
        let mut row = Row { state: State::Running, ..Row::titled("ops") };
        let rendered = |row: &Row, text: &str| rows.get_or_render(row, None, false, || text.to_owned()).to_string();
        assert_eq!(rendered(&row, "first"), "first");
        row.as_of = "2026-11-30T08:00:00Z".to_owned();
        assert_eq!(rendered(&row, "second"), "first");
        row.last_line = "done".to_owned();
        assert_eq!(rendered(&row, "third"), "third");
        row.memory = Some(5_000_000);
        assert_eq!(rendered(&row, "fourth"), "fourth");
        assert_eq!(&*rows.get_or_render(&row, Some("a screen"), false, || "fifth".to_owned()), "fifth");
        assert_eq!(&*rows.get_or_render(&row, Some("a screen"), true, || "sixth".to_owned()), "sixth");
    }
}
