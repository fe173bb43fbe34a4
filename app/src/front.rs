//! What the page and the server functions work with: the core, and the board of notices.

use std::{fmt, sync::Arc};

use ::standing::{Caller, Error, Standing, TheLoop, Turn};

use crate::notices::Notices;

/// One instance of the-loop as the page sees it. Cheap to clone; the host makes one and provides it as context.
#[derive(Clone)]
pub struct Front {
    the_loop: TheLoop,
    notices: Arc<Notices>,
    /// Finds out who calls, which may take a look at every process.
    caller: Arc<dyn Fn() -> Caller + Send + Sync>,
}

impl fmt::Debug for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Front").field("the_loop", &self.the_loop).finish_non_exhaustive()
    }
}

impl Front {
    /// The page's view of this instance.
    pub fn new(the_loop: TheLoop) -> Self {
        // Rendering spawns; where no route list is generated nobody else sets this up. Set once, it stays.
        let _ = any_spawner::Executor::init_tokio();
        Self { the_loop, notices: Arc::default(), caller: Arc::new(|| Caller::Unidentified) }
    }

    /// Returns this context for one request, with a function that finds its caller.
    #[must_use]
    pub fn called_by(mut self, caller: impl Fn() -> Caller + Send + Sync + 'static) -> Self {
        self.caller = Arc::new(caller);
        self
    }

    /// What came of the acts that were asked for.
    pub(crate) fn notices(&self) -> &Notices {
        &self.notices
    }

    /// Looks, on a thread that no verb can keep.
    pub(crate) async fn look<T: Send + 'static>(&self, look: impl FnOnce(&TheLoop) -> T + Send + 'static) -> T {
        self.on_a_thread(self.the_loop.turn_to_look().await, look).await
    }

    /// Does a verb that everyone may do to one session, after those that were asked for before it.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        name: &str,
        verb: impl FnOnce(&TheLoop) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.on_a_thread(self.the_loop.turn_of(name).await?, verb).await
    }

    /// Runs a verb that needs permission.
    pub(crate) async fn act<T: Send + 'static>(
        &self,
        name: &str,
        verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let caller = Arc::clone(&self.caller);
        self.ask(name, move |the_loop| verb(the_loop.standing().called_by(caller()))).await
    }

    /// Does a verb to every session, which not everyone may do.
    pub(crate) async fn act_on_all<T: Send + 'static>(
        &self,
        verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (caller, turn) = (Arc::clone(&self.caller), self.the_loop.turn_of_verb().await);
        self.on_a_thread(turn, move |the_loop| verb(the_loop.standing().called_by(caller()))).await
    }

    /// Calls the core, whose verbs block, from a thread that may block.
    async fn on_a_thread<T: Send + 'static>(&self, turn: Turn, work: impl FnOnce(&TheLoop) -> T + Send + 'static) -> T {
        let the_loop = self.the_loop.clone();
        let work = move || {
            let done = work(&the_loop);
            drop(turn);
            done
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(answer) => answer,
            // The thread is never cancelled, so the verb panicked: let the host's panic handler speak.
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        }
    }
}
