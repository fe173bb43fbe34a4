//! `GET /standing/{name}`: the page of a session. `GET /standing/{name}/scrollback?before=N`: the lines of its history
//! above the line with that number, as HTML for the page's own scripts.

use app::{AppContext, Found, MissingShell, MissingShellProps, SessionShell, SessionShellProps, Shell, ShellProps};
use axum::{
    extract::{Path, RawQuery, Request, State},
    http::{HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use leptos::IntoView;
use standing::text;

use super::{assets, inert};

/// Serves the page of a session. For an unknown name it is a list of similar ones.
pub(super) async fn session(
    State(context): State<AppContext>,
    Path(name): Path<String>,
    uri: Uri,
    request: Request,
) -> Response {
    match app::load_session(&context, &name, uri.query().unwrap_or_default()).await {
        Found::Session(page) => {
            let shell = move || SessionShell(SessionShellProps { assets: assets(), page: (*page).clone() });
            rendered(request, shell).await
        }
        Found::Missing(page) => {
            let shell = move || MissingShell(MissingShellProps { assets: assets(), page: page.clone() });
            let mut response = rendered(request, shell).await;
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        }
        Found::Trouble(page) => {
            let shell = move || Shell(ShellProps { assets: assets(), page: (*page).clone() });
            rendered(request, shell).await
        }
    }
}

async fn rendered<V: IntoView + 'static>(
    request: Request,
    shell: impl Fn() -> V + Clone + Send + Sync + 'static,
) -> Response {
    inert(leptos_axum::render_app_async_with_context(|| {}, shell)(request).await).await
}

/// Serves a page of a session's history. Without `before`, the lines just above the screen.
pub(super) async fn scrollback(
    State(context): State<AppContext>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let before = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "before");
    let before = match before.map(|(_, number)| number.parse()) {
        None => usize::MAX,
        Some(Ok(number)) => number,
        Some(Err(_)) => return (StatusCode::BAD_REQUEST, "`before` is not the number of a line\n").into_response(),
    };
    match app::scrollback_part(&context, &name, before).await {
        Ok(Some(html)) => {
            let headers = [
                (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
                (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
            ];
            (headers, text::inert(&html)).into_response()
        }
        Ok(None) => (StatusCode::NOT_FOUND, "The session has no pane.\n").into_response(),
        Err(error) => {
            let status = StatusCode::from_u16(error.problem().status).unwrap_or(StatusCode::BAD_REQUEST);
            (status, format!("{error}\n")).into_response()
        }
    }
}
