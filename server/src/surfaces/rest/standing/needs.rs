//! `GET /api/v1/needs`: everything that needs a person, the most urgent first.

use axum::{Json, extract::State};
use engine::{Engine, StandingApi as _};
use wire::{Attention, ProblemCode};

use super::ApiProblem;
use crate::refusals::{Refused, refusals};

refusals!(Refusals = Refused::with(&[ProblemCode::Misconfigured, ProblemCode::Registry]).of_json());

/// List what needs a person
///
/// The most urgent need first, and then the longest-lasting. Needs of the kind `answer` are news: nobody has to act.
#[utoipa::path(get, path = "/api/v1/needs", operation_id = "list_needs", tag = "sessions",
    responses((status = 200, description = "The needs", body = Vec<Attention>), Refusals))]
pub(in crate::surfaces::rest) async fn needs(State(engine): State<Engine>) -> Result<Json<Vec<Attention>>, ApiProblem> {
    Ok(Json(wire::attention(&engine.list().await?)))
}
