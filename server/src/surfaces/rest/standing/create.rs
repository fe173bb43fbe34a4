//! `POST /api/v1/standing-sessions/create`: makes a session, and starts it unless told otherwise.

use engine::StandingApi as _;
use wire::{ControlReport, CreateRequest, ProblemCode};

use super::{ApiProblem, Called};
use crate::{
    openapi::{Refused, refusals},
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

/// Make a session
///
/// Writes its whole definition and, unless told otherwise, starts it. If it does not start, nothing of it is kept
/// and its row says why.
#[utoipa::path(post, path = "/api/v1/standing-sessions/create", operation_id = "create_standing_session", tag = "sessions", request_body = CreateRequest,
    responses((status = 200, description = "What was done", body = ControlReport), Refusals))]
pub(in crate::surfaces::rest) async fn create(
    Called(engine): Called,
    Json(request): Json<CreateRequest>,
) -> Result<axum::Json<ControlReport>, ApiProblem> {
    Ok(axum::Json(engine.create(&request).await?))
}
