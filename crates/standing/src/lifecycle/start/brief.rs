//! Confirmation that a new harness accepted its brief, the text it was started with.
//!
//! A harness may take the brief as the value of an option, leave it unsent in its input box, or show a prompt first.
//! The brief is confirmed like a message: by the transcript, and by pressing Enter again while it is in the box.

use std::time::{Duration, Instant};

use harness::Screen;
use tmux::Pane;
use wire::{Activity, Remedy, Verdict};

use super::plan::Plan;
use crate::{
    directive,
    lifecycle::{
        Context,
        detail::Detail,
        say::{Delivery, Watch, transcript},
    },
    process::ProcessHold,
    registry::Record,
};

/// Time for a running harness to record its brief.
const PATIENCE: Duration = Duration::from_secs(3);

/// Interval for reading a transcript that a harness is about to create.
const LOOK: Duration = Duration::from_millis(10);

/// Interval while the file of the transcript is still unknown: finding it means reading folders or processes.
const LOOK_FOR_FILE: Duration = Duration::from_millis(50);

/// Result of waiting for a new harness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// The transcript contains its brief as a turn, so the harness is up.
    Taken,
    /// The harness exited first.
    Ended,
    /// Neither, within the time limit.
    Nothing,
}

/// Waits until a new harness has recorded its brief. The record is the one of its start.
pub(super) fn await_taken(
    context: &Context,
    plan: &Plan<'_>,
    record: &Record,
    held: &ProcessHold,
    limit: Duration,
) -> Seen {
    let harness = plan.adapter.as_ref();
    let deadline = Instant::now() + limit;
    let left = || deadline.saturating_duration_since(Instant::now());
    // As the record will be once the start has succeeded.
    let mut fresh = record.clone();
    fresh.keep_pending();
    while fresh.harness_session_id.is_empty() && !context.find_conversation(&mut fresh, Some(held.pid())) {
        if held.wait(left().min(LOOK_FOR_FILE)) {
            return Seen::Ended;
        }
        if left().is_zero() {
            return Seen::Nothing;
        }
    }
    let opening = directive::opening(&fresh.name);
    let watch = Watch::resumed(transcript(context, &fresh, harness), None, 0, &opening);
    loop {
        if watch.seen() {
            return Seen::Taken;
        }
        if held.wait(left().min(if watch.has_transcript() { LOOK } else { LOOK_FOR_FILE })) {
            return Seen::Ended;
        }
        if left().is_zero() {
            return Seen::Nothing;
        }
    }
}

/// Result for a brief.
pub(super) struct Brief {
    pub(super) verdict: Verdict,
    /// Reason why it is not confirmed.
    reason: String,
}

impl Brief {
    /// Returns a note for the caller, unless the brief was submitted.
    pub(super) fn note(&self, look: Remedy) -> Option<Detail> {
        (self.verdict != Verdict::Submitted)
            .then(|| Detail::new(format!("could not confirm its brief: {}", self.reason), [look]))
    }
}

/// Checks if the brief was accepted; `None` if this harness leaves no evidence, or if the probe is off.
pub(super) fn confirm(context: &Context, plan: &Plan<'_>, record: &Record, pane: &Pane) -> Option<Brief> {
    if context.settings().routing.tmux.probe.is_zero() {
        return None;
    }
    let prompt = plan.prompt(&context.registry.launch_dir()).ok()?;
    let opening = directive::opening(&record.name);
    let harness = plan.adapter.as_ref();
    let deadline = Instant::now() + PATIENCE;
    let unconfirmed = |reason: &str| Some(Brief { verdict: Verdict::Unconfirmed, reason: reason.to_owned() });
    loop {
        let watch = Watch::resumed(transcript(context, record, harness), None, 0, &opening);
        if watch.seen() {
            return Some(Brief { verdict: Verdict::Submitted, reason: String::new() });
        }
        let tells = watch.has_transcript();
        let shown = context.tmux.shown(pane).into_result().ok().flatten().unwrap_or_default();
        if harness.read(Screen { text: &shown.text, title: &shown.title }).activity == Activity::Waiting {
            return unconfirmed("it is waiting for an answer to a prompt");
        }
        let (session, tmux, message, mark, was_busy) = (&record.name, &context.tmux, prompt.as_str(), "", false);
        let delivery = Delivery { session, tmux, pane, harness, watch, message, mark, was_busy }.confirm("");
        match delivery.verdict {
            // A brief that was in the box and has disappeared from it was accepted, with or without a transcript.
            Verdict::Submitted => return Some(Brief { verdict: Verdict::Submitted, reason: String::new() }),
            _ if delivery.in_box => return unconfirmed("the text is still in its input box"),
            _ if !tells => return None,
            _ if Instant::now() >= deadline => return unconfirmed("no evidence that the harness received it"),
            _ => {}
        }
    }
}
