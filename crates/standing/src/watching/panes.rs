//! Repeated looks at single panes: the blocking half of a pane watcher.
//!
//! It keeps a control client of its own while it watches a pane, so a look starts no process. tmux records the time of
//! output in seconds. So a screen is captured if its window had output since the last capture, and once more if the
//! capture was in the same second.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use tmux::{Control, Facts, Pane, Panes, Silence};
use wire::SessionName;

use super::connection::{Connection, Socket};
use crate::{
    Error, TheLoop, clock,
    lifecycle::{
        Context,
        pane::{PaneView, Shown, shown},
    },
    process::ProcessIdentity,
};

/// Time between two looks at panes.
const PERIOD: Duration = Duration::from_millis(100);

/// Time between two looks while there is no pane to capture, and while tmux does not answer.
const SLOW: Duration = Duration::from_secs(1);

/// Result of a look at panes.
#[derive(Debug)]
pub struct PaneLook {
    /// Views that changed.
    pub changed: Vec<(SessionName, Arc<PaneView>)>,
    /// Time until the next look.
    pub pause: Duration,
}

/// Looks at the panes of some sessions. Each look blocks until tmux answers.
#[derive(Debug)]
pub struct PaneWatching {
    the_loop: TheLoop,
    connection: Connection,
    /// Server that answered last.
    server: Option<ProcessIdentity>,
    watched: BTreeMap<SessionName, Watched>,
    /// Time of the last listing, which finds the panes of sessions.
    listed: Option<Instant>,
}

/// State kept for one session.
#[derive(Debug, Default)]
struct Watched {
    view: Arc<PaneView>,
    /// Its pane, and the facts at the last capture.
    pane: Option<(Pane, Facts)>,
    /// Time of the last capture in seconds.
    taken_at: u64,
    /// True if the pane must be found before the next capture.
    lost: bool,
}

impl PaneWatching {
    /// Creates a watcher of panes, without looking yet.
    pub fn new(the_loop: TheLoop) -> Self {
        let (connection, watched) = (Connection::new(), BTreeMap::new());
        Self { the_loop, connection, server: None, watched, listed: None }
    }

    /// Looks at the panes of these sessions, and forgets all others. Each session comes with the view that its subscribers
    /// have, so that they learn of an end that precedes the first capture. `again` requests that panes are found again,
    /// after a command on a session.
    pub fn look(&mut self, wanted: &BTreeMap<SessionName, Arc<PaneView>>, again: bool) -> PaneLook {
        self.watched.retain(|name, _| wanted.contains_key(name));
        for (name, view) in wanted {
            let new = || Watched { view: Arc::clone(view), lost: true, ..Watched::default() };
            let watched = self.watched.entry(name.clone()).or_insert_with(new);
            // A look that learns nothing leaves this for the next one.
            watched.lost |= again;
        }
        let Ok(context) = self.the_loop.strict() else { return nothing() };
        if self.server.as_ref().is_some_and(ProcessIdentity::is_stopped) {
            return nothing();
        }
        let socket = Socket::of(&context);
        self.connection.keep(&socket);
        let context = context.through(self.connection.line());
        // Reads the output of the control client, which would fill its pipe.
        let told = self.connection.connected().is_some_and(|connected| connected.with(Control::take_change));
        let is_due = self.listed.is_none_or(|at| at.elapsed() >= SLOW);
        let lost = self.watched.values().any(|watched| watched.lost);
        let missing = self.watched.values().any(|watched| watched.pane.is_none());
        let mut changed = Vec::new();
        if lost || (missing && (told || is_due)) {
            let panes = context.look();
            self.find(&context, &panes, &mut changed);
            self.follow(&context, socket, &panes);
        }
        let seen = self.capture(&context, &mut changed);
        let is_fast = seen.is_ok() && self.connection.connected().is_some() && self.has_panes();
        PaneLook { changed, pause: if is_fast { PERIOD } else { SLOW } }
    }

    fn has_panes(&self) -> bool {
        self.watched.values().any(|watched| watched.pane.is_some())
    }

    /// Finds the panes of the sessions in a listing.
    fn find(
        &mut self,
        context: &Context,
        panes: &Result<Panes, Silence>,
        changed: &mut Vec<(SessionName, Arc<PaneView>)>,
    ) {
        self.listed = Some(Instant::now());
        for (name, watched) in &mut self.watched {
            let entry = context.registry.read(name);
            let condition = context.judge(name, &entry, panes.as_ref()).condition;
            let found = match shown(context, &entry, condition) {
                // Nothing is known, so the last view stays.
                Shown::Silent(_) => continue,
                Shown::Pane(pane) => Some(pane),
                Shown::Foreign | Shown::Nothing => None,
            };
            watched.lost = false;
            match found {
                Some(pane) if watched.shows(&pane) => {}
                Some(pane) => watched.pane = Some((pane, Facts::default())),
                None => {
                    watched.pane = None;
                    changed.extend(watched.close().map(|view| (name.clone(), view)));
                }
            }
        }
        if let Ok(panes) = panes {
            let server = panes.sessions().find_map(|(_, panes)| panes.first()).map(|pane| pane.server_pid);
            self.server = server.and_then(ProcessIdentity::of);
        }
    }

    /// Connects while there is a pane to capture. Without one, the control client could keep the server alive.
    fn follow(&mut self, context: &Context, socket: Socket, panes: &Result<Panes, Silence>) {
        if panes.is_err() || !self.has_panes() {
            self.connection.disconnect();
            return;
        }
        self.connection.keep(&socket);
        self.connection.connect(socket, || context.tmux.connect_quietly());
    }

    /// Captures the panes that may have changed.
    fn capture(&mut self, context: &Context, changed: &mut Vec<(SessionName, Arc<PaneView>)>) -> Result<(), Error> {
        let panes: Vec<Pane> =
            self.watched.values().filter_map(|watched| watched.pane.as_ref()).map(|(pane, _)| pane.clone()).collect();
        if panes.is_empty() {
            return Ok(());
        }
        let mut facts = context.tmux.facts(&panes.iter().collect::<Vec<_>>()).into_result()?.into_iter();
        for (name, watched) in &mut self.watched {
            let Some((pane, last)) = &watched.pane else { continue };
            let now = facts.next().flatten().filter(|facts| facts.is_of(pane));
            let Some(now) = now else {
                watched.lost = true;
                continue;
            };
            let settled = watched.taken_at != last.shown_at;
            if now == *last && settled {
                continue;
            }
            let taken_at = clock::seconds();
            let pane = pane.clone();
            match context.tmux.picture(&pane, &now).into_result()? {
                Some(picture) if picture.facts.is_of(&pane) => {
                    watched.taken_at = taken_at;
                    watched.pane = Some((pane, picture.facts.clone()));
                    if let Some(view) = PaneView::after(&watched.view, picture) {
                        watched.view = Arc::new(view);
                        changed.push((name.clone(), Arc::clone(&watched.view)));
                    }
                }
                _ => watched.lost = true,
            }
        }
        Ok(())
    }
}

impl Watched {
    /// True if this is the pane that was captured last.
    fn shows(&self, pane: &Pane) -> bool {
        self.pane
            .as_ref()
            .is_some_and(|(known, _)| (&known.id, known.server_pid, known.pid) == (&pane.id, pane.server_pid, pane.pid))
    }

    /// Marks the pane as closed; returns the view if that is new.
    fn close(&mut self) -> Option<Arc<PaneView>> {
        self.view = Arc::new(self.view.closed()?);
        Some(Arc::clone(&self.view))
    }
}

/// Returns the result of a look that learned nothing.
fn nothing() -> PaneLook {
    PaneLook { changed: Vec::new(), pause: SLOW }
}
