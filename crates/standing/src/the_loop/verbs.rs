//! Verbs on standing sessions, as the in-process SDK offers them.

use std::sync::{Arc, PoisonError};

use tmux::Attach;
use wire::{
    AnswerRequest, ControlReport, ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Explanation, History,
    PlannedSession, Row, SayReceipt, SayRequest, SessionName, Turn,
};

use super::TheLoop;
use crate::{
    Caller, Details, Error,
    lifecycle::{
        self,
        pane::{PaneView, Scrollback},
        reconcile::Recovered,
        turn::TurnFollower,
    },
    metrics,
};

/// Verbs on standing sessions. Each blocks until it is done: seconds for start and stop, a moment for the others.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    pub(super) the_loop: &'a TheLoop,
    pub(super) caller: Caller,
}

impl Standing<'_> {
    /// Returns the verbs for another caller. Create, delete, start, stop, restart, answers and forced messages are
    /// refused if the caller runs inside a session; the other verbs are open to all callers.
    #[must_use]
    pub fn called_by(self, caller: Caller) -> Self {
        Self { caller, ..self }
    }

    /// Refuses a caller that runs inside a session, unless `standingSessions.agentsMayControl` is true. For actions
    /// that are not verbs of the core, such as stopping the service; `doing` names the action, as in "stop the
    /// service".
    pub fn may_control(self, doing: &'static str) -> Result<(), Error> {
        lifecycle::permit::permit(&self.the_loop.tolerant(), self.caller, doing)
    }

    /// Returns all declared and recorded sessions, sorted by name. Concurrent callers share one look, but never one
    /// that began before their call.
    pub fn list(&self) -> Result<Vec<Row>, Error> {
        self.the_loop.looks.list.share(|| lifecycle::list::list(&self.the_loop.strict()?))
    }

    /// Returns all sessions with the last `lines` lines of their panes, sorted by name. For the page.
    pub fn survey(&self, lines: usize) -> Result<Vec<(Row, String)>, Error> {
        let mut surveys = self.the_loop.looks.surveys.lock().unwrap_or_else(PoisonError::into_inner);
        let looks = Arc::clone(surveys.entry(lines).or_default());
        drop(surveys);
        looks.share(|| lifecycle::list::survey(&self.the_loop.strict()?, lines))
    }

    /// Returns one session.
    pub fn get(&self, name: &str) -> Result<Row, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::get::get(&self.the_loop.strict()?, &name)
    }

    /// Explains the state of one session: each source with its age, and why one of them counts.
    pub fn explain(&self, name: &str) -> Result<Explanation, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::explain::explain(&self.the_loop.strict()?, &name)
    }

    /// Returns all mistakes of a request to create a session, each with its field. Changes nothing.
    pub fn mistakes(&self, request: &CreateRequest) -> Result<Vec<lifecycle::create::mistakes::Mistake>, Error> {
        Ok(lifecycle::create::mistakes::mistakes(&self.the_loop.strict()?, request))
    }

    /// Creates a session, and starts it unless the request says otherwise.
    pub fn create(&self, request: &CreateRequest) -> Result<ControlReport, Error> {
        metrics::verb("create", || {
            let name = SessionName::parse(&request.name)?;
            lifecycle::fields::of_create(request)?;
            self.may_control("create sessions")?;
            lifecycle::create::create(&self.the_loop.changing()?, &name, request)
        })
    }

    /// Stops a created session and removes its record.
    pub fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Error> {
        metrics::verb("delete", || {
            let name = SessionName::parse(&request.name)?;
            self.may_control("delete sessions")?;
            lifecycle::delete::delete(&self.the_loop.changing()?, &name)
        })
    }

    /// Starts, stops or restarts one session. An empty name is refused; it never means every session. Stopping works
    /// with an invalid config, but not with one that was given explicitly and cannot be read: the location of the
    /// records is unknown then.
    pub fn control(&self, request: &ControlRequest) -> Result<ControlReport, Error> {
        metrics::verb(request.verb.as_str(), || {
            self.may_control(match request.verb {
                ControlVerb::Start => "start sessions",
                ControlVerb::Stop => "stop sessions",
                ControlVerb::Restart => "restart sessions",
            })?;
            let context = match request.verb {
                ControlVerb::Stop => self.the_loop.stopping()?,
                ControlVerb::Start | ControlVerb::Restart => self.the_loop.changing()?,
            };
            let name = lifecycle::fields::name_of_one(request)?;
            lifecycle::control::one(&context, &name, request.verb)
        })
    }

    /// Starts every session: created ones, and declared ones if `standingSessions.enabled` is true.
    pub fn start_all(&self) -> Result<ControlReport, Error> {
        metrics::verb("start", || {
            self.may_control("start sessions")?;
            lifecycle::control::start_all(&self.the_loop.changing()?, lifecycle::control::Which::Every)
        })
    }

    /// Stops every recorded session. Works with an invalid config, as [`Standing::control`] does.
    pub fn stop_all(&self) -> Result<ControlReport, Error> {
        metrics::verb("stop", || {
            self.may_control("stop sessions")?;
            lifecycle::control::stop_all(&self.the_loop.stopping()?)
        })
    }

    /// Starts the auto-start sessions, as `the-loop start` does once the service is up.
    pub fn start_auto(&self) -> Result<ControlReport, Error> {
        metrics::verb("start", || {
            self.may_control("start sessions")?;
            lifecycle::control::start_all(&self.the_loop.changing()?, lifecycle::control::Which::AutoStart(&[]))
        })
    }

    /// Starts the auto-start sessions and those that ran before, for a restart of everything.
    pub fn start_again(&self, ran: &[SessionName]) -> Result<ControlReport, Error> {
        metrics::verb("start", || {
            self.may_control("start sessions")?;
            lifecycle::control::start_all(&self.the_loop.changing()?, lifecycle::control::Which::AutoStart(ran))
        })
    }

    /// Restores the record of a running session that has lost it.
    pub fn restore(&self, name: &str) -> Result<ControlReport, Error> {
        metrics::verb("restore", || {
            let name = SessionName::parse(name)?;
            self.may_control("restore sessions")?;
            lifecycle::restore::restore(&self.the_loop.changing()?, &name)
        })
    }

    /// Returns all sessions, and reports if all auto-start sessions are running. For `the-loop status`.
    pub fn status(&self) -> Result<ControlReport, Error> {
        lifecycle::list::status(&self.the_loop.strict()?)
    }

    /// Returns what [`Standing::start_auto`] would do, without doing it.
    pub fn plan(&self) -> Result<Vec<PlannedSession>, Error> {
        lifecycle::plan::plan(&self.the_loop.strict()?)
    }

    /// Finishes operations that a crash interrupted, in every session, when the service starts. Reads only the
    /// records if there is nothing to finish.
    pub fn reconcile(&self) -> Result<Vec<Recovered>, Error> {
        lifecycle::reconcile::reconcile(&self.the_loop.changing()?)
    }

    /// Pastes text into a running session and submits it.
    pub fn say(&self, request: &SayRequest) -> Result<SayReceipt, Error> {
        metrics::say(|| {
            let name = SessionName::parse(&request.name)?;
            lifecycle::fields::of_say(request)?;
            // With force, its Enter may select an answer.
            if request.force {
                self.may_control("send a message with force")?;
            }
            lifecycle::say::say(&self.the_loop.changing()?, &name, request)
        })
    }

    /// Returns the turn of a message as it is now, without waiting.
    pub fn turn(&self, name: &str, id: &str) -> Result<Turn, Error> {
        lifecycle::turn::turn(&self.the_loop.strict()?, name, id)
    }

    /// Returns the current state of these turns of the follower's session, in their order, without waiting. Turns that are
    /// not named are no longer followed. `row` is the row of the session as it is now, if the caller has one.
    pub fn turns(&self, follower: &mut TurnFollower, ids: &[String], row: Option<&Row>) -> Result<Vec<Turn>, Error> {
        follower.look(&self.the_loop.strict()?, ids, row)
    }

    /// Returns the last `limit` texts of a session's conversations, former ones included, oldest first.
    pub fn history(&self, name: &str, limit: usize) -> Result<History, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::history::history(&self.the_loop.strict()?, &name, limit)
    }

    /// Selects one of the answers that the prompt of a session offers. Only for operators, since an answer may grant
    /// a permission that the harness asks for.
    pub fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Error> {
        metrics::answer(|| {
            let name = SessionName::parse(&request.name)?;
            lifecycle::fields::of_answer(request)?;
            self.may_control("answer a session's question")?;
            lifecycle::answer::answer(&self.the_loop.changing()?, &name, request)
        })
    }

    /// Returns the session that a process belongs to, as its harness or a descendant of it. `None` for a process that
    /// hides its environment.
    pub fn session_of(&self, pid: u32) -> Option<SessionName> {
        lifecycle::recognise::session_of(&self.the_loop.tolerant(), pid)
    }

    /// Checks that verbs can be done: the config is valid, and tmux answers.
    pub fn ready(&self) -> Result<(), Error> {
        self.the_loop.strict()?.look()?;
        Ok(())
    }

    /// Binds a session to the Slack thread in which it is answered, and returns its row. A session that is already
    /// bound keeps its thread. So if a session is announced twice at once, the row says which thread counts.
    pub fn bind_thread(&self, name: &str, channel: &str, thread: &str) -> Result<Row, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::get::bind_thread(&self.the_loop.changing()?, &name, channel, thread)
    }

    /// Returns the last lines of a session's pane as plain text without control characters; empty without a pane.
    pub fn screen(&self, name: &str, lines: usize) -> Result<String, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::screen::screen(&self.the_loop.strict()?, &name, lines)
    }

    /// Returns the details of one session.
    pub fn details(&self, name: &str) -> Result<Details, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::details::details(&self.the_loop.strict()?, &name)
    }

    /// Returns the pane of a session with its colours, alive or retained; `None` if it has no pane. Refuses a tmux
    /// session that is not managed by the-loop.
    pub fn pane(&self, name: &str) -> Result<Option<PaneView>, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::pane::view(&self.the_loop.strict()?, &name)
    }

    /// Returns the command of a terminal that shows a running session. Without `write` it is read-only. Only for
    /// operators: with `write` it can do whatever they can do in tmux.
    pub fn terminal(&self, name: &str, write: bool) -> Result<Attach, Error> {
        let name = SessionName::parse(name)?;
        self.may_control("open the terminal of a session")?;
        lifecycle::terminal::terminal(&self.the_loop.strict()?, &name, write)
    }

    /// Writes to the event log that a terminal of a session was opened.
    pub fn terminal_opened(&self, name: &str, write: bool) -> Result<(), Error> {
        let name = SessionName::parse(name)?;
        lifecycle::terminal::opened(&self.the_loop.tolerant(), &name, write);
        Ok(())
    }

    /// Returns up to 500 lines of a session's history that are above the line with a number; `None` if it has no
    /// pane.
    pub fn scrollback(&self, name: &str, before: usize) -> Result<Option<Scrollback>, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::pane::scrollback(&self.the_loop.strict()?, &name, before)
    }
}
