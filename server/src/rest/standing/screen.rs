//! `GET /api/v1/standing-sessions/screen?name=&lines=`: what a session's pane shows, as plain text.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use standing::TheLoop;

use super::{ApiProblem, ask};
use crate::rest::query::Query;

const DEFAULT_LINES: usize = 50;

/// The most lines that are shown: more than a pane is high, less than its whole history.
const MAX_LINES: usize = 500;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::rest) struct Asked {
    name: String,
    lines: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(in crate::rest) struct Screen {
    name: String,
    text: String,
}

pub(in crate::rest) async fn screen(
    State(the_loop): State<TheLoop>,
    Query(Asked { name, lines }): Query<Asked>,
) -> Result<Json<Screen>, ApiProblem> {
    let lines = lines.unwrap_or(DEFAULT_LINES).min(MAX_LINES);
    ask(the_loop, move |standing| {
        let text = standing.screen(&name, lines)?;
        Ok(Json(Screen { name, text }))
    })
    .await
}
