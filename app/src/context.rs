//! Context of the page and the server functions: the engine, and the board of notices.

use std::sync::Arc;

use ::standing::Caller;
use engine::Engine;

use crate::{notices::Notices, rows::Rows};

/// Context of one instance's page. Cheap to clone; the host creates one and provides it.
#[derive(Clone, Debug)]
pub struct AppContext {
    engine: Engine,
    notices: Arc<Notices>,
    rows: Arc<Rows>,
}

impl AppContext {
    /// Creates the context of an instance's page.
    pub fn new(engine: Engine) -> Self {
        // Rendering spawns tasks, and without a generated list of routes no other code sets up the executor. A second
        // call changes nothing.
        let _ = any_spawner::Executor::init_tokio();
        Self { engine: engine.from_surface("page"), notices: Arc::default(), rows: Arc::default() }
    }

    /// Returns this context for one request, with a function that determines its caller.
    #[must_use]
    pub fn called_by(mut self, caller: impl Fn() -> Caller + Send + Sync + 'static) -> Self {
        self.engine = self.engine.called_by(caller);
        self
    }

    /// Reads the config as it is in the file now.
    pub async fn config(&self) -> Arc<::standing::config::Loaded> {
        self.engine.config().await
    }

    /// Returns the engine, with the permission of this request's caller.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the rendered rows.
    pub(crate) fn rows(&self) -> &Arc<Rows> {
        &self.rows
    }

    /// Returns the notices about earlier actions.
    pub(crate) fn notices(&self) -> &Notices {
        &self.notices
    }
}
