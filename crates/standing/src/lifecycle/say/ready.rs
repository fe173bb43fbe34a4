//! Whether a session can be typed into now: its program is up, and no dialog would take the Enter for its answer.

use std::{
    thread,
    time::{Duration, Instant},
};

use wire::Activity;

use crate::{
    Error,
    harness::{Harness, Screen},
    lifecycle::Scope,
    process::ProcessIdentity,
    registry::Record,
    tmux::{Pane, Shown},
};

/// How old a harness is by which it should be up. One that is older and shows nothing that is understood is spoken to
/// all the same: its screen may have changed with a new version.
const GROWN: Duration = Duration::from_secs(15);

const INTERVAL: Duration = Duration::from_millis(50);

/// Waits for a harness that has just been started, and refuses on a dialog unless forced.
pub(super) fn wait(
    scope: &Scope,
    record: &Record,
    pane: &Pane,
    harness: &dyn Harness,
    force: bool,
) -> Result<(), Error> {
    let age = ProcessIdentity::of(pane.pid).and_then(|process| process.age()).unwrap_or(GROWN);
    let deadline = Instant::now() + GROWN.max(harness.draws_within()).saturating_sub(age);
    loop {
        let shown = scope.tmux.shown(pane).into_result()?.unwrap_or_default();
        if !force {
            refuse_dialog(scope, record, harness, &shown)?;
        }
        let up = harness.is_up(Screen { text: &shown.text, title: &shown.title }) != Some(false);
        if up || Instant::now() >= deadline || ProcessIdentity::of(pane.pid).is_none() {
            return Ok(());
        }
        thread::sleep(INTERVAL);
    }
}

/// On a dialog a pasted Enter would choose an answer.
fn refuse_dialog(scope: &Scope, record: &Record, harness: &dyn Harness, shown: &Shown) -> Result<(), Error> {
    let screen = Screen { text: &shown.text, title: &shown.title };
    let reading = harness.read(screen);
    if reading.activity != Activity::Waiting {
        return Ok(());
    }
    let (name, session) = (record.name.clone(), record.name.tmux_session());
    let (server, offers) = (scope.tmux.server_hint(), !harness.choices(screen).is_empty());
    Err(Error::Waiting { name, session, server, question: reading.question, offers })
}
