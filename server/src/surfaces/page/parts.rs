//! Parts of the page for its own scripts, as HTML without a document around them.

use app::{Query, confirm_part, menu_part, notice_part, row_part, sent_part};
use axum::{
    extract::{Path, RawQuery, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use standing::text;

use super::PageState;

/// Serves the row of a session, unfolded or folded (`?folded`).
pub(super) async fn row(
    State(state): State<PageState>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let open = query.as_deref() != Some("folded");
    answer(row_part(&state.context, &name, open).await)
}

/// Serves the menu of a session.
pub(super) async fn menu(State(state): State<PageState>, Path(name): Path<String>) -> Response {
    answer(menu_part(&state.context, &name).await)
}

/// Serves the texts of the messages to a session.
pub(super) async fn sent(State(state): State<PageState>, Path(name): Path<String>) -> Response {
    answer(sent_part(&state.context, &name).await)
}

/// Serves the confirmation that the query asks for.
pub(super) async fn confirm(State(state): State<PageState>, RawQuery(query): RawQuery) -> Response {
    answer(confirm_part(&state.context, Query::parse(query.as_deref().unwrap_or_default())).await)
}

/// Serves a notice.
pub(super) async fn notice(State(state): State<PageState>, Path(id): Path<String>) -> Response {
    answer(notice_part(&state.context, &id))
}

fn answer(html: Option<String>) -> Response {
    let Some(html) = html else {
        return (StatusCode::NOT_FOUND, "This no longer exists.\n").into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, text::inert(&html)).into_response()
}
