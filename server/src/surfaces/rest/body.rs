//! Request bodies: JSON objects of a limited size. A refusal names the position of the mistake.

use axum::{
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, FromRequest, Request, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http_body_util::Limited;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use wire::ProblemCode;

use super::ApiProblem;

/// Largest body that is read: a message of 1 MiB with room for JSON's escapes.
pub const MAX_BODY_BYTES: usize = 3 << 19;

/// A JSON object as a `T`.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiProblem;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiProblem> {
        if !says_json(request.headers()) {
            let text = "the body must be JSON: send the header `content-type: application/json`";
            return Err(ApiProblem::new(ProblemCode::InvalidBody, text).with_status(415));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| unread(&rejection))?;
        read(&bytes).map(Self)
    }
}

fn says_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else { return false };
    let media = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media == "application/json" || (media.starts_with("application/") && media.ends_with("+json"))
}

fn unread(rejection: &BytesRejection) -> ApiProblem {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return too_large();
    }
    ApiProblem::new(ProblemCode::InvalidBody, "the body ended early").with_status(400)
}

fn too_large() -> ApiProblem {
    let text = format!("the body is larger than {MAX_BODY_BYTES} bytes: put a long text in a file and send its path");
    ApiProblem::new(ProblemCode::TooLarge, text)
}

/// Reads an object. An array is refused here, since serde would take its items as the fields in order.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiProblem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if first.is_some_and(|byte| b"[\"-0123456789tfn".contains(byte)) {
        let whole = serde_json::from_slice::<serde::de::IgnoredAny>(bytes);
        return Err(whole.map_or_else(|e| malformed(&e), |_| invalid("the body must be a JSON object")));
    }
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let error = error.into_inner();
        match error.classify() {
            Category::Data if path == "." => invalid(&error.to_string()),
            Category::Data => invalid(&format!("`{path}`: {error}")),
            Category::Io | Category::Syntax | Category::Eof => malformed(&error),
        }
    })?;
    reader.end().map_err(|error| malformed(&error))?;
    Ok(value)
}

fn invalid(text: &str) -> ApiProblem {
    ApiProblem::new(ProblemCode::InvalidBody, text)
}

fn malformed(error: &serde_json::Error) -> ApiProblem {
    ApiProblem::new(ProblemCode::InvalidBody, format!("the body is not JSON: {error}")).with_status(400)
}

/// Refuses a body over [`MAX_BODY_BYTES`]: at once if its length is declared, else when the limit is passed.
pub(super) async fn limit(request: Request, next: Next) -> Response {
    let told = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if told.is_some_and(|length| length > MAX_BODY_BYTES as u64) {
        return too_large().into_response();
    }
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(DefaultBodyLimit::disable());
    next.run(Request::from_parts(parts, Body::new(Limited::new(body, MAX_BODY_BYTES)))).await
}
