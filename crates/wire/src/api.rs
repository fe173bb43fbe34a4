//! The verbs as a trait, with one implementation in process and one over HTTP.

use std::{error::Error, time::Duration};

use crate::{
    AnswerRequest, ControlReport, ControlRequest, CreateRequest, DeleteRequest, Explanation, History, Problem, Remedy,
    Row, SayReceipt, SayRequest, Turn,
};

/// Verbs on standing sessions, run by the core in this process or by a service.
///
/// A session that fails to start or stop is not an error but a row with [`Outcome::Failed`](crate::Outcome::Failed).
/// A verb that has begun runs to its end, even if the future is dropped.
pub trait StandingApi: Send + Sync {
    /// Error of a verb that was not done.
    type Error: Refusal;

    /// Returns all declared and recorded sessions, sorted by name.
    fn list(&self) -> impl Future<Output = Result<Vec<Row>, Self::Error>> + Send;

    /// Returns one session.
    fn get(&self, name: &str) -> impl Future<Output = Result<Row, Self::Error>> + Send;

    /// Explains the state of one session: each source with its age, and why one of them counts.
    fn explain(&self, name: &str) -> impl Future<Output = Result<Explanation, Self::Error>> + Send;

    /// Returns the last `lines` lines of a session's pane as plain text; empty without a pane.
    fn screen(&self, name: &str, lines: usize) -> impl Future<Output = Result<String, Self::Error>> + Send;

    /// Creates a session, and starts it unless the request says otherwise.
    fn create(&self, request: &CreateRequest) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Stops a created session and removes its record.
    fn delete(&self, request: &DeleteRequest) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Starts, stops or restarts one session. An empty name is refused.
    fn control(&self, request: &ControlRequest) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Starts every session.
    fn start_all(&self) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Stops every recorded session.
    fn stop_all(&self) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Pastes text into a running session and submits it. With `wait`, waits for its answer as well.
    fn say(&self, request: &SayRequest) -> impl Future<Output = Result<SayReceipt, Self::Error>> + Send;

    /// Returns the turn of a message of a session, waiting up to `wait` for its end. The wait holds neither the session
    /// nor a thread.
    fn turn(&self, name: &str, id: &str, wait: Duration) -> impl Future<Output = Result<Turn, Self::Error>> + Send;

    /// Returns the last `limit` texts of a session's conversations, former ones included.
    fn history(&self, name: &str, limit: usize) -> impl Future<Output = Result<History, Self::Error>> + Send;

    /// Selects one of the answers that the prompt of a session offers.
    fn answer(&self, request: &AnswerRequest) -> impl Future<Output = Result<SayReceipt, Self::Error>> + Send;
}

/// Error of a verb that was not done.
pub trait Refusal: Error + Send + Sync + 'static {
    /// Returns the refusal as every surface shows it; `None` if the service could not be reached.
    fn problem(&self) -> Option<Problem>;

    /// Returns the actions that help, most likely first; empty if none is known.
    fn remedies(&self) -> Vec<Remedy> {
        self.problem().map_or_else(Vec::new, |problem| problem.remedies)
    }

    /// Returns the exit status of a command that ends with this refusal: 2 for a mistake of the caller, else 1.
    fn exit_code(&self) -> u8 {
        self.problem().map_or(1, |problem| problem.code.exit_code())
    }
}
