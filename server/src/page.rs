//! The one place where the Standing screen, its server functions and its assets are mounted.
//!
//! Routes here are given by full path. Under `/api/` each needs its own exact path: the REST router owns the rest of
//! that prefix, so that an unknown address there is never answered with a page. The guard and the security headers
//! stand around this router already; a page that needs a content security policy of its own sets the header itself.

use axum::{
    Router,
    http::{StatusCode, Uri},
    routing::get,
};
use standing::TheLoop;

use crate::assets;

/// Everything that is not REST.
pub(crate) fn router(_the_loop: TheLoop) -> Router {
    Router::new()
        .route("/", get(|| async { "the-loop: standing sessions. The REST interface is at /api/v1.\n" }))
        .merge(assets::router())
        .fallback(not_found)
}

async fn not_found(uri: Uri) -> (StatusCode, String) {
    (StatusCode::NOT_FOUND, format!("there is no page at `{}`\n", uri.path()))
}
