//! Prevents endless exchanges between sessions.
//!
//! There are three limits. A session cannot message itself. Each session accepts a limited rate of messages, from all
//! senders together. Only a limited number of messages in a row may answer each other. The sender is determined from
//! the process at the other end of the connection. A harness that forwards its connection, or uses the command line, is
//! therefore not recognised: this prevents accidents, not attacks.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Number of messages to one session that pass at once.
const BURST: f64 = 10.0;

/// Seconds per message after that.
const REFILL: f64 = 10.0;

/// Maximum number of messages in a row that each answer the one before.
const DEPTH: u32 = 20;

/// Silence after which an answer counts as the start of a new exchange.
const FORGOTTEN: Duration = Duration::from_mins(10);

/// Reason why a message is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Itself { name: String },
    TooMany { name: String, wait: Duration },
    TooDeep { name: String },
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itself { name } => {
                write!(f, "you are `{name}`: a session cannot send messages to itself")
            }
            Self::TooMany { name, wait } => {
                write!(f, "too many messages to `{name}`: retry in {} s, and not before", wait.as_secs() + 1)
            }
            Self::TooDeep { name } => write!(
                f,
                "you and `{name}` have exchanged {DEPTH} messages in a row: stop here and let your operator decide \
                 whether to continue"
            ),
        }
    }
}

/// State of the messages to each session.
#[derive(Debug, Default)]
pub(super) struct LoopGuard(Mutex<BTreeMap<String, Heard>>);

/// Messages to one session.
#[derive(Clone, Copy, Debug)]
struct Heard {
    /// Number of messages that can still pass at once.
    left: f64,
    last: Instant,
    /// Length of the chain of messages that led to the last one. Each was sent by the receiver of the one before.
    depth: u32,
}

/// A message that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    to: String,
    depth_before: u32,
}

impl LoopGuard {
    /// Passes a message, or returns the reason for refusing it.
    pub(super) fn pass(&self, speaker: Option<&str>, to: &str) -> Result<Passed, Held> {
        self.pass_at(Instant::now(), speaker, to)
    }

    /// Undoes a message that was refused later: the session has not received it.
    pub(super) fn give_back(&self, passed: &Passed) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(heard) = heard.get_mut(&passed.to) {
            heard.left = (heard.left + 1.0).min(BURST);
            heard.depth = passed.depth_before;
        }
    }

    fn pass_at(&self, now: Instant, speaker: Option<&str>, to: &str) -> Result<Passed, Held> {
        if speaker == Some(to) {
            return Err(Held::Itself { name: to.to_owned() });
        }
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.retain(|_, heard| now.duration_since(heard.last) < FORGOTTEN);
        let depth = speaker.and_then(|speaker| heard.get(speaker)).map_or(0, |heard| heard.depth) + 1;
        if depth > DEPTH {
            return Err(Held::TooDeep { name: to.to_owned() });
        }
        let before = heard.get(to).copied().unwrap_or(Heard { left: BURST, last: now, depth: 0 });
        let left = (before.left + now.duration_since(before.last).as_secs_f64() / REFILL).min(BURST);
        if left < 1.0 {
            let wait = Duration::from_secs_f64((1.0 - left) * REFILL);
            return Err(Held::TooMany { name: to.to_owned(), wait });
        }
        heard.insert(to.to_owned(), Heard { left: left - 1.0, last: now, depth });
        Ok(Passed { to: to.to_owned(), depth_before: before.depth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_says_nothing_to_itself() {
        let loop_guard = LoopGuard::default();
        assert_eq!(loop_guard.pass(Some("ops"), "ops"), Err(Held::Itself { name: "ops".to_owned() }));
        assert!(loop_guard.pass(None, "ops").is_ok());
        assert!(loop_guard.pass(Some("web"), "ops").is_ok());
    }

    #[test]
    fn each_session_is_said_only_so_much_in_a_while() {
        let (loop_guard, now) = (LoopGuard::default(), Instant::now());
        let passed = (0..100).take_while(|_| loop_guard.pass_at(now, None, "ops").is_ok()).count();
        assert_eq!(passed, 10);
        assert!(loop_guard.pass_at(now, None, "other").is_ok());
        assert!(
            matches!(loop_guard.pass_at(now, None, "ops"), Err(Held::TooMany { wait, .. }) if wait.as_secs() <= 10)
        );
        assert!(loop_guard.pass_at(now + Duration::from_secs(11), None, "ops").is_ok());
    }

    #[test]
    fn sessions_that_answer_each_other_come_to_an_end_however_slowly() {
        let (loop_guard, mut now) = (LoopGuard::default(), Instant::now());
        let mut pair = ["a", "b"];
        let mut said = 0;
        while loop_guard.pass_at(now, Some(pair[0]), pair[1]).is_ok() {
            said += 1;
            now += Duration::from_mins(1);
            pair.swap(0, 1);
            assert!(said < 100, "it never ends");
        }
        assert_eq!(said, 20);
        assert!(loop_guard.pass_at(now, None, "a").is_ok(), "an operator's own agent begins again");
        assert!(loop_guard.pass_at(now, Some("a"), "b").is_ok());
    }

    #[test]
    fn what_was_refused_afterwards_does_not_count() {
        let (loop_guard, now) = (LoopGuard::default(), Instant::now());
        for _ in 0..100 {
            let passed = loop_guard.pass_at(now, Some("a"), "b").expect("passed");
            loop_guard.give_back(&passed);
            let passed = loop_guard.pass_at(now, Some("b"), "a").expect("passed, and the chain does not grow");
            loop_guard.give_back(&passed);
        }
    }
}
