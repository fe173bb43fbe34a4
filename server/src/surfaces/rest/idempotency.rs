//! Idempotency key of a request: a header, or a field of the body.

use axum::http::{HeaderMap, HeaderName};
use wire::ProblemCode;

use super::ApiProblem;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Returns the key of the header or of the body. If both are present they must be equal.
pub(super) fn key(headers: &HeaderMap, in_body: &str) -> Result<String, ApiProblem> {
    let refuse = |text: String| Err(ApiProblem::new(ProblemCode::InvalidRequest, text));
    match headers.get(IDEMPOTENCY_KEY).map(|value| value.to_str()) {
        None => Ok(in_body.to_owned()),
        Some(Err(_)) => refuse("`Idempotency-Key` must be visible ASCII".to_owned()),
        Some(Ok(in_header)) if in_body.is_empty() || in_body == in_header => Ok(in_header.to_owned()),
        Some(Ok(_)) => refuse("`Idempotency-Key` and `idempotencyKey` differ: send only one".to_owned()),
    }
}
