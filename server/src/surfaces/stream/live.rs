//! Shared state of all streams of a service.

use engine::{Engine, Subscription};
use tokio_util::sync::CancellationToken;

use super::permits::Permits;

/// Shared state of all streams of a service. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    engine: Engine,
    end: CancellationToken,
    permits: Permits,
}

impl Live {
    /// Creates the state. Streams end when `end` is cancelled.
    pub(crate) fn new(engine: Engine, end: CancellationToken) -> Self {
        Self { engine, end, permits: Permits::default() }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn end(&self) -> &CancellationToken {
        &self.end
    }

    pub(crate) fn permits(&self) -> &Permits {
        &self.permits
    }

    /// Subscribes to the sessions and the event log.
    pub(super) fn watch(&self) -> Subscription {
        self.engine.watcher().subscribe()
    }
}
