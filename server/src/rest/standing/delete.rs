//! `POST /api/v1/standing-sessions/delete`: stops a created session and removes its record.

use axum::extract::State;
use standing::TheLoop;
use wire::{ControlReport, DeleteRequest};

use super::{ApiProblem, ask};
use crate::rest::body::Json;

pub(in crate::rest) async fn delete(
    State(the_loop): State<TheLoop>,
    Json(request): Json<DeleteRequest>,
) -> Result<axum::Json<ControlReport>, ApiProblem> {
    ask(the_loop, move |standing| standing.delete(&request)).await.map(axum::Json)
}
