//! `GET /api/v1/standing-sessions/turn?name=&id=&wait=`: returns the turn of a message.

use std::time::Duration;

use axum::{Json, extract::State};
use engine::{Engine, StandingApi as _};
use serde::Deserialize;
use utoipa::IntoParams;
use wire::{ProblemCode, Turn};

use super::ApiProblem;
use crate::{
    refusals::{Refused, refusals},
    surfaces::rest::query::Query,
};

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::surfaces::rest) struct Asked {
    /// The session
    #[param(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops")]
    name: String,
    /// Id of the message, as in its receipt
    #[param(min_length = 1)]
    id: String,
    /// Seconds to wait for the end of the turn: 0 by default, at most 600
    #[param(minimum = 0, maximum = 600, nullable = false)]
    wait: Option<u32>,
}

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::UnknownMessage,
        ProblemCode::Misconfigured,
        ProblemCode::Registry
    ])
    .of_json()
    .of_query()
);

/// Show the turn of a message
///
/// Returns the answer of the agent once it has answered. With `wait`, waits for the end of the turn; the wait delays no
/// other request.
#[utoipa::path(get, path = "/api/v1/standing-sessions/turn", operation_id = "get_standing_session_turn", tag = "sessions", params(Asked),
    responses((status = 200, description = "The turn", body = Turn), Refusals))]
pub(in crate::surfaces::rest) async fn turn(
    State(engine): State<Engine>,
    Query(Asked { name, id, wait }): Query<Asked>,
) -> Result<Json<Turn>, ApiProblem> {
    let invalid = |reason| ApiProblem::new(ProblemCode::InvalidBody, reason);
    let wait: Duration = wire::wait_time(wait.unwrap_or_default()).map_err(invalid)?;
    Ok(Json(engine.turn(&name, &id, wait).await?))
}
