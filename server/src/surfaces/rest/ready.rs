//! `GET /health/ready`: whether verbs can be done.

use axum::{Json, extract::State, http::StatusCode};
use engine::Engine;
use serde::Serialize;
use utoipa::ToSchema;
use wire::ProblemCode;

use super::ApiProblem;
use crate::openapi::{Refused, refusals};

/// Whether verbs can be done, and what keeps them from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Readiness {
    /// True if the config can be used and tmux answers.
    ready: bool,
    /// What is in the way: the code of a problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    code: Option<ProblemCode>,
    /// The same for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<String>,
}

refusals!(Refusals = Refused::with(&[]).of_json());

/// Whether verbs can be done
///
/// `/health` tells that the service is up; this one asks whether the config can be used and whether tmux answers.
#[utoipa::path(get, path = "/health/ready", operation_id = "get_readiness", tag = "service",
    responses(
        (status = 200, description = "They can", body = Readiness),
        (status = 503, description = "They cannot, for the reason given", body = Readiness),
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
