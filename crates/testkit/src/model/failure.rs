//! Failures of the fake vendor, in the form of each vendor's own, as their agents understand them.

use axum::{
    body::Body,
    http::{Response, header},
};
use serde_json::{Value, json};

/// Failure with which every turn is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The account reached its usage limit, which ends at this second since 1970.
    Limited {
        /// End of the limit.
        until: i64,
    },
    /// Too many requests; the client may try again after these seconds.
    TooMany {
        /// Seconds to wait.
        retry_after: u32,
    },
    /// The credentials are not valid.
    LoggedOut,
    /// The credit is used up.
    NoCredit,
    /// The service is overloaded.
    Overloaded,
    /// The conversation is too long for the model.
    TooLong,
    /// The request is refused for another reason.
    Refused,
}

impl Failure {
    /// Returns the answer to a request at this path; `None` for a path on which no turn is asked for.
    pub(super) fn answer(self, path: &str) -> Option<Response<Body>> {
        let (status, headers, body) = if path.ends_with("/messages") {
            self.of_anthropic()
        } else if path.ends_with("/responses") {
            self.of_openai()
        } else {
            return None;
        };
        let mut response = Response::builder().status(status).header(header::CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            response = response.header(name, value);
        }
        Some(response.body(Body::from(body.to_string())).expect("a valid response"))
    }

    fn of_anthropic(self) -> (u16, Vec<(&'static str, String)>, Value) {
        let error = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
        match self {
            Self::Limited { until } => {
                let own = |name, value: &str| (name, value.to_owned());
                let headers = vec![
                    own("anthropic-ratelimit-unified-status", "rejected"),
                    own("anthropic-ratelimit-unified-representative-claim", "five_hour"),
                    own("anthropic-ratelimit-unified-5h-status", "rejected"),
                    ("anthropic-ratelimit-unified-reset", until.to_string()),
                    ("anthropic-ratelimit-unified-5h-reset", until.to_string()),
                    own("x-should-retry", "false"),
                ];
                (429, headers, error("rate_limit_error", "This request would exceed your account's rate limit."))
            }
            Self::TooMany { retry_after } => {
                let headers = vec![("retry-after", retry_after.to_string())];
                (429, headers, error("rate_limit_error", "Number of request tokens has exceeded your limit"))
            }
            Self::LoggedOut => (401, Vec::new(), error("authentication_error", "invalid x-api-key")),
            Self::NoCredit => {
                let message = "Your credit balance is too low to access the Anthropic API.";
                (400, Vec::new(), error("invalid_request_error", message))
            }
            Self::Overloaded => (529, Vec::new(), error("overloaded_error", "Overloaded")),
            Self::TooLong => {
                let message = "prompt is too long: 210000 tokens > 200000 maximum";
                (400, Vec::new(), error("invalid_request_error", message))
            }
            Self::Refused => (400, Vec::new(), error("invalid_request_error", "not allowed")),
        }
    }

    fn of_openai(self) -> (u16, Vec<(&'static str, String)>, Value) {
        let error = |code: &str, message: &str| json!({"error": {"type": code, "code": code, "message": message}});
        match self {
            Self::Limited { until } => {
                let headers = vec![
                    ("x-codex-primary-used-percent", "100".to_owned()),
                    ("x-codex-primary-window-minutes", "300".to_owned()),
                    ("x-codex-primary-reset-at", until.to_string()),
                    ("x-codex-rate-limit-reached-type", "rate_limit_reached".to_owned()),
                ];
                let body = json!({"error": {"type": "usage_limit_reached", "plan_type": "plus", "resets_at": until,
                    "message": "The usage limit has been reached"}});
                (429, headers, body)
            }
            Self::TooMany { retry_after } => {
                (429, vec![("retry-after", retry_after.to_string())], error("rate_limit_exceeded", "slow down"))
            }
            Self::LoggedOut => (401, Vec::new(), error("invalid_api_key", "invalid key")),
            Self::NoCredit => (429, Vec::new(), error("insufficient_quota", "You exceeded your current quota.")),
            Self::Overloaded => (503, Vec::new(), error("server_is_overloaded", "overloaded")),
            Self::TooLong => {
                (400, Vec::new(), error("context_length_exceeded", "Your input exceeds the context window."))
            }
            Self::Refused => (400, Vec::new(), error("invalid_request_error", "not allowed")),
        }
    }
}
