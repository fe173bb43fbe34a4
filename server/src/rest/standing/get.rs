//! `GET /api/v1/standing-sessions/one?name=`: one session.

use axum::{Json, extract::State};
use standing::TheLoop;
use wire::Row;

use super::{ApiProblem, Named, ask};
use crate::rest::query::Query;

pub(in crate::rest) async fn get(
    State(the_loop): State<TheLoop>,
    Query(Named { name }): Query<Named>,
) -> Result<Json<Row>, ApiProblem> {
    ask(the_loop, move |standing| standing.get(&name)).await.map(Json)
}
