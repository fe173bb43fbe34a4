//! pane: the screen and the history of a session's pane, with colours. Nothing is typed into the pane, and its size
//! does not change.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tmux::{Pane, Picture};
use wire::SessionName;

use super::Context;
use crate::{Error, registry::Entry, state::Condition};

/// Number of lines in a page of the history.
pub const SCROLLBACK: usize = 500;

/// Version of the last view. Views of all panes share it, so a version is never used again.
static VERSION: AtomicU64 = AtomicU64::new(0);

/// View of a session's pane.
///
/// Lines are numbered from the oldest one that tmux keeps, and a line that scrolls up keeps its number. The numbers
/// begin again at a lower `first` when tmux drops the oldest lines, the history is cleared, or the width changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaneView {
    /// Increases with each change, across all panes of this process. 0 for a session without a pane so far.
    pub version: u64,
    /// Width in columns.
    pub cols: u16,
    /// Height in lines.
    pub rows: u16,
    /// Number of the first line, which is also the number of lines above it.
    pub first: usize,
    /// Lines of the screen without blank lines at its end, with colour escape sequences. Each line begins in the
    /// default colours, and contains no other escape sequence.
    pub lines: Vec<Arc<str>>,
    /// True while the program uses the alternate screen, which has no history.
    pub alternate: bool,
    /// True while a program runs in the pane. The last screen of a closed pane is kept.
    pub alive: bool,
}

/// Page of a pane's history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scrollback {
    /// Number of the first line; 0 if no lines are above it.
    pub first: usize,
    /// Lines, as in [`PaneView`].
    pub lines: Vec<Arc<str>>,
}

impl PaneView {
    /// Returns the view of a picture; `None` if it is the same as the last one. Unchanged lines are shared.
    pub(crate) fn after(last: &Self, picture: Picture) -> Option<Self> {
        let Picture { facts, first, lines } = picture;
        let shared = |(at, line): (usize, String)| {
            let known = (first + at).checked_sub(last.first).and_then(|at| last.lines.get(at));
            known.filter(|known| ***known == *line).map_or_else(|| line.into(), Arc::clone)
        };
        let view = Self {
            version: last.version,
            cols: facts.cols,
            rows: facts.rows,
            first,
            lines: lines.into_iter().enumerate().map(shared).collect(),
            alternate: facts.alternate,
            alive: !facts.dead,
        };
        (last.version == 0 || view != *last).then(|| view.with_new_version())
    }

    /// Returns the last view of a pane that is closed; `None` if that is known already.
    pub(crate) fn closed(&self) -> Option<Self> {
        self.alive.then(|| Self { alive: false, ..self.clone() }.with_new_version())
    }

    fn with_new_version(self) -> Self {
        Self { version: VERSION.fetch_add(1, Ordering::Relaxed) + 1, ..self }
    }
}

/// Returns the screen of a session's pane; `None` if it has no pane.
pub(crate) fn view(context: &Context, name: &SessionName) -> Result<Option<PaneView>, Error> {
    let Some(pane) = find(context, name)? else { return Ok(None) };
    let facts = context.tmux.facts(&[&pane]).into_result()?.pop().flatten();
    let Some(facts) = facts.filter(|facts| facts.is_of(&pane)) else { return Ok(None) };
    let picture = context.tmux.picture(&pane, &facts).into_result()?;
    Ok(picture.and_then(|picture| PaneView::after(&PaneView::default(), picture)))
}

/// Returns the lines of a session's history above the line with a number; `None` if it has no pane.
pub(crate) fn scrollback(context: &Context, name: &SessionName, before: usize) -> Result<Option<Scrollback>, Error> {
    let Some(pane) = find(context, name)? else { return Ok(None) };
    let picture = context.tmux.history(&pane, before, SCROLLBACK).into_result()?;
    let picture = picture.filter(|picture| picture.facts.is_of(&pane));
    let lines = |lines: Vec<String>| lines.into_iter().map(Arc::from).collect();
    Ok(picture.map(|Picture { first, lines: found, .. }| Scrollback { first, lines: lines(found) }))
}

/// Finds the pane that shows a session, alive or retained; `None` if there is none.
fn find(context: &Context, name: &SessionName) -> Result<Option<Pane>, Error> {
    let entry = context.registry.read(name);
    let panes = context.look();
    let condition = context.judge(name, &entry, panes.as_ref()).condition;
    match shown(context, &entry, condition) {
        Shown::Pane(pane) => Ok(Some(pane)),
        Shown::Foreign => Err(Error::NotShown { session: name.tmux_session(), socket: context.tmux.socket_name() }),
        Shown::Silent(silence) => Err(silence),
        Shown::Nothing => {
            if matches!(entry, Entry::Vacant) {
                context.resolve_vacant(name)?;
            }
            Ok(None)
        }
    }
}

/// Pane that shows a session, or the reason why there is none.
pub(crate) enum Shown {
    Pane(Pane),
    /// The tmux session of this name is not managed by the-loop.
    Foreign,
    /// tmux did not answer.
    Silent(Error),
    Nothing,
}

/// Returns the pane that shows a session in a condition.
pub(crate) fn shown(context: &Context, entry: &Entry, condition: Condition) -> Shown {
    match condition {
        Condition::Silent(silence) => Shown::Silent(silence.into()),
        Condition::Live(pane) | Condition::Unrecorded(pane) | Condition::Deserted { dead: Some(pane) } => {
            Shown::Pane(pane)
        }
        // Without a record, only its own marks say that a dead pane belongs to a session of the-loop.
        Condition::Dead(pane) if entry.record().is_some() || context.is_ours(&pane) => Shown::Pane(pane),
        Condition::Dead(_) | Condition::Foreign(_) | Condition::Replaced(_) => Shown::Foreign,
        Condition::Gone | Condition::Orphaned | Condition::Deserted { dead: None } => Shown::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use tmux::Facts;

    use super::*;

    fn picture(first: usize, lines: &[&str]) -> Picture {
        let lines = lines.iter().map(|&line| line.to_owned()).collect();
        Picture { facts: Facts { cols: 80, rows: 24, history: first, ..Facts::default() }, first, lines }
    }

    #[test]
    fn a_view_changes_only_with_its_picture_and_shares_lines_that_scroll() {
        let first = PaneView::after(&PaneView::default(), picture(0, &["a", "b", "c"])).expect("the first");
        assert_eq!(PaneView::after(&first, picture(0, &["a", "b", "c"])), None);
        let second = PaneView::after(&first, picture(1, &["b", "c", "d"])).expect("a change");
        assert!(second.version > first.version);
        assert!(Arc::ptr_eq(&second.lines[0], &first.lines[1]) && Arc::ptr_eq(&second.lines[1], &first.lines[2]));
        let closed = second.closed().expect("a change");
        assert!(!closed.alive && closed.version > second.version && closed.lines == second.lines);
        assert_eq!(closed.closed(), None);
    }

    #[test]
    fn an_empty_screen_is_a_view_as_well() {
        assert!(PaneView::after(&PaneView::default(), picture(0, &[])).is_some_and(|view| view.version > 0));
    }
}
