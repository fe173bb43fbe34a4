//! Request IDs: every response carries `x-request-id`, and every problem document repeats it as `instance`.
//!
//! The log contains a request's ID, method, path, status and duration: never its query or body.

use std::time::Instant;

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use tracing::Instrument as _;
use uuid::Uuid;

use super::ApiProblem;
use crate::surfaces::notify;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest ID that is accepted from a caller.
const MAX_LEN: usize = 64;

/// Marks a request that already has an ID.
#[derive(Clone, Copy, Debug)]
struct Identified;

/// Gives the request an ID (the caller's own, if it is a plain word) and adds it to the answer. If this layer is
/// applied twice, the outer one counts.
pub(crate) async fn request_id(mut request: Request, next: Next) -> Response {
    if request.extensions().get::<Identified>().is_some() {
        return next.run(request).await;
    }
    let id = given(&request).unwrap_or_else(|| Uuid::new_v4().to_string());
    request.extensions_mut().insert(Identified);
    let span = tracing::info_span!("request", id = %id, method = %request.method(), path = shown(request.uri().path()));
    let begun = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    span.in_scope(|| {
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(status = response.status().as_u16(), duration_ms, "answered");
    });
    if let Some(problem) = response.extensions_mut().remove::<ApiProblem>() {
        response = with_body_of(response, problem.of_request(&id));
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(X_REQUEST_ID, value);
    }
    response
}

/// Returns a path for the log, without the token of an answer link.
fn shown(path: &str) -> &str {
    if notify::is_link(path) { "/answer/…" } else { path }
}

fn given(request: &Request) -> Option<String> {
    let id = request.headers().get(X_REQUEST_ID)?.to_str().ok()?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    (!id.is_empty() && id.len() <= MAX_LEN && id.bytes().all(plain)).then(|| id.to_owned())
}

/// Returns the response with its status and headers (such as `allow` of a 405) and the problem's body.
fn with_body_of(response: Response, problem: ApiProblem) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    // The new body is not compressed.
    parts.headers.remove(header::CONTENT_ENCODING);
    Response::from_parts(parts, problem.into_response().into_body())
}
