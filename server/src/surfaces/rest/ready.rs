//! `GET /health/ready`: reports that the service can run verbs.

use axum::{Json, extract::State, http::StatusCode};
use engine::Engine;
use serde::Serialize;
use utoipa::ToSchema;
use wire::ProblemCode;

use super::ApiProblem;
use crate::refusals::{Refused, refusals};

/// Readiness of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Readiness {
    /// True if the config is valid and tmux answers.
    ready: bool,
    /// Code of the problem, if not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    code: Option<ProblemCode>,
    /// Message of the problem, if not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<String>,
}

refusals!(Refusals = Refused::with(&[]).of_json());

/// Check that the service is ready
///
/// Ready means that the config is valid and tmux answers.
#[utoipa::path(get, path = "/health/ready", operation_id = "get_readiness", tag = "service",
    responses(
        (status = 200, description = "Ready", body = Readiness),
        (status = 503, description = "Not ready, with the reason", body = Readiness),
        Refusals
    ))]
pub(super) async fn ready(State(engine): State<Engine>) -> (StatusCode, Json<Readiness>) {
    match engine.ready().await.map_err(ApiProblem::from) {
        Ok(()) => (StatusCode::OK, Json(Readiness { ready: true, code: None, detail: None })),
        Err(problem) => {
            let (code, detail) = problem.told();
            let unready = Readiness { ready: false, code: Some(code), detail: Some(detail) };
            (StatusCode::SERVICE_UNAVAILABLE, Json(unready))
        }
    }
}
