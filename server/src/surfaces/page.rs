//! The one place where the Standing screen, its server functions and its assets are mounted.
//!
//! Routes here are given by full path. Under `/api/` each needs its own exact path: the REST router owns the rest of
//! that prefix, so that an unknown address there is never answered with a page. The guard and the security headers
//! stand around this router already; the page sets the content security policy that it needs itself.

use app::{AppContext, Assets, Query, Shell, ShellProps};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{Method, StatusCode, Uri},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use engine::Engine;
use leptos::{prelude::provide_context, server_fn};
use standing::{Caller, text};

use crate::{access::Peer, assets};

/// How much is told of a form that cannot be read, in bytes.
const MOST_TOLD: usize = 4096;

/// Everything that is not REST.
pub(crate) fn router(engine: Engine) -> Router {
    let context = AppContext::new(engine);
    Router::new()
        .route("/", get(standing))
        .route(&format!("{}/{{*verb}}", app::serverfns::PREFIX), post(server_function))
        .method_not_allowed_fallback(wrong_method)
        .with_state(context)
        .merge(assets::router())
        .fallback(not_found)
}

/// The Standing screen. Everything is asked from the core before rendering begins.
async fn standing(State(context): State<AppContext>, uri: Uri, request: Request) -> Response {
    let page = app::load(&context, Query::parse(uri.query().unwrap_or_default())).await;
    let shell = move || Shell(ShellProps { assets: assets(), page: page.clone() });
    inert(leptos_axum::render_app_async_with_context(|| {}, shell)(request).await).await
}

/// The page without control characters: descriptions, paths and drafts come from files and from other people, and
/// every place on the page that shows one is covered here.
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

/// A form of the page, posted.
async fn server_function(State(context): State<AppContext>, uri: Uri, request: Request<Body>) -> Response {
    if !server_fn::axum::server_fn_paths().any(|(path, _)| path == uri.path()) {
        return not_found(uri).await.into_response();
    }
    let peer = request.extensions().get::<Peer>().copied();
    let context = context.called_by(move || peer.map_or(Caller::Unidentified, Peer::caller));
    let answered = leptos_axum::handle_server_fns_with_context(move || provide_context(context.clone()), request);
    let response = answered.await.into_response();
    // Ours send a browser on by 303. Where the fields cannot be read at all it would be sent back without a word.
    if !matches!(response.status(), StatusCode::FOUND | StatusCode::INTERNAL_SERVER_ERROR) {
        return response;
    }
    let status = response.status();
    let told = to_bytes(response.into_body(), MOST_TOLD)
        .await
        .ok()
        .and_then(|bytes| String::from_utf8(bytes.into()).ok())
        .unwrap_or_default();
    // A program is told with the status of a fault of ours, and so is a fault of ours.
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
