//! The REST interface, prefix `/api/v1`, JSON in and out.
//!
//! One operation a file, under the verb's own name. A handler reads its request, calls one verb of the core on a
//! blocking thread, and hands back the core's own type; it decides nothing. Every refusal, those of the router
//! included, is a problem document (RFC 9457) and never a page.

mod body;
mod health;
mod problem;
mod query;
mod request_id;
mod standing;

use axum::{
    Router,
    http::{HeaderValue, Method, Uri, header::CACHE_CONTROL},
    middleware,
    routing::{any, get, post},
};
use tower_http::{catch_panic::CatchPanicLayer, set_header::SetResponseHeaderLayer};

use ::standing::TheLoop;

pub use body::MAX_BODY_BYTES;
pub(crate) use problem::ApiProblem;
pub(crate) use request_id::request_id;

/// The REST routes of one instance, by full path, to be merged into any axum application.
///
/// Whoever mounts it elsewhere answers for who gets in: the guard is the host's (see [`crate::host::router`]).
pub fn router(the_loop: TheLoop) -> Router {
    routes()
        .method_not_allowed_fallback(wrong_method)
        .with_state(the_loop)
        .layer(middleware::from_fn(body::limit))
        .layer(SetResponseHeaderLayer::overriding(CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .layer(CatchPanicLayer::custom(problem::of_panic))
        .layer(middleware::from_fn(request_id))
}

fn routes() -> Router<TheLoop> {
    let sessions = "/api/v1/standing-sessions";
    Router::new()
        .route("/health", get(health::health))
        .route("/api/v1/health", get(health::health))
        .route(sessions, get(standing::list::list))
        .route(&format!("{sessions}/one"), get(standing::get::get))
        .route(&format!("{sessions}/screen"), get(standing::screen::screen))
        .route(&format!("{sessions}/create"), post(standing::create::create))
        .route(&format!("{sessions}/delete"), post(standing::delete::delete))
        .route(&format!("{sessions}/control"), post(standing::control::control))
        .route(&format!("{sessions}/say"), post(standing::say::say))
        .route("/api", any(no_route))
        .route("/api/", any(no_route))
        .route("/api/{*rest}", any(no_route))
}

async fn no_route(uri: Uri) -> ApiProblem {
    ApiProblem::no_route(format!(
        "there is no route `{}`: `GET /api/v1/standing-sessions` lists the sessions",
        uri.path()
    ))
}

async fn wrong_method(method: Method, uri: Uri) -> ApiProblem {
    ApiProblem::no_route(format!("`{}` does not take {method}: the header `allow` tells what it takes", uri.path()))
        .with_status(405)
}
