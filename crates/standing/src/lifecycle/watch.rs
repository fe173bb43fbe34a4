//! watch: repeated looks at every session, with no more calls to tmux than there are changes.
//!
//! A screen is captured only if its window had output since the last capture. tmux records the time of output in
//! seconds, so a screen that changed in the second of its capture is captured once more.

use std::{collections::HashMap, sync::Arc};

use tmux::Pane;
use wire::{Activity, Row, State};

use super::{
    Context,
    list::{Everything, Panorama, everything_by},
    obstacle::ends_soon,
    screen::{above_input, last_line, last_lines},
};
use crate::{Error, clock, process::Meter, state::Condition};

/// Number of lines of a dead pane that are kept: only its last output counts.
const LAST: usize = 20;

/// State kept between two looks.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    screens: HashMap<Place, Screen>,
    meter: Meter,
}

/// Identity of a pane among the panes of all servers.
type Place = (u32, String);

/// Captured screen.
#[derive(Clone, Debug)]
struct Screen {
    /// Time of the capture in seconds, and the time of the last output that tmux reported then.
    taken_at: u64,
    shown_at: u64,
    dead: bool,
    text: Arc<str>,
}

/// Result of a look.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) rows: Vec<Row>,
    /// The screen of each row; empty without a pane.
    pub(crate) screens: Vec<Arc<str>>,
    pub(crate) panes: Panorama,
    /// True if a change is possible that is not signalled. Then another look is due in a second.
    pub(crate) unsettled: bool,
}

/// Judges every session by a look at the panes, and reads the screens that changed.
pub(crate) fn watch(
    context: &Context,
    memory: &mut Memory,
    look: &(dyn Fn() -> Panorama + Sync),
) -> Result<Found, Error> {
    let (everything, panes) = everything_by(context, look, look)?;
    let Everything { entries, judged } = &everything;
    let shown: Vec<&Pane> = judged.iter().filter_map(|judged| judged.condition.shown()).collect();
    if panes.is_ok() {
        memory.capture(context, &shown);
    }
    let (mut rows, mut screens) = (Vec::with_capacity(judged.len()), Vec::with_capacity(judged.len()));
    for ((mut row, entry), judged) in everything.rows(context).into_iter().zip(entries.values()).zip(judged) {
        let screen = judged.condition.shown().and_then(|pane| memory.screens.get(&place(pane)));
        if let Some(screen) = screen {
            row.last_line = last_line(&screen.text);
            if let Condition::Live(pane) = &judged.condition {
                let told = row.clone();
                context.read_screen(&mut row, entry.record(), pane, &screen.text);
                // A screen that is not recognised says less than the title did.
                if row.activity == Activity::Unknown && row.blocked.is_none() {
                    row = told;
                }
            }
        }
        screens.push(screen.map_or_else(Arc::default, |screen| context.shown(&row, &judged.condition, &screen.text)));
        rows.push(row);
    }
    memory.measure(&mut rows);
    let at_work = |row: &Row| matches!(row.state, State::Starting | State::Stopping | State::Orphaned);
    let unsettled = rows.iter().any(|row| at_work(row) || ends_soon(row))
        || memory.screens.values().any(|screen| !screen.is_settled());
    Ok(Found { rows, screens, panes, unsettled })
}

impl Context {
    /// Returns the part of a screen that people want to see: without the input box and the hints of the harness.
    fn shown(&self, row: &Row, condition: &Condition, text: &Arc<str>) -> Arc<str> {
        let (Condition::Live(pane), Ok(harness)) = (condition, self.harness(&row.harness)) else {
            return Arc::clone(text);
        };
        let above = above_input(harness.as_ref(), harness::Screen { text, title: &pane.title });
        if above.len() == text.len() { Arc::clone(text) } else { above.into() }
    }
}

fn place(pane: &Pane) -> Place {
    (pane.server_pid, pane.id.clone())
}

impl Memory {
    /// Captures the screens that may have changed, and drops those of closed panes. A screen that could not be
    /// captured stays unknown.
    fn capture(&mut self, context: &Context, shown: &[&Pane]) {
        let taken_at = clock::seconds();
        let mut before = std::mem::take(&mut self.screens);
        let mut changed = Vec::new();
        for pane in shown {
            let kept = before.remove(&place(pane)).filter(|screen| screen.is_of(pane) && screen.is_settled());
            match kept {
                Some(screen) => drop(self.screens.insert(place(pane), screen)),
                None => changed.push(*pane),
            }
        }
        let texts = context.tmux.capture_all(&changed).into_result().unwrap_or_default();
        for (pane, text) in changed.into_iter().zip(texts) {
            let Some(mut text) = text else { continue };
            if pane.dead {
                text = last_lines(&text, LAST);
            }
            let screen = Screen { taken_at, shown_at: pane.shown_at, dead: pane.dead, text: text.into() };
            self.screens.insert(place(pane), screen);
        }
    }

    /// Adds the resource usage of their processes to rows.
    fn measure(&mut self, rows: &mut [Row]) {
        let roots: Vec<u32> = rows.iter().filter_map(|row| row.pid).collect();
        if roots.is_empty() {
            return;
        }
        let used = self.meter.measure(&roots);
        for row in rows {
            let used = row.pid.and_then(|pid| used.get(&pid));
            row.cpu = used.and_then(|used| used.cpu);
            row.memory = used.map(|used| used.memory);
        }
    }
}

impl Screen {
    /// True if the screen is that of the pane.
    fn is_of(&self, pane: &Pane) -> bool {
        (self.shown_at, self.dead) == (pane.shown_at, pane.dead)
    }

    /// True unless the screen may have changed after its capture within the same second. A time in the future comes
    /// from a clock that was set back.
    fn is_settled(&self) -> bool {
        self.taken_at != self.shown_at
    }
}
