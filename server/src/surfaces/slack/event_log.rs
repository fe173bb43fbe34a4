//! The event log for asynchronous tasks: events are written in their order, beside the tasks, since a line may wait
//! for a lock.

use engine::Engine;
use standing::events::Event;
use tokio::{sync::mpsc, task::JoinHandle};

/// How many events may wait to be written.
const MOST: usize = 1024;

/// A way into the event log.
#[derive(Clone, Debug)]
pub(super) struct EventLog(mpsc::Sender<Event>);

impl EventLog {
    /// Begins to write. The task ends once the last way in is dropped and everything is written.
    pub(super) fn open(engine: Engine) -> (Self, JoinHandle<()>) {
        let (sender, mut events) = mpsc::channel(MOST);
        let writing = tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                engine.read(move |the_loop| the_loop.emit(event)).await;
            }
        });
        (Self(sender), writing)
    }

    /// Has an event written.
    pub(super) fn emit(&self, event: Event) {
        if self.0.try_send(event).is_err() {
            tracing::warn!("dropped a Slack event: the event log cannot keep up");
        }
    }
}
