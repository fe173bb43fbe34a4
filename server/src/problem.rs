//! Converts refusals and faults to responses.

use std::any::Any;

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use wire::{Problem, ProblemCode};

/// Retry delay for a session that other callers hold or wait for, in seconds.
const BUSY_RETRY: &str = "5";

/// Media type of problem documents.
pub(crate) const PROBLEM: &str = "application/problem+json";

/// A [`Problem`] as a response. The problem is also in the response's extensions, so that the layer that knows the
/// request ID can add it.
#[derive(Clone, Debug)]
pub(crate) struct ApiProblem(Box<Problem>);

impl ApiProblem {
    pub(crate) fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self(Box::new(Problem::new(code, detail)))
    }

    pub(crate) fn no_route(detail: impl Into<String>) -> Self {
        Self::new(ProblemCode::NoRoute, detail)
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        Self(Box::new(self.0.with_status(status)))
    }

    /// Returns the code and the text.
    pub(crate) fn told(self) -> (ProblemCode, String) {
        (self.0.code, self.0.detail)
    }

    /// Returns the detail as plain text, for a browser.
    pub(crate) fn in_plain_text(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, format!("{}\n", self.0.detail)).into_response()
    }

    pub(crate) fn of_request(mut self, id: &str) -> Self {
        self.0.instance = Some(id.to_owned());
        self
    }
}

impl From<standing::Error> for ApiProblem {
    fn from(error: standing::Error) -> Self {
        Self::from(error.problem())
    }
}

impl From<Problem> for ApiProblem {
    fn from(problem: Problem) -> Self {
        if problem.status >= 500 {
            tracing::warn!(code = problem.code.as_str(), "command failed: {}", problem.message());
        }
        Self(Box::new(problem))
    }
}

impl IntoResponse for ApiProblem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self.0).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.0.code == ProblemCode::Busy {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(BUSY_RETRY));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Returns the response for a panic: an internal error. The panic's own text goes to the log only.
#[expect(clippy::needless_pass_by_value, reason = "the signature is the layer's")]
pub(crate) fn of_panic(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!("a handler panicked: {}", text.unwrap_or("no text"));
    fault().into_response()
}

/// Returns an internal error, without its cause.
pub(crate) fn fault() -> ApiProblem {
    ApiProblem::new(ProblemCode::Internal, "internal error: see the log of the service for this request id")
}
