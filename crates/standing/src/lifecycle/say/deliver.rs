//! Delivery of a message, with the certainty that the harness accepted it.
//!
//! The answer of tmux proves nothing. Evidence is the harness's own transcript, or an input box that contained the
//! message and then became empty. Only Enter is ever sent again; the text is never pasted twice.

use std::{
    thread,
    time::{Duration, Instant},
};

use harness::{Harness, Screen};
use tmux::{Answer, Pane, Paste, PasteAnswer, Shown, Tmux};
use wire::{Evidence, SessionName, Verdict};

use super::evidence::{Found, Watch};
use crate::process::ProcessIdentity;

/// Time for a harness to react to an Enter.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Time for the transcript, which is better evidence, before the screen is read.
const TRANSCRIPT_FIRST: Duration = Duration::from_millis(250);

/// Intervals for reading transcript and screen.
const LOOK_AT_TRANSCRIPT: Duration = Duration::from_millis(5);
const LOOK_AT_SCREEN: Duration = Duration::from_millis(100);

/// Time for a message in the harness's queue to become a turn at once.
const QUEUE_PASSES: Duration = Duration::from_millis(250);

/// Time for the message to appear in the transcript after the box is empty.
const TRANSCRIPT_LAGS: Duration = Duration::from_millis(500);

/// Number of times that Enter is sent again.
const MORE_ENTERS: usize = 2;

/// Result of a delivery.
#[derive(Debug)]
pub(in crate::lifecycle) struct Delivered {
    /// False if the text did not, or may not have, reached the pane.
    pub(super) delivered: bool,
    pub(in crate::lifecycle) verdict: Verdict,
    pub(super) evidence: Evidence,
    pub(super) note: String,
    /// True if the text was last seen in the input box, unsent.
    pub(in crate::lifecycle) in_box: bool,
}

impl Delivered {
    pub(super) fn submitted(evidence: Evidence) -> Self {
        Self { delivered: true, verdict: Verdict::Submitted, evidence, note: String::new(), in_box: false }
    }

    fn queued() -> Self {
        Self { verdict: Verdict::Queued, ..Self::submitted(Evidence::Queue) }
    }

    fn in_box() -> Self {
        Self { in_box: true, ..Self::unconfirmed("the message is still in its input box") }
    }

    pub(super) fn unconfirmed(note: impl Into<String>) -> Self {
        Self { verdict: Verdict::Unconfirmed, note: note.into(), ..Self::submitted(Evidence::None) }
    }

    fn failed(note: String) -> Self {
        Self { delivered: false, verdict: Verdict::NotDelivered, ..Self::unconfirmed(note) }
    }
}

/// Message that is being delivered.
pub(in crate::lifecycle) struct Delivery<'a> {
    pub(in crate::lifecycle) session: &'a SessionName,
    pub(in crate::lifecycle) tmux: &'a Tmux,
    pub(in crate::lifecycle) pane: &'a Pane,
    pub(in crate::lifecycle) harness: &'a dyn Harness,
    /// Begun before the message is pasted.
    pub(in crate::lifecycle) watch: Watch<'a>,
    pub(in crate::lifecycle) message: &'a str,
    /// See [`Paste::mark`].
    pub(in crate::lifecycle) mark: &'a str,
    /// True if the harness was working on a turn before the message was pasted.
    pub(in crate::lifecycle) was_busy: bool,
}

impl Delivery<'_> {
    /// Pastes the message, and looks for evidence that it was accepted.
    pub(super) fn deliver(&self) -> Delivered {
        let paste = Paste { text: self.message, gap: self.harness.enter_gap(), mark: self.mark };
        match self.tmux.paste(self.pane, &paste) {
            Answer::Said(PasteAnswer::Pasted { before_enter }) => {
                files::failpoint::at("say.pasted");
                self.confirm(&before_enter)
            }
            Answer::Said(PasteAnswer::Already) => self.confirm(""),
            Answer::Said(PasteAnswer::Gone) => Delivered::failed(format!(
                "the pane exited before the message was typed: start the session with `the-loop standing start {}`",
                self.session
            )),
            Answer::Said(PasteAnswer::Busy) => {
                Delivered::failed("another message was being typed into its pane: send it again".to_owned())
            }
            Answer::Said(PasteAnswer::InputOff) => Delivered::failed(format!(
                "the input of its pane is turned off: run `tmux select-pane -e -t {}`, then send it again",
                self.pane.id
            )),
            Answer::Silent(_) if self.watch.seen() => Delivered::submitted(Evidence::Transcript),
            Answer::Silent(silence) => {
                let note = format!(
                    "tmux did not answer ({}): the message may still arrive, so check before you send it \
                             again",
                    silence.0
                );
                Delivered { delivered: false, ..Delivered::unconfirmed(note) }
            }
        }
    }

    /// Looks for evidence that a pasted message was accepted. `before_enter` is the screen right before Enter was
    /// sent.
    pub(in crate::lifecycle) fn confirm(&self, before_enter: &str) -> Delivered {
        let mut held = self.holds(&Screen { text: before_enter, title: &self.pane.title }) == Some(true);
        for enters in 0..=MORE_ENTERS {
            match self.look(held) {
                Look::Proven(evidence) => return Delivered::submitted(evidence),
                Look::Queued => return Delivered::queued(),
                Look::Ended => return Delivered::unconfirmed("the harness exited before it confirmed the message"),
                Look::Holds if enters == MORE_ENTERS => return Delivered::in_box(),
                Look::Holds => {
                    held = true;
                    self.tmux.press_enter(self.pane);
                }
                Look::Nothing => break,
            }
        }
        Delivered::unconfirmed("could not confirm that the harness received it")
    }

    /// Looks until there is evidence or the time is over.
    fn look(&self, mut held: bool) -> Look {
        let begun = Instant::now();
        let (mut queued_since, mut emptied_since) = (None, None);
        let mut next_screen = begun + if self.watch.has_transcript() { TRANSCRIPT_FIRST } else { Duration::ZERO };
        loop {
            let now = Instant::now();
            match self.watch.found() {
                Found::Turn => return Look::Proven(Evidence::Transcript),
                Found::Queued => {
                    if now >= *queued_since.get_or_insert(now) + QUEUE_PASSES {
                        return Look::Queued;
                    }
                }
                Found::Nothing | Found::TakenBack => {}
            }
            let over = now >= begun + PATIENCE;
            if now >= next_screen || over {
                next_screen = now + LOOK_AT_SCREEN;
                if ProcessIdentity::of(self.pane.pid).is_none() {
                    // Its last writes are in the transcript by now.
                    return if self.watch.seen() { Look::Proven(Evidence::Transcript) } else { Look::Ended };
                }
                let shown = self.shown();
                if self.was_busy && shown.as_ref().is_some_and(|shown| self.is_in_queue(shown)) {
                    if now >= *queued_since.get_or_insert(now) + QUEUE_PASSES {
                        return Look::Queued;
                    }
                    thread::sleep(LOOK_AT_TRANSCRIPT);
                    continue;
                }
                match shown.and_then(|shown| self.holds(&Screen { text: &shown.text, title: &shown.title })) {
                    // An empty box is evidence only after a full one: the screen may be older than the paste.
                    // A harness that was working keeps the message for later, and its transcript says when it becomes
                    // a turn.
                    Some(false) if held && self.was_busy && self.watch.has_transcript() && over => return Look::Queued,
                    Some(false) if held && self.was_busy && self.watch.has_transcript() => {}
                    // The transcript is better evidence, and may be written a moment after the box is empty.
                    Some(false) if held => {
                        let since = *emptied_since.get_or_insert(now);
                        if over || !self.watch.has_transcript() || now >= since + TRANSCRIPT_LAGS {
                            return Look::Proven(Evidence::InputEmptied);
                        }
                    }
                    Some(true) if over => return Look::Holds,
                    Some(true) => held = true,
                    None if !self.watch.has_transcript() => return Look::Nothing,
                    _ if over => return Look::Nothing,
                    _ => {}
                }
            }
            thread::sleep(if self.watch.has_transcript() { LOOK_AT_TRANSCRIPT } else { LOOK_AT_SCREEN });
        }
    }

    /// True if the input box shows the message unsent.
    pub(super) fn in_box(&self) -> bool {
        self.screen() == Some(true)
    }

    fn shown(&self) -> Option<Shown> {
        self.tmux.shown(self.pane).into_result().ok()?
    }

    fn is_in_queue(&self, shown: &Shown) -> bool {
        self.harness.in_queue(Screen { text: &shown.text, title: &shown.title }, self.message)
    }

    fn screen(&self) -> Option<bool> {
        let shown = self.shown()?;
        self.holds(&Screen { text: &shown.text, title: &shown.title })
    }

    fn holds(&self, screen: &Screen<'_>) -> Option<bool> {
        self.harness.holds_input(*screen, self.message)
    }
}

/// Observation of a pasted message.
enum Look {
    Proven(Evidence),
    /// It is in the harness's queue.
    Queued,
    /// It is still in the input box after the full time.
    Holds,
    /// The harness has exited.
    Ended,
    Nothing,
}
