//! `GET /api/v1/health` and `GET /health`: report that the service is running, and its version.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::refusals::{Refused, refusals};

/// State of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
    /// Version of the service.
    #[schema(example = "0.1.0")]
    version: &'static str,
}

refusals!(Refusals = Refused::with(&[]).of_json());

/// Check that the service is running
#[utoipa::path(get, path = "/api/v1/health", operation_id = "get_health", tag = "service",
    responses((status = 200, description = "Alive", body = Health), Refusals))]
pub(super) async fn health() -> Json<Health> {
    Json(Health { status: "ok", version: crate::VERSION })
}

/// Check that the service is running (alias for monitors)
#[utoipa::path(get, path = "/health", operation_id = "get_health_at_root", tag = "service",
    responses((status = 200, description = "Alive", body = Health), Refusals))]
pub(super) async fn health_at_root() -> Json<Health> {
    health().await
}
