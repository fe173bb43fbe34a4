//! `GET /api/v1/standing-sessions`: every session, sorted by name.

use axum::{Json, extract::State};
use engine::{Engine, StandingApi as _};
use wire::{ProblemCode, Row};

use super::ApiProblem;
use crate::openapi::{Refused, refusals};

refusals!(Refusals = Refused::with(&[ProblemCode::Misconfigured, ProblemCode::Registry]).of_json());

/// List the sessions
///
/// All declared and recorded sessions, sorted by name.
#[utoipa::path(get, path = "/api/v1/standing-sessions", operation_id = "list_standing_sessions", tag = "sessions",
    responses((status = 200, description = "The sessions", body = Vec<Row>), Refusals))]
pub(in crate::surfaces::rest) async fn list(State(engine): State<Engine>) -> Result<Json<Vec<Row>>, ApiProblem> {
    Ok(Json(engine.list().await?))
}
