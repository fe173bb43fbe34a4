//! `GET /api/v1/health` and `GET /health`: that the service is up, and which one it is.

use axum::Json;
use serde::Serialize;

/// What the health routes answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Health {
    status: &'static str,
    version: &'static str,
}

pub(super) async fn health() -> Json<Health> {
    Json(Health { status: "ok", version: crate::VERSION })
}
