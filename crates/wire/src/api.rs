//! The verbs as a trait: the same calls, whoever does them.

use std::error::Error;

use crate::{
    AnswerRequest, ControlReport, ControlRequest, CreateRequest, DeleteRequest, Problem, Remedy, Row, SayReceipt,
    SayRequest,
};

/// The verbs on standing sessions: done by the core in this process, or by a service that was asked to.
///
/// A session that merely fails to start or stop is no error but a row with [`Outcome::Failed`](crate::Outcome::Failed).
/// A verb that has begun runs to its end, even if the future is dropped.
pub trait StandingApi: Send + Sync {
    /// Why a verb was not done.
    type Error: Refusal;

    /// All declared and recorded sessions, sorted by name.
    fn list(&self) -> impl Future<Output = Result<Vec<Row>, Self::Error>> + Send;

    /// One session.
    fn get(&self, name: &str) -> impl Future<Output = Result<Row, Self::Error>> + Send;

    /// The last `lines` lines that a session's pane shows, as plain text; empty without a pane.
    fn screen(&self, name: &str, lines: usize) -> impl Future<Output = Result<String, Self::Error>> + Send;

    /// Makes a session, and starts it unless told otherwise.
    fn create(&self, request: &CreateRequest) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Stops a created session and removes its record.
    fn delete(&self, request: &DeleteRequest) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Starts, stops or restarts one session. An empty name is refused.
    fn control(&self, request: &ControlRequest) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Starts every session.
    fn start_all(&self) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Stops every recorded session.
    fn stop_all(&self) -> impl Future<Output = Result<ControlReport, Self::Error>> + Send;

    /// Pastes text into a running session and submits it.
    fn say(&self, request: &SayRequest) -> impl Future<Output = Result<SayReceipt, Self::Error>> + Send;

    /// Chooses one of the answers that a session offers to its own question.
    fn answer(&self, request: &AnswerRequest) -> impl Future<Output = Result<SayReceipt, Self::Error>> + Send;
}

/// Why a verb was not done.
pub trait Refusal: Error + Send + Sync + 'static {
    /// The refusal as every surface tells it; none if nobody was reached who could refuse.
    fn problem(&self) -> Option<Problem>;

    /// The acts that help, the likeliest first; none where none is known.
    fn remedies(&self) -> Vec<Remedy> {
        self.problem().map_or_else(Vec::new, |problem| problem.remedies)
    }

    /// The exit status of a command that ends with this refusal: 2 for a mistake of the caller, else 1.
    fn exit_code(&self) -> u8 {
        self.problem().map_or(1, |problem| problem.code.exit_code())
    }
}
