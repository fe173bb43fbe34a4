//! Event log for asynchronous tasks. A separate task writes events in their order, since a line may wait for a lock.

use engine::Engine;
use standing::events::Event;
use tokio::{sync::mpsc, task::JoinHandle};

/// Maximum number of events that wait to be written.
const MOST: usize = 1024;

/// Sender to the event log.
#[derive(Clone, Debug)]
pub(super) struct EventLog(mpsc::Sender<Event>);

impl EventLog {
    /// Starts the writer. Its task ends once the last sender is dropped and everything is written.
    pub(super) fn open(engine: Engine) -> (Self, JoinHandle<()>) {
        let (sender, mut events) = mpsc::channel(MOST);
        let writing = tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                engine.read(move |the_loop| the_loop.emit(event)).await;
            }
        });
        (Self(sender), writing)
    }

    /// Queues an event to be written.
    pub(super) fn emit(&self, event: Event) {
        if self.0.try_send(event).is_err() {
            tracing::warn!("dropped a Slack event: the event log cannot keep up");
        }
    }
}
