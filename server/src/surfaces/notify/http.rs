//! HTTP client of the targets, and the result of a request.

use std::time::Duration;

use reqwest::{Client, Response, StatusCode, Url, header::RETRY_AFTER, redirect};
use standing::config::is_loopback;

use super::failure::Failure;
use crate::surfaces::unreachable;

/// Timeout of a connection attempt.
const CONNECT: Duration = Duration::from_secs(5);

/// Timeout of a request.
const REQUEST: Duration = Duration::from_secs(10);

/// Longest pause that a target may ask for.
const BELIEVED: Duration = Duration::from_hours(1);

/// Parses an address. The error does not contain it.
pub(super) fn parse(url: &str) -> Result<Url, String> {
    Url::parse(url).map_err(|error| format!("its address is not a valid URL ({error})"))
}

/// Returns a client for an address.
pub(super) fn client(url: &Url) -> Result<Client, String> {
    // A second installation is refused and changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .connect_timeout(CONNECT)
        .timeout(REQUEST)
        // A redirect would send the secret to another server.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("the-loop/", env!("CARGO_PKG_VERSION")));
    let plain = url.scheme() == "http";
    // Without TLS no certificates are needed, which a small system may not have.
    let builder = if plain { builder.tls_certs_only([]) } else { builder };
    let builder = if plain && is_own(url) { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| format!("could not set up TLS: {error}"))
}

/// True if an address is on this machine.
pub(super) fn is_own(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback)
}

/// Returns the result of a request.
pub(super) fn result(answered: Result<Response, reqwest::Error>) -> Result<Response, Failure> {
    let response = answered.map_err(|error| Failure {
        unsure: !error.is_connect() && !error.is_builder(),
        ..Failure::new(unreachable::reason(error))
    })?;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let asked = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let pause = asked.map_or(Duration::ZERO, Duration::from_secs).min(BELIEVED);
    let hint = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ": the secret is missing, or not accepted",
        StatusCode::NOT_FOUND => ": the address is not known there",
        _ => "",
    };
    Err(Failure {
        pause,
        unsure: status.is_server_error(),
        refused: matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN),
        unknown: matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED),
        text: format!("it answered with HTTP status {}{hint}", status.as_u16()),
    })
}
