//! Live half of a pane: what changed, as HTML by line number.

use std::{collections::BTreeMap, sync::Arc};

use ::engine::PaneSubscription;
use ::standing::PaneView;
use serde::Serialize;

use crate::{context::AppContext, live::Event, session::ansi};

/// Change of a pane, as its page receives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct PaneChange {
    name: String,
    cols: u16,
    rows: u16,
    /// Number of the first line of the screen.
    first: usize,
    /// Number after the last line.
    end: usize,
    alive: bool,
    /// True if the numbers of earlier lines have lost their meaning.
    reset: bool,
    /// HTML of the changed lines, by number.
    lines: BTreeMap<usize, String>,
}

/// Subscription of one page to one pane.
#[derive(Debug)]
pub struct PaneFeed {
    name: String,
    subscription: PaneSubscription,
    known: Arc<PaneView>,
}

impl PaneFeed {
    /// Subscribes. `None` if the pane of this name is not shown.
    pub async fn new(context: &AppContext, name: &str) -> Option<Self> {
        let subscription = context.engine().watch_pane(name).await.ok()?;
        let known = subscription.view();
        Some(Self { name: name.to_owned(), subscription, known })
    }

    /// Returns the whole screen as it is now; `None` if the session has had no pane yet.
    pub fn whole(&mut self) -> Option<Event> {
        self.known = self.subscription.view();
        (self.known.version > 0).then(|| event(&difference(&self.name, &PaneView::default(), &self.known)))
    }

    /// Waits for the next change and returns it; waits forever once the service is shutting down. The caller may stop
    /// waiting at any time.
    pub async fn changed(&mut self) -> Event {
        let view = loop {
            let Some(view) = self.subscription.changed().await else { return std::future::pending().await };
            if view.version != self.known.version {
                break view;
            }
        };
        let change = difference(&self.name, &self.known, &view);
        self.known = view;
        event(&change)
    }
}

fn event(change: &PaneChange) -> Event {
    Event { name: "pane", data: serde_json::to_string(change).unwrap_or_default(), version: None }
}

/// Returns the difference of two views.
fn difference(name: &str, before: &PaneView, now: &PaneView) -> PaneChange {
    let known = before.version > 0;
    let reset =
        known && (before.cols != now.cols || now.first < before.first || before.first + before.lines.len() < now.first);
    let lines = (now.first..).zip(&now.lines).filter(|(number, line)| {
        let old = number.checked_sub(before.first).and_then(|at| before.lines.get(at));
        reset || !known || old != Some(line)
    });
    PaneChange {
        name: name.to_owned(),
        cols: now.cols,
        rows: now.rows,
        first: now.first,
        end: now.first + now.lines.len(),
        alive: now.alive,
        reset,
        lines: lines.map(|(number, line)| (number, ansi::html(line))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(version: u64, first: usize, lines: &[&str]) -> PaneView {
        let lines = lines.iter().map(|&line| line.into()).collect();
        PaneView { version, cols: 80, rows: 24, first, lines, alive: true, ..PaneView::default() }
    }

    fn numbers(event: &PaneChange) -> Vec<usize> {
        event.lines.keys().copied().collect()
    }

    #[test]
    fn only_changed_lines_travel() {
        let first = view(1, 5, &["a", "b", "c"]);
        let whole = difference("x", &PaneView::default(), &first);
        assert_eq!((numbers(&whole), whole.first, whole.end, whole.reset), (vec![5, 6, 7], 5, 8, false));
        let typed = difference("x", &first, &view(2, 5, &["a", "B", "c"]));
        assert_eq!(numbers(&typed), [6]);
        let scrolled = difference("x", &first, &view(2, 6, &["b", "c", "d"]));
        assert_eq!((numbers(&scrolled), scrolled.first, scrolled.end), (vec![8], 6, 9));
        let shorter = difference("x", &first, &view(2, 5, &["a"]));
        assert_eq!((numbers(&shorter), shorter.end), (vec![], 6));
    }

    #[test]
    fn numbers_that_lost_their_meaning_are_told() {
        let first = view(1, 5, &["a", "b", "c"]);
        for later in
            [view(2, 2, &["a", "b"]), view(2, 50, &["x"]), PaneView { cols: 90, ..view(2, 5, &["a", "b", "c"]) }]
        {
            let change = difference("x", &first, &later);
            assert!(change.reset, "{later:?}");
            assert_eq!(change.lines.len(), later.lines.len());
        }
    }
}
