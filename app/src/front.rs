//! What the page and the server functions work with: the core, and the board of notices.

use std::{fmt, sync::Arc};

use ::standing::{Caller, Error, Standing, TheLoop};

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

    /// The same for one request, with what finds out who sent it.
    #[must_use]
    pub fn called_by(mut self, caller: impl Fn() -> Caller + Send + Sync + 'static) -> Self {
        self.caller = Arc::new(caller);
        self
    }

    /// What came of the acts that were asked for.
    pub(crate) fn notices(&self) -> &Notices {
        &self.notices
    }

    /// Calls the core, whose verbs block, from a thread that may block.
    pub(crate) async fn ask<T: Send + 'static>(&self, verb: impl FnOnce(&TheLoop) -> T + Send + 'static) -> T {
        let the_loop = self.the_loop.clone();
        match tokio::task::spawn_blocking(move || verb(&the_loop)).await {
            Ok(answer) => answer,
            // The thread is never cancelled, so the verb panicked: let the host's panic handler speak.
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        }
    }

    /// Calls a verb that not everyone may do.
    pub(crate) async fn act<T: Send + 'static>(
        &self,
        verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let caller = Arc::clone(&self.caller);
        self.ask(move |the_loop| verb(the_loop.standing().called_by(caller()))).await
    }

    /// The same for a verb that everyone may do and that can be refused.
    pub(crate) async fn try_ask<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&TheLoop) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.ask(verb).await
    }
}
