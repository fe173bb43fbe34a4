//! `POST /api/v1/standing-sessions/create`: makes a session, and starts it unless told otherwise.

use axum::extract::State;
use standing::TheLoop;
use wire::{ControlReport, CreateRequest};

use super::{ApiProblem, ask};
use crate::rest::body::Json;

pub(in crate::rest) async fn create(
    State(the_loop): State<TheLoop>,
    Json(request): Json<CreateRequest>,
) -> Result<axum::Json<ControlReport>, ApiProblem> {
    ask(the_loop, move |standing| standing.create(&request)).await.map(axum::Json)
}
