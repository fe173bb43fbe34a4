//! `POST /api/v1/standing-sessions/create`: creates a session, and starts it unless told otherwise.

use engine::StandingApi as _;
use wire::{ControlReport, CreateRequest, ProblemCode};

use super::{ApiProblem, Called};
use crate::{
    refusals::{Refused, refusals},
    surfaces::rest::body::Json,
};

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::InvalidRequest,
        ProblemCode::NameTaken,
        ProblemCode::Misconfigured,
        ProblemCode::Registry,
        ProblemCode::TmuxSilent,
        ProblemCode::Busy
    ])
    .of_json()
    .of_body()
);

/// Create a session
///
/// Stores the definition and, by default, starts the session. If it does not start, it is removed again, and its row
/// has the reason.
#[utoipa::path(post, path = "/api/v1/standing-sessions/create", operation_id = "create_standing_session", tag = "sessions", request_body = CreateRequest,
    responses((status = 200, description = "Report of the command", body = ControlReport), Refusals))]
pub(in crate::surfaces::rest) async fn create(
    Called(engine): Called,
    Json(request): Json<CreateRequest>,
) -> Result<axum::Json<ControlReport>, ApiProblem> {
    Ok(axum::Json(engine.create(&request).await?))
}
