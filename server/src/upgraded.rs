//! Connections that a WebSocket has taken over. The HTTP library no longer knows them, and the service waits for them
//! before it exits.

use std::convert::Infallible;

use tokio::sync::mpsc;

/// Mark of a connection in its requests. A WebSocket keeps it for as long as it is open.
#[derive(Clone, Debug)]
pub(crate) struct Upgraded {
    _open: mpsc::Sender<Infallible>,
}

/// Waits for the end of all marks.
#[derive(Debug)]
pub(crate) struct AllClosed(mpsc::Receiver<Infallible>);

/// Returns the first mark, and its end and that of its clones.
pub(crate) fn marks() -> (Upgraded, AllClosed) {
    let (open, all) = mpsc::channel(1);
    (Upgraded { _open: open }, AllClosed(all))
}

impl AllClosed {
    /// Waits until every mark is dropped.
    pub(crate) async fn wait(mut self) {
        let _ = self.0.recv().await;
    }
}
