//! Rendered rows, kept until their text changes: 500 rows take longer to render than to send.
//!
//! Rows that contain a form with a key are not kept, since two readers must never send the same key.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use wire::Row;

use crate::{page::Session, screens::state::has_prompt, when};

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
    /// Returns the row of a session as it was rendered before, or renders it.
    pub(crate) fn get_or_render(&self, session: &Session, render: impl FnOnce() -> String) -> Arc<str> {
        if session.open || has_prompt(&session.row) {
            return render().into();
        }
        let now = when::now();
        if let Some(kept) = self.lock().get(&session.row.name).filter(|kept| kept.is_of(session, now)) {
            return Arc::clone(&kept.html);
        }
        let html: Arc<str> = render().into();
        let mut rows = self.lock();
        if rows.len() >= MOST {
            rows.clear();
        }
        rows.insert(session.row.name.clone(), Kept::of(session, now, Arc::clone(&html)));
        html
    }

    /// Locks the rows. They stay consistent if a holder panics, since each change is one call.
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn of(session: &Session, now: u64, html: Arc<str>) -> Self {
        let Session { row, screen, stale, .. } = session;
        let times = [&row.since, &row.started_at].into_iter().filter_map(|time| when::seconds(time));
        let until = times.map(|then| now + when::lasts_until(now.saturating_sub(then))).min().unwrap_or(u64::MAX);
        Self { row: row.clone(), screen: screen.clone(), stale: *stale, until, html }
    }

    fn is_of(&self, session: &Session, now: u64) -> bool {
        let Session { row, screen, stale, .. } = session;
        let measured = |row: &Row| (row.cpu, row.memory.map(|bytes| bytes / 1_000_000));
        now < self.until
            && self.stale == *stale
            && self.row.is_like(row)
            && self.row.last_line == row.last_line
            && measured(&self.row) == measured(row)
            && (!self.stale || self.row.as_of == row.as_of)
            && self.screen == *screen
    }
}

#[cfg(test)]
mod tests {
    use wire::{Activity, Choice, State};

    use super::*;
    use crate::fixtures::session;

    #[test]
    fn a_row_is_rendered_again_only_if_its_text_changes() {
        let rows = Rows::default();
        let mut idle = session("ops", State::Running, Activity::Idle);
        let rendered = |session: &Session, text: &str| rows.get_or_render(session, || text.to_owned()).to_string();
        assert_eq!(rendered(&idle, "first"), "first");
        idle.row.as_of = "2026-11-30T08:00:00Z".to_owned();
        assert_eq!(rendered(&idle, "second"), "first");
        idle.row.last_line = "done".to_owned();
        assert_eq!(rendered(&idle, "third"), "third");
        idle.row.memory = Some(5_000_000);
        assert_eq!(rendered(&idle, "fourth"), "fourth");
        idle.open = true;
        assert_eq!(rendered(&idle, "fifth"), "fifth");
    }

    #[test]
    fn a_form_with_a_key_is_new_for_every_reader() {
        let rows = Rows::default();
        let mut asking = session("ops", State::Running, Activity::Waiting);
        asking.row.question = "Go on?".to_owned();
        asking.row.choices = vec![Choice { key: "1".to_owned(), text: "Yes".to_owned() }];
        assert_eq!(&*rows.get_or_render(&asking, || "first".to_owned()), "first");
        assert_eq!(&*rows.get_or_render(&asking, || "second".to_owned()), "second");
    }
}
