//! `GET /api/v1/standing-sessions`: every session, sorted by name.

use axum::{
    Json,
    extract::State,
    http::{HeaderValue, header::CONTENT_TYPE},
    response::{IntoResponse as _, Response},
};
use engine::{Engine, StandingApi as _};
use wire::{ProblemCode, Row};

use super::ApiProblem;
use crate::refusals::{Refused, refusals};

refusals!(Refusals = Refused::with(&[ProblemCode::Misconfigured, ProblemCode::Registry]).of_json());

/// List the sessions
///
/// All declared and recorded sessions, sorted by name.
/// While a stream is open or Slack is on, the response may be about a second behind changes that others make in tmux; `asOf`
/// of a row is the time at which it was true.
#[utoipa::path(get, path = "/api/v1/standing-sessions", operation_id = "list_standing_sessions", tag = "sessions",
    responses((status = 200, description = "The sessions", body = Vec<Row>), Refusals))]
pub(in crate::surfaces::rest) async fn list(State(engine): State<Engine>) -> Result<Response, ApiProblem> {
    // Serialised once for all callers, as long as nothing changes.
    if let Some(json) = engine.watcher().current().await.and_then(|snapshot| snapshot.json()) {
        return Ok(([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], json).into_response());
    }
    Ok(Json(engine.list().await?).into_response())
}
