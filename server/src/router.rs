//! The router: all routes, behind one guard.
//!
//! The order of the layers matters. Outermost is the request's ID, so that a refusal carries it as well; then the
//! headers of every answer; then the guard. All routes, static files and unknown paths included, are inside the guard.
//! Nothing is added outside it.

use std::sync::Arc;

use axum::{
    Router,
    http::{HeaderName, HeaderValue, Method, header},
    middleware,
};
use engine::Engine;
use standing::config::Settings;
use tower_http::{cors::CorsLayer, set_header::SetResponseHeaderLayer};

use crate::{
    access::{
        Access,
        auth::Auth,
        guard::{self, Gate},
        rate_limit::Limit,
    },
    surfaces::{mcp, notify, page, rest, stream::Live},
};
pub use rest::CancellationToken;

/// Builds the whole service as an axum application: REST, page, and the guard around both.
///
/// A [`Peer`](crate::access::Peer) in the request's extensions identifies the caller. Without one, only callers with a
/// token are accepted, or all callers if `service.auth.mode` is `none`. Streams run until `end` is cancelled.
///
/// # Errors
///
/// In token mode: if the token could not be read or created.
pub fn router(
    engine: impl Into<Engine>,
    settings: &Settings,
    access: Access,
    end: CancellationToken,
) -> Result<Router, standing::Error> {
    Ok(guarded(engine.into(), access, Auth::new(settings)?, end))
}

/// Builds the service with a given authentication, which the connections need as well.
pub(crate) fn guarded(engine: Engine, access: Access, auth: Auth, end: CancellationToken) -> Router {
    let live = Live::new(engine.clone(), end.clone());
    let api = rest::router_of(live.clone()).layer(cors(&access));
    let mcp = mcp::router(engine.clone(), &access, end);
    let links = notify::router(engine.clone());
    let gate = Arc::new(Gate { access, auth, says: Limit::default(), links: Limit::new(20.0, 1.0) });
    let mut app = page::router(engine, live)
        .merge(api)
        .merge(mcp)
        .merge(links)
        .layer(middleware::from_fn_with_state(gate, guard::guard));
    for (name, value) in ANSWER_HEADERS {
        app = app.layer(SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value)));
    }
    app.layer(middleware::from_fn(rest::request_id))
}

/// Headers of every answer, unless a route sets its own.
const ANSWER_HEADERS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Permits the pages of `service.cors.allowOrigins` to read the answers. Without any, no page of another origin can.
fn cors(access: &Access) -> CorsLayer {
    let origins = access.origins().filter_map(|origin| HeaderValue::from_str(origin).ok());
    CorsLayer::new()
        .allow_origin(origins.collect::<Vec<_>>())
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([header::CONTENT_TYPE, HeaderName::from_static("idempotency-key")])
        .expose_headers([HeaderName::from_static("x-request-id")])
}
