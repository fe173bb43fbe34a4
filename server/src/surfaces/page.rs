//! Mounts the Standing screen, its server functions and its assets.
//!
//! Routes here are given by full path. Under `/api/` each needs its own exact path: the REST router owns the rest of
//! that prefix, so that an unknown address there is never answered with a page. The guard and the security headers are
//! around this router already; the page sets its own content security policy.

mod events;
mod parts;
mod session;
mod stream;

use app::{AppContext, Assets, Query, Shell, ShellProps};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{FromRef, Request, State},
    http::{Method, StatusCode, Uri},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use engine::Engine;
use leptos::{prelude::provide_context, server_fn};
use standing::{Caller, text};
use tower_http::compression::CompressionLayer;

use super::stream::Live;
use crate::{access::Peer, assets};

/// Maximum length of the error for an unreadable form, in bytes.
const MOST_TOLD: usize = 4096;

/// Shared state of the page's routes.
#[derive(Clone, Debug)]
struct PageState {
    context: AppContext,
    live: Live,
}

impl FromRef<PageState> for AppContext {
    fn from_ref(state: &PageState) -> Self {
        state.context.clone()
    }
}

/// Returns all routes except REST.
pub(crate) fn router(engine: Engine, live: Live) -> Router {
    let state = PageState { context: AppContext::new(engine), live };
    Router::new()
        .route("/", get(standing))
        .route("/events", get(events::events))
        .route("/standing/{name}", get(session::session))
        .route("/standing/{name}/scrollback", get(session::scrollback))
        .route("/app/row/{name}", get(parts::row))
        .route("/app/menu/{name}", get(parts::menu))
        .route("/app/confirm", get(parts::confirm))
        .route("/app/notice/{id}", get(parts::notice))
        .route("/app/{area}/{verb}", post(server_function))
        .method_not_allowed_fallback(wrong_method)
        // Pages are compressed, and streams are not.
        .layer(CompressionLayer::new())
        .route("/app/stream", get(stream::stream))
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
    if !server_fn::axum::server_fn_paths().any(|(path, _)| path == uri.path()) {
        return not_found(uri).await.into_response();
    }
    let peer = request.extensions().get::<Peer>().copied();
    let context = context.called_by(move || peer.map_or(Caller::Unidentified, Peer::caller));
    let answered = leptos_axum::handle_server_fns_with_context(move || provide_context(context.clone()), request);
    let response = answered.await.into_response();
    // The app's own redirects use 303. A form with unreadable fields would be redirected without a message.
    if !matches!(response.status(), StatusCode::FOUND | StatusCode::INTERNAL_SERVER_ERROR) {
        return response;
    }
    let status = response.status();
    let told = to_bytes(response.into_body(), MOST_TOLD)
        .await
        .ok()
        .and_then(|bytes| String::from_utf8(bytes.into()).ok())
        .unwrap_or_default();
    // Programs get the status of an internal error for this case, and for a real internal error as well.
    if status == StatusCode::INTERNAL_SERVER_ERROR
        && !["Args|", "MissingArg|"].iter().any(|kind| told.starts_with(kind))
    {
        return (status, told).into_response();
    }
    let reason = told.split_once('|').map_or(told.as_str(), |(_, reason)| reason);
    (StatusCode::UNPROCESSABLE_ENTITY, format!("invalid form: {reason}\n")).into_response()
}

fn assets() -> Assets {
    Assets {
        bundle: assets::bundle(),
        stylesheet: assets::address("pkg/the-loop.css"),
        icon: assets::address("favicon.svg"),
    }
}

async fn wrong_method(method: Method, uri: Uri) -> (StatusCode, String) {
    let text = format!("`{}` does not take {method}: the header `allow` tells what it takes\n", uri.path());
    (StatusCode::METHOD_NOT_ALLOWED, text)
}

async fn not_found(uri: Uri) -> (StatusCode, String) {
    (StatusCode::NOT_FOUND, format!("no page at `{}`\n", uri.path()))
}
