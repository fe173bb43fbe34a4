//! REST interface, prefix `/api/v1`, JSON in and out.
//!
//! Each operation has its own file, named like the verb. A handler reads its request, calls one verb of the core on a
//! blocking thread, and returns the core's own type; it decides nothing. Every refusal, those of the router included,
//! is a problem document (RFC 9457) and never a page.

mod accept;
mod body;
mod health;
mod idempotency;
pub mod openapi;
mod query;
mod ready;
mod request_id;
mod standing;

use axum::{
    Router,
    extract::FromRef,
    http::{HeaderValue, Method, Uri, header::CACHE_CONTROL},
    middleware,
    routing::any,
};
use tower_http::{catch_panic::CatchPanicLayer, set_header::SetResponseHeaderLayer};
use utoipa::OpenApi as _;
use utoipa_axum::{router::OpenApiRouter, routes};

use engine::Engine;

use super::{
    metrics,
    stream::{self, Live},
};
use crate::problem::{self, ApiProblem};

pub use tokio_util::sync::CancellationToken;

pub use body::MAX_BODY_BYTES;
pub(crate) use request_id::request_id;

/// Shared state of the routes of one instance.
#[derive(Clone, Debug)]
struct Shared {
    engine: Engine,
    live: Live,
}

impl FromRef<Shared> for Engine {
    fn from_ref(shared: &Shared) -> Self {
        shared.engine.clone()
    }
}

impl FromRef<Shared> for Live {
    fn from_ref(shared: &Shared) -> Self {
        shared.live.clone()
    }
}

/// Returns the REST routes of one instance, by full path, to be merged into any axum application.
///
/// An application that mounts them elsewhere is responsible for access control: the guard belongs to the host (see
/// [`crate::router::router`]).
///
/// Streams run until `end` is cancelled; an application that shuts down gracefully otherwise waits for them.
pub fn router(engine: impl Into<Engine>, end: CancellationToken) -> Router {
    router_of(Live::new(engine.into(), end))
}

/// Returns the REST routes with shared streams.
pub(crate) fn router_of(live: Live) -> Router {
    let (routes, _) = routes().split_for_parts();
    let shared = Shared { engine: live.engine().clone(), live };
    routes
        .merge(unknown())
        .method_not_allowed_fallback(wrong_method)
        .with_state(shared)
        .layer(middleware::from_fn(body::limit))
        .layer(SetResponseHeaderLayer::overriding(CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .layer(CatchPanicLayer::custom(problem::of_panic))
        .layer(middleware::from_fn(request_id))
}

/// Returns the description of every route, from the routes themselves.
pub(crate) fn described() -> utoipa::openapi::OpenApi {
    routes().into_openapi()
}

/// Returns every route with its description. Routes can be added only here.
fn routes() -> OpenApiRouter<Shared> {
    let json = OpenApiRouter::with_openapi(openapi::Head::openapi())
        .routes(routes!(standing::list::list))
        .routes(routes!(standing::needs::needs))
        .routes(routes!(standing::get::get))
        .routes(routes!(standing::explain::explain))
        .routes(routes!(standing::screen::screen))
        .routes(routes!(standing::create::create))
        .routes(routes!(standing::delete::delete))
        .routes(routes!(standing::control::control))
        .routes(routes!(standing::say::say))
        .routes(routes!(standing::turn::turn))
        .routes(routes!(standing::history::history))
        .routes(routes!(standing::answer::answer))
        .routes(routes!(health::health))
        .routes(routes!(health::health_at_root))
        .routes(routes!(ready::ready))
        .layer(middleware::from_fn(accept::json));
    json.routes(routes!(stream::stream))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openapi::openapi))
        .routes(routes!(openapi::page::docs))
}

/// Answers unknown paths below `/api`.
fn unknown() -> Router<Shared> {
    Router::new().route("/api", any(no_route)).route("/api/", any(no_route)).route("/api/{*rest}", any(no_route))
}

async fn no_route(uri: Uri) -> ApiProblem {
    ApiProblem::no_route(format!("no route `{}`: list the sessions with `GET /api/v1/standing-sessions`", uri.path()))
}

async fn wrong_method(method: Method, uri: Uri) -> ApiProblem {
    ApiProblem::no_route(format!("`{}` does not support {method}: see the `allow` header", uri.path())).with_status(405)
}
