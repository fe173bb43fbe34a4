//! `GET /api/v1/standing-sessions`: every session, sorted by name.

use axum::{Json, extract::State};
use standing::TheLoop;
use wire::Row;

use super::{ApiProblem, ask};

pub(in crate::rest) async fn list(State(the_loop): State<TheLoop>) -> Result<Json<Vec<Row>>, ApiProblem> {
    ask(the_loop, |standing| standing.list()).await.map(Json)
}
