//! Slack's Web API: the seven methods that are used, one file each, over one call.
//!
//! A call is made once. The caller decides about a retry, since posting twice is worse than posting late. A rate limit
//! applies to all callers of a method in the channel that was called: Slack's limits are per channel, or are reported
//! for each channel.

mod methods;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use reqwest::{Client, StatusCode, Url, header::RETRY_AFTER, redirect};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::{address::Address, tokens::Tokens};
use crate::surfaces::unreachable;

pub(super) use methods::{Identity, Posted};

/// Timeout of one call.
const CALL: Duration = Duration::from_secs(15);

/// Timeout of a connection attempt.
const CONNECT: Duration = Duration::from_secs(8);

/// Largest response that is read, in bytes.
const MAX_ANSWER: usize = 8 * 1024 * 1024;

/// Rate-limit pause of a method when Slack does not name one.
const LEFT_ALONE: Duration = Duration::from_secs(5);

/// Shortest and longest rate-limit pause, whatever Slack asks for.
const BELIEVED: (Duration, Duration) = (Duration::from_secs(1), Duration::from_hours(1));

/// Reason of a failed call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ApiError {
    /// Slack's rate limit was reached for this method.
    #[error("Slack rate limit: retry in {} s", after.as_secs().max(1))]
    Limited {
        /// Time until the next allowed call.
        after: Duration,
    },
    /// Slack refused the call with an error code.
    #[error("Slack error `{word}`{}", explained(word))]
    Refused {
        /// Slack's error code: `channel_not_found`, `invalid_auth`, …
        word: String,
    },
    /// Slack answered with an HTTP error.
    #[error("Slack answered with HTTP status {status}")]
    Status {
        /// HTTP status.
        status: u16,
    },
    /// The response could not be stored on this machine.
    #[error("could not store a Slack response on this machine ({reason})")]
    Unkept {
        /// Reason of the failed write.
        reason: String,
    },
    /// No answer arrived.
    #[error("could not reach Slack ({reason})")]
    Unreachable {
        /// Reason of the failed request.
        reason: String,
        /// True if the request may have arrived anyway.
        sent: bool,
    },
}

/// Returns the remedy for a refusal.
fn explained(word: &str) -> &'static str {
    match word {
        "not_in_channel" => ": invite the app to the channel (`/invite` there)",
        "channel_not_found" => ": channel not found, or private and without the app",
        "invalid_auth" | "not_authed" | "token_revoked" | "account_inactive" | "token_expired" => {
            ": invalid or revoked token; install the app again and set the new token"
        }
        "not_allowed_token_type" => ": the variable contains a token of the wrong type",
        "missing_scope" => ": the app is missing a scope; see the manifest in docs/slack.md",
        "is_archived" => ": the channel is archived",
        _ => "",
    }
}

impl ApiError {
    /// True if the same call may succeed later, with nothing changed.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Limited { .. } | Self::Status { .. } | Self::Unkept { .. } | Self::Unreachable { .. } => true,
            Self::Refused { word } => {
                ["internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited"]
                    .contains(&word.as_str())
            }
        }
    }

    /// True if Slack may have carried out the call anyway.
    pub(super) fn may_be_done(&self) -> bool {
        match self {
            Self::Limited { .. } | Self::Unkept { .. } => false,
            Self::Refused { word } => ["internal_error", "fatal_error", "request_timeout"].contains(&word.as_str()),
            Self::Status { .. } => true,
            Self::Unreachable { sent, .. } => *sent,
        }
    }

    /// True if every call for that channel fails like this until an operator fixes it.
    pub(super) fn is_of_the_channel(&self) -> bool {
        let Self::Refused { word } = self else { return false };
        [
            "channel_not_found",
            "not_in_channel",
            "is_archived",
            "is_inactive",
            "channel_is_limited_access",
            "restricted_action",
            "missing_scope",
            "no_permission",
            "access_denied",
            "invalid_auth",
            "not_authed",
            "token_revoked",
            "token_expired",
            "account_inactive",
            "not_allowed_token_type",
            "team_access_not_granted",
            "ekm_access_denied",
        ]
        .contains(&word.as_str())
    }

    /// Returns the error for an expired page cursor.
    pub(super) fn stale_page() -> Self {
        Self::Refused { word: "invalid_cursor".to_owned() }
    }

    /// Returns the pause that Slack asked for, if any.
    pub(super) fn asked_to_wait(&self) -> Option<Duration> {
        match self {
            Self::Limited { after } => Some(*after),
            _ => None,
        }
    }
}

impl From<reqwest::Error> for ApiError {
    fn from(error: reqwest::Error) -> Self {
        let sent = !error.is_connect() && !error.is_builder();
        Self::Unreachable { reason: unreachable::reason(error), sent }
    }
}

/// A method, and the channel that it is called for, if any.
type Place = (&'static str, String);

/// Token that a method needs.
#[derive(Clone, Copy, Debug)]
enum Token {
    Bot,
    App,
}

/// Client of the Web API, with its tokens.
#[derive(Debug)]
pub(super) struct Api {
    client: Client,
    address: Address,
    tokens: Tokens,
    /// Time of the next allowed call, by method and channel.
    not_before: Mutex<HashMap<Place, Instant>>,
}

impl Api {
    pub(super) fn new(address: Address, tokens: Tokens) -> Result<Self, String> {
        // A second installation is refused and changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .connect_timeout(CONNECT)
            // A redirect would send the token to another server.
            .redirect(redirect::Policy::none())
            .https_only(!address.is_plain())
            .user_agent(concat!("the-loop/", env!("CARGO_PKG_VERSION")));
        // A stand-in on this machine needs no certificates, which a small system may not have.
        let builder = if address.is_plain() { builder.no_proxy().tls_certs_only([]) } else { builder };
        let client = builder.build().map_err(|error| format!("could not set up TLS: {error}"))?;
        Ok(Self { client, address, tokens, not_before: Mutex::default() })
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// Calls a method once.
    async fn call(&self, method: &'static str, token: Token, form: &[(&str, &str)]) -> Result<Value, ApiError> {
        let channel = form.iter().find(|(key, _)| *key == "channel").map_or("", |(_, channel)| channel);
        let place = (method, channel.to_owned());
        if let Some(after) = self.left_alone(&place) {
            return Err(ApiError::Limited { after });
        }
        let refused = |word: &str| ApiError::Refused { word: word.to_owned() };
        let token = match token {
            Token::Bot => &self.tokens.bot,
            Token::App => self.tokens.app.as_ref().map_err(|_| refused("not_authed"))?,
        };
        let url = self.address.method(method).map_err(|_| refused("unknown_method"))?;
        let request = self.client.post(url).timeout(CALL).bearer_auth(secret(token)).form(form);
        let mut response = request.send().await?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            let told = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
            return Err(self.leave_alone(place, told.map_or(LEFT_ALONE, Duration::from_secs)));
        }
        if !status.is_success() {
            return Err(ApiError::Status { status: status.as_u16() });
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > MAX_ANSWER {
                return Err(refused("answer_too_large"));
            }
            body.extend_from_slice(&chunk);
        }
        // A response that is not JSON comes from a proxy, or from Slack during an outage.
        let answer: Value = serde_json::from_slice(&body).map_err(|_| ApiError::Status { status: status.as_u16() })?;
        if answer["ok"] == true {
            return Ok(answer);
        }
        match word(&answer) {
            "ratelimited" | "rate_limited" => Err(self.leave_alone(place, LEFT_ALONE)),
            word => Err(refused(word)),
        }
    }

    /// Sends a text to an address that Slack gave for it. The address is the permission: no token is sent.
    async fn upload(&self, url: Url, text: &str) -> Result<(), ApiError> {
        let sent = self.client.post(url).timeout(CALL).body(text.to_owned()).send().await?;
        if sent.status().is_success() { Ok(()) } else { Err(ApiError::Status { status: sent.status().as_u16() }) }
    }

    fn left_alone(&self, place: &Place) -> Option<Duration> {
        let gates = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        gates.get(place).and_then(|until| until.checked_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    fn leave_alone(&self, place: Place, after: Duration) -> ApiError {
        let after = after.clamp(BELIEVED.0, BELIEVED.1);
        let now = Instant::now();
        let mut gates = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        gates.retain(|_, until| *until > now);
        gates.insert(place, now + after);
        ApiError::Limited { after }
    }
}

/// Reveals a token. This is the only place that does; the header that receives it is marked as sensitive.
fn secret(token: &SecretString) -> &str {
    token.expose_secret()
}

/// Returns Slack's error code, cut to one word whatever the response contains.
fn word(answer: &Value) -> &str {
    let word = answer["error"].as_str().unwrap_or("no_reason");
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if word.len() <= 60 && !word.is_empty() && word.bytes().all(plain) { word } else { "no_reason" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_word_and_nothing_more() {
        assert_eq!(word(&serde_json::json!({ "ok": false, "error": "not_in_channel" })), "not_in_channel");
        for odd in [serde_json::json!({}), serde_json::json!({ "error": "<b>" }), serde_json::json!({ "error": 7 })] {
            assert_eq!(word(&odd), "no_reason");
        }
    }

    #[test]
    fn what_may_be_done_already_is_told_from_what_is_not() {
        let limited = ApiError::Limited { after: Duration::ZERO };
        assert!(limited.is_passing() && !limited.may_be_done());
        let refused = ApiError::Refused { word: "channel_not_found".to_owned() };
        assert!(!refused.is_passing() && !refused.may_be_done());
        let broke = ApiError::Status { status: 502 };
        assert!(broke.is_passing() && broke.may_be_done());
    }
}
