//! `POST /api/v1/standing-sessions/delete`: stops a created session and removes its record.

use engine::StandingApi as _;
use wire::{ControlReport, DeleteRequest, ProblemCode};

use super::{ApiProblem, Called};
use crate::{
    refusals::{Refused, refusals},
    surfaces::rest::body::Json,
};

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::Declared,
        ProblemCode::UnknownSession,
        ProblemCode::Misconfigured,
        ProblemCode::Registry,
        ProblemCode::TmuxSilent,
        ProblemCode::Busy
    ])
    .of_json()
    .of_body()
);

/// Delete a created session
///
/// Stops the session and removes its record. Fails for a declared session, because its entry in the config would create
/// it again.
#[utoipa::path(post, path = "/api/v1/standing-sessions/delete", operation_id = "delete_standing_session", tag = "sessions", request_body = DeleteRequest,
    responses((status = 200, description = "Report of the command", body = ControlReport), Refusals))]
pub(in crate::surfaces::rest) async fn delete(
    Called(engine): Called,
    Json(request): Json<DeleteRequest>,
) -> Result<axum::Json<ControlReport>, ApiProblem> {
    Ok(axum::Json(engine.delete(&request).await?))
}
