//! The context of the page and the server functions: the engine, and the board of notices.

use std::sync::Arc;

use ::standing::Caller;
use engine::Engine;

use crate::notices::Notices;

/// The context of one instance's page. Cheap to clone; the host makes one and provides it.
#[derive(Clone, Debug)]
pub struct AppContext {
    engine: Engine,
    notices: Arc<Notices>,
}

impl AppContext {
    /// Makes the context of an instance's page.
    pub fn new(engine: Engine) -> Self {
        // Rendering spawns; where no route list is generated nobody else sets this up. Set once, it stays.
        let _ = any_spawner::Executor::init_tokio();
        Self { engine, notices: Arc::default() }
    }

    /// Returns this context for one request, with a function that finds its caller.
    #[must_use]
    pub fn called_by(mut self, caller: impl Fn() -> Caller + Send + Sync + 'static) -> Self {
        self.engine = self.engine.called_by(caller);
        self
    }

    /// The engine, with the permission of this request's caller.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What came of the acts that were asked for.
    pub(crate) fn notices(&self) -> &Notices {
        &self.notices
    }
}
