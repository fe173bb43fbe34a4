//! `GET /api/v1/standing-sessions/screen?name=&lines=`: returns the content of a session's pane as plain text.

use axum::{Json, extract::State};
use engine::{Engine, StandingApi as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use wire::ProblemCode;

use super::ApiProblem;
use crate::{
    refusals::{Refused, refusals},
    surfaces::rest::query::Query,
};

const DEFAULT_LINES: usize = 50;

/// Maximum number of lines: more than the height of a pane, less than its whole history.
const MAX_LINES: usize = 500;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::surfaces::rest) struct Asked {
    /// The session
    #[param(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops")]
    name: String,
    /// Number of lines from the end: 50 by default, at most 500
    #[param(minimum = 0, maximum = 500, nullable = false)]
    lines: Option<usize>,
}

/// Screen of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::surfaces::rest) struct Screen {
    /// The session.
    name: String,
    /// Last lines, as plain text without control characters; empty without a pane.
    text: String,
}

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::UnknownSession,
        ProblemCode::Misconfigured,
        ProblemCode::Registry,
        ProblemCode::TmuxSilent
    ])
    .of_json()
    .of_query()
);

/// Show the screen of a session
#[utoipa::path(get, path = "/api/v1/standing-sessions/screen", operation_id = "read_standing_session_screen", tag = "sessions", params(Asked),
    responses((status = 200, description = "The screen", body = Screen), Refusals))]
pub(in crate::surfaces::rest) async fn screen(
    State(engine): State<Engine>,
    Query(Asked { name, lines }): Query<Asked>,
) -> Result<Json<Screen>, ApiProblem> {
    let lines = lines.unwrap_or(DEFAULT_LINES);
    if lines > MAX_LINES {
        let text = format!("`lines` is {lines}: use at most {MAX_LINES}");
        return Err(ApiProblem::new(ProblemCode::InvalidBody, text));
    }
    let text = engine.screen(&name, lines).await?;
    Ok(Json(Screen { name, text }))
}
