//! Mounts the Standing screen, its server functions and its assets.
//!
//! Routes here are given by full path. Under `/api/` each needs its own exact path: the REST router owns the rest of
//! that prefix, so that an unknown address there is never answered with a page. The guard and the security headers are
//! around this router already; the page sets its own content security policy.

mod events;
mod parts;
mod session;
mod stream;
pub(crate) mod terminal;

use app::{AppContext, Assets, Query, Shell, ShellProps};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{FromRef, Request, State},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use engine::Engine;
use leptos::{prelude::provide_context, server_fn};
use standing::{Caller, text};
use tower_http::compression::CompressionLayer;
use wire::{Problem, ProblemCode};

use super::stream::{Live, Permits};
use crate::{
    access::Peer,
    assets,
    problem::{self, ApiProblem, PROBLEM},
};

/// Maximum length of the problem document of a server function, in bytes.
const MOST_TOLD: usize = 1 << 20;

/// Shared state of the page's routes.
#[derive(Clone, Debug)]
struct PageState {
    context: AppContext,
    live: Live,
    terminals: Permits,
}

impl FromRef<PageState> for AppContext {
    fn from_ref(state: &PageState) -> Self {
        state.context.clone()
    }
}

/// Returns all routes except REST.
pub(crate) fn router(engine: Engine, live: Live) -> Router {
    let state = PageState { context: AppContext::new(engine), live, terminals: Permits::default() };
    Router::new()
        .route("/", get(standing))
        .route("/events", get(events::events))
        .route("/standing/{name}", get(session::session))
        .route("/standing/{name}/scrollback", get(session::scrollback))
        .route("/standing/{name}/terminal", get(terminal::page))
        .route("/app/row/{name}", get(parts::row))
        .route("/app/menu/{name}", get(parts::menu))
        .route("/app/sent/{name}", get(parts::sent))
        .route("/app/confirm", get(parts::confirm))
        .route("/app/notice/{id}", get(parts::notice))
        .route("/app/{area}/{verb}", post(server_function))
        .method_not_allowed_fallback(wrong_method)
        // Pages are compressed, and streams are not.
        .layer(CompressionLayer::new())
        .route("/app/stream", get(stream::stream))
        .route("/app/terminal/{name}", get(terminal::socket))
        .with_state(state)
        .merge(assets::router())
        .fallback(not_found)
}

/// Serves the Standing screen. All data is read from the core before rendering starts.
async fn standing(State(context): State<AppContext>, uri: Uri, request: Request) -> Response {
    let page = app::load(&context, Query::parse(uri.query().unwrap_or_default())).await;
    let shell = move || Shell(ShellProps { assets: assets(), page: page.clone() });
    inert(leptos_axum::render_app_async_with_context(|| {}, shell)(request).await).await
}

/// Removes control characters from the page. Descriptions, paths and drafts come from files and from other people, and
/// this covers every place that shows one.
async fn inert(page: Response) -> Response {
    let (parts, body) = page.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(html) => Response::from_parts(parts, text::inert(&String::from_utf8_lossy(&html)).into()),
        Err(error) => {
            tracing::error!(%error, "could not render the page");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Handles a posted form of the page.
async fn server_function(State(context): State<AppContext>, uri: Uri, request: Request<Body>) -> Response {
    let by_page = is_of_page(request.headers());
    if !server_fn::axum::server_fn_paths().any(|(path, _)| path == uri.path()) {
        let text = format!("no page at `{}`", uri.path());
        return if by_page { not_found(uri).await.into_response() } else { ApiProblem::no_route(text).into_response() };
    }
    let peer = request.extensions().get::<Peer>().copied();
    let context = context.called_by(move || peer.map_or(Caller::Unidentified, Peer::caller));
    let answered = leptos_axum::handle_server_fns_with_context(move || provide_context(context.clone()), request);
    let response = answered.await.into_response();
    // The app's own redirects use 303. The framework would redirect a form with unreadable fields without a message.
    if response.status() == StatusCode::SEE_OTHER || !is_problem(&response) {
        return response;
    }
    let problem = match read_problem(response).await {
        Some(problem) if problem.code != ProblemCode::Internal => ApiProblem::from(problem),
        fault => {
            tracing::error!("a form failed: {}", fault.map_or_else(|| "no reason".to_owned(), |fault| fault.detail));
            problem::fault()
        }
    };
    if by_page { problem.in_plain_text() } else { problem.into_response() }
}

/// True for a browser that submits a form, and for the page's own scripts.
fn is_of_page(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    accept.contains("text/html") || headers.contains_key("x-part")
}

fn is_problem(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == PROBLEM)
}

async fn read_problem(response: Response) -> Option<Problem> {
    let body = to_bytes(response.into_body(), MOST_TOLD).await.ok()?;
    serde_json::from_slice(&body).ok()
}

fn assets() -> Assets {
    Assets {
        bundle: assets::bundle(),
        stylesheet: assets::address("pkg/the-loop.css"),
        icon: assets::address("favicon.svg"),
        manifest: assets::address("the-loop.webmanifest"),
    }
}

async fn wrong_method(method: Method, uri: Uri) -> (StatusCode, String) {
    let text = format!("`{}` does not take {method}: the header `allow` tells what it takes\n", uri.path());
    (StatusCode::METHOD_NOT_ALLOWED, text)
}

async fn not_found(uri: Uri) -> (StatusCode, String) {
    (StatusCode::NOT_FOUND, format!("no page at `{}`\n", uri.path()))
}
