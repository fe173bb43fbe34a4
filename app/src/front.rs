//! What the page and the server functions work with: the core, and the board of notices.

use std::sync::Arc;

use ::standing::{Error, TheLoop};

use crate::notices::Notices;

/// One instance of the-loop as the page sees it. Cheap to clone; the host makes one and provides it as context.
#[derive(Clone, Debug)]
pub struct Front {
    the_loop: TheLoop,
    notices: Arc<Notices>,
}

impl Front {
    /// The page's view of this instance.
    pub fn new(the_loop: TheLoop) -> Self {
        // Rendering spawns; where no route list is generated nobody else sets this up. Set once, it stays.
        let _ = any_spawner::Executor::init_tokio();
        Self { the_loop, notices: Arc::default() }
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

    /// The same for a verb that can be refused.
    pub(crate) async fn try_ask<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&TheLoop) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.ask(verb).await
    }
}
