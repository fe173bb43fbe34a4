//! `GET /api/v1/standing-sessions/one?name=`: one session.

use axum::{Json, extract::State};
use engine::{Engine, StandingApi as _};
use wire::{ProblemCode, Row};

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

/// Show one session
#[utoipa::path(get, path = "/api/v1/standing-sessions/one", operation_id = "get_standing_session", tag = "sessions", params(Named),
    responses((status = 200, description = "The session", body = Row), Refusals))]
pub(in crate::surfaces::rest) async fn get(
    State(engine): State<Engine>,
    Query(Named { name }): Query<Named>,
) -> Result<Json<Row>, ApiProblem> {
    Ok(Json(engine.get(&name).await?))
}
