//! `GET /api/v1/standing-sessions/explain?name=`: each source of a session's state, and why one of them counts.

use axum::{Json, extract::State};
use engine::{Engine, StandingApi as _};
use wire::{Explanation, ProblemCode};

use super::{ApiProblem, Named};
use crate::{
    refusals::{Refused, refusals},
    surfaces::rest::query::Query,
};

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::UnknownSession,
        ProblemCode::Misconfigured,
        ProblemCode::Registry
    ])
    .of_json()
    .of_query()
);

/// Explain the state of a session
#[utoipa::path(get, path = "/api/v1/standing-sessions/explain", operation_id = "explain_standing_session", tag = "sessions", params(Named),
    responses((status = 200, description = "Each source with its age, and which one counts", body = Explanation), Refusals))]
pub(in crate::surfaces::rest) async fn explain(
    State(engine): State<Engine>,
    Query(Named { name }): Query<Named>,
) -> Result<Json<Explanation>, ApiProblem> {
    Ok(Json(engine.explain(&name).await?))
}
