//! `GET /events`: the Events page.

use app::timeline::{EventsQuery, EventsShell, EventsShellProps, load_events};
use axum::{
    extract::{RawQuery, Request, State},
    response::Response,
};

use super::{PageState, assets, inert};

/// Serves the Events page. All data is read from the core before rendering starts.
pub(super) async fn events(State(state): State<PageState>, RawQuery(query): RawQuery, request: Request) -> Response {
    let page = load_events(&state.context, EventsQuery::parse(query.as_deref().unwrap_or_default())).await;
    let shell = move || EventsShell(EventsShellProps { assets: assets(), page: page.clone() });
    inert(leptos_axum::render_app_async_with_context(|| {}, shell)(request).await).await
}
