//! `GET /api/v1/standing-sessions/history?name=&limit=`: returns what was said in the conversations of a session.

use axum::{Json, extract::State};
use engine::{Engine, StandingApi as _};
use serde::Deserialize;
use utoipa::IntoParams;
use wire::{History, ProblemCode};

use super::ApiProblem;
use crate::{
    refusals::{Refused, refusals},
    surfaces::rest::query::Query,
};

const DEFAULT_LIMIT: usize = 50;

const MAX_LIMIT: usize = 1000;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::surfaces::rest) struct Asked {
    /// The session
    #[param(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops")]
    name: String,
    /// Number of texts, the last ones: 50 by default, at most 1000
    #[param(minimum = 0, maximum = 1000, nullable = false)]
    limit: Option<usize>,
}

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

/// Show what was said in a session
///
/// Messages and answers of its conversations, former ones included, from the transcripts of its harness.
#[utoipa::path(get, path = "/api/v1/standing-sessions/history", operation_id = "get_standing_session_history", tag = "sessions", params(Asked),
    responses((status = 200, description = "The history", body = History), Refusals))]
pub(in crate::surfaces::rest) async fn history(
    State(engine): State<Engine>,
    Query(Asked { name, limit }): Query<Asked>,
) -> Result<Json<History>, ApiProblem> {
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    if limit > MAX_LIMIT {
        let text = format!("`limit` is {limit}: use at most {MAX_LIMIT}");
        return Err(ApiProblem::new(ProblemCode::InvalidBody, text));
    }
    Ok(Json(engine.history(&name, limit).await?))
}
