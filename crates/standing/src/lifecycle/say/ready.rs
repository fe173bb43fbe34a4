//! Readiness of a session for input: its program is up, no prompt would take the Enter for its answer, and the input
//! box contains no unsent text, to which a paste would be appended.

use std::{
    thread,
    time::{Duration, Instant},
};

use harness::{Harness, Styled};
use tmux::Pane;
use wire::Activity;

use crate::{Error, lifecycle::Context, process::ProcessIdentity, registry::Record};

/// Age at which a harness should be up. An older harness with an unrecognised screen gets the message anyway: its
/// screen may have changed with a new version.
const GROWN: Duration = Duration::from_secs(15);

const INTERVAL: Duration = Duration::from_millis(50);

/// Time for an input box to become empty after Enter.
const SENT_WITHIN: Duration = Duration::from_millis(1500);

/// Number of times that Enter is sent for the text in the box.
const ENTERS: usize = 3;

/// Session that is ready for input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    /// True if it is working on a turn.
    pub(super) busy: bool,
}

/// Waits for a harness that has just been started. Refuses on a prompt or unsent text, unless forced. With `force`,
/// unsent text is sent first, as a separate message.
pub(super) fn wait(
    context: &Context,
    record: &Record,
    pane: &Pane,
    harness: &dyn Harness,
    force: bool,
) -> Result<Ready, Error> {
    let age = ProcessIdentity::of(pane.pid).and_then(|process| process.age()).unwrap_or(GROWN);
    let deadline = Instant::now() + GROWN.max(harness.draws_within()).saturating_sub(age);
    loop {
        let shown = look(context, pane)?;
        if !force {
            refuse_dialog(context, record, harness, &shown)?;
        }
        let up = harness.is_up(shown.screen()) != Some(false);
        if up || Instant::now() >= deadline || ProcessIdentity::of(pane.pid).is_none() {
            if let Some(text) = shown.unsent(harness) {
                clear_box(context, record, pane, harness, text, force)?;
            }
            return Ok(Ready { busy: harness.read(shown.screen()).activity == Activity::Busy });
        }
        thread::sleep(INTERVAL);
    }
}

fn look(context: &Context, pane: &Pane) -> Result<Styled, Error> {
    let shown = context.tmux.coloured(pane).into_result()?.unwrap_or_default();
    Ok(Styled::read(&shown.title, &shown.text))
}

/// Sends the unsent text in the box if forced, and refuses otherwise. A screen that is drawn late may still show a
/// message that was just sent, so the box is watched for a while before the text counts.
fn clear_box(
    context: &Context,
    record: &Record,
    pane: &Pane,
    harness: &dyn Harness,
    mut text: String,
    force: bool,
) -> Result<(), Error> {
    for enter in 0..=ENTERS {
        let deadline = Instant::now() + SENT_WITHIN;
        while Instant::now() < deadline {
            let shown = look(context, pane)?;
            match shown.unsent(harness) {
                None => return Ok(()),
                Some(now) => text = now,
            }
            thread::sleep(INTERVAL);
        }
        if !force || enter == ENTERS {
            break;
        }
        context.tmux.press_enter(pane).into_result()?;
    }
    let (name, session) = (record.name.clone(), record.name.tmux_session());
    Err(Error::UnsentText { name, session, socket: context.tmux.socket_name(), text })
}

/// Refuses if the screen shows a prompt, since the Enter after a paste would select an answer.
fn refuse_dialog(context: &Context, record: &Record, harness: &dyn Harness, shown: &Styled) -> Result<(), Error> {
    let screen = shown.screen();
    let reading = harness.read(screen);
    if reading.activity != Activity::Waiting {
        return Ok(());
    }
    let (name, session) = (record.name.clone(), record.name.tmux_session());
    let (socket, offers) = (context.tmux.socket_name(), !harness.choices(screen).is_empty());
    Err(Error::Waiting { name, session, socket, question: reading.question, offers })
}
