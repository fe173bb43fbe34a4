//! Types that cross a boundary: rows, requests, reports, receipts, problems and names.
//!
//! Every surface (REST, server functions, MCP, the SDKs, the command line) uses these types, so each verb has one
//! shape everywhere. Field names are published: they may be added, never renamed.
//!
//! This crate must stay free of I/O and of every framework: it also compiles to WebAssembly.

mod api;
mod attention;
mod blocked;
mod change;
mod explanation;
mod finding;
mod header;
mod history;
mod labels;
mod lifecycle;
mod name;
mod plan;
mod problem;
mod remedy;
mod report;
mod request;
mod row;
mod say;
mod turn;
mod whole;

pub use api::{Refusal, StandingApi};
pub use attention::{Attention, Need, attention};
pub use blocked::{Block, Blocked};
pub use change::SessionChange;
pub use explanation::{Explanation, Source, Witness};
pub use finding::{Check, Finding, Severity};
pub use header::{Received, message_header, message_id};
pub use history::{History, Speaker, Spoken};
pub use lifecycle::{LifecycleReport, ServiceOutcome, ServiceRow};
pub use name::{InvalidName, InvalidRef, SessionName, StandingRef, TMUX_PREFIX, WorkItemRef};
pub use plan::{PlannedAction, PlannedSession};
pub use problem::{Problem, ProblemCode};
pub use remedy::{Remedy, with_remedies};
pub use report::ControlReport;
pub use request::{
    AnswerRequest, ControlBody, ControlRequest, ControlVerb, CreateRequest, DeleteRequest, LONGEST_WAIT, SayRequest,
    SecretSource, wait_time,
};
pub use row::{Activity, Choice, Outcome, Row, State, Status};
pub use say::{Evidence, Message, SayReceipt, Stream, Verdict};
pub use turn::{Turn, TurnState};
pub use whole::whole;
