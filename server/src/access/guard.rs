//! The guard in front of all routes: checks the caller, the host name, the origin and the rate.
//!
//! A web page can make a browser send requests to loopback, and can point a host name of its own at this machine. So
//! each request must have a `Host` that the service accepts. Its `Origin`, if it has one, must be the service's own or
//! an allowed one, and the browser must not mark the request as cross-site. Programs other than browsers send neither
//! `Origin` nor `Sec-Fetch-Site`, so only their `Host` counts. Authentication follows: see [`super::auth`].

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use standing::config::is_loopback;
use tower_http::timeout::DeadlineBody;
use wire::ProblemCode;

use super::{
    Access, Peer,
    auth::Auth,
    rate_limit::Limit,
    refusal::{refuse, wants_page},
    signin,
};
use crate::{problem::ApiProblem, surfaces::notify};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Timeout for a whole body.
const BODY_TIME: Duration = Duration::from_mins(1);

/// Rules and state of the guard.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) access: Access,
    pub(crate) auth: Auth,
    pub(crate) says: Limit,
    /// Rate of the answer links, which need no sign-in.
    pub(crate) links: Limit,
}

/// Passes a request on, or answers with a refusal and its remedy.
pub(crate) async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer::stranger());
    let (parts, body) = request.into_parts();
    let body = Body::new(DeadlineBody::new(BODY_TIME, body));
    let page = wants_page(&parts.headers);
    // The check for forwarders is first: a forwarder changes the host name, and an error about the name would mislead
    // its operator.
    if let Err(why) = gate.auth.vouched(&parts.headers).and_then(|()| known_name(&gate.access, peer, &parts)) {
        return refuse(&why, StatusCode::FORBIDDEN, page);
    }
    if notify::is_link(parts.uri.path()) {
        // The token in the address is the permission, and its route checks it.
        return match gate.links.take() {
            Ok(()) => next.run(Request::from_parts(parts, body)).await,
            Err(wait) => slow_down(wait),
        };
    }
    let request = match signin::answer(&gate.auth, peer, Request::from_parts(parts, body)).await {
        Ok(answer) => return answer,
        Err(request) => request,
    };
    if let Err(why) = gate.auth.admit(peer, request.headers()) {
        return unknown(&gate.auth, request, why, page).await;
    }
    if is_say(&request)
        && let Err(wait) = gate.says.take()
    {
        return slow_down(wait);
    }
    next.run(request).await
}

/// Refuses an unauthenticated caller: a person gets a sign-in page, a program an error with the remedy.
async fn unknown(auth: &Auth, request: Request, why: &str, page: bool) -> Response {
    if !matches!(auth, Auth::Token(_)) {
        return refuse(why, StatusCode::FORBIDDEN, page);
    }
    if page && (request.method() == Method::GET || request.method() == Method::POST) {
        return signin::instead_of(request).await;
    }
    let mut response = refuse(why, StatusCode::UNAUTHORIZED, false);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

fn is_say(request: &Request) -> bool {
    let path = request.uri().path();
    request.method() == Method::POST && (path.ends_with("/say") || path.ends_with("/answer"))
}

fn slow_down(wait: Duration) -> Response {
    let detail = "too many messages: retry in a moment";
    let mut response = ApiProblem::new(ProblemCode::TooMany, detail).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)));
    response
}

fn known_name(access: &Access, peer: Peer, parts: &Parts) -> Result<(), String> {
    if parts.uri.query().is_some_and(|query| query.split('&').any(|pair| pair.starts_with("token="))) {
        return Err(
            "a token in an address ends up in logs and browser histories: send `Authorization: Bearer` instead"
                .to_owned(),
        );
    }
    let origin = only(&parts.headers, &header::ORIGIN)?;
    if peer.is_local_socket() {
        // A browser cannot reach a Unix socket, so the host name cannot be forged there.
        return match origin {
            None => Ok(()),
            Some(origin) => Err(format!("{origin:?}: pages cannot use the Unix socket")),
        };
    }
    let host = only(&parts.headers, &header::HOST)?
        .ok_or_else(|| format!("the `Host` header is missing; {}", open(access)))?;
    // An absolute request line has a host of its own, and a proxy in between may use either.
    let in_line = parts.uri.authority().map_or(host, |authority| authority.as_str());
    if let Some(stranger) = [host, in_line].into_iter().find(|name| !access.answers_to(name)) {
        return Err(unrecognised(access, stranger));
    }
    if let Some(origin) = origin.filter(|origin| !access.lets_in(origin, host)) {
        let text = "pages of this origin may not call this service";
        return Err(format!("{origin:?}: {text}: {}, or add it to `service.cors.allowOrigins`", open(access)));
    }
    let named = origin.is_some_and(|origin| access.names(origin));
    match only(&parts.headers, &SEC_FETCH_SITE)? {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) if named => Ok(()),
        Some(site) => {
            Err(format!("the browser reports that another page sent this request ({site:?}): {}", open(access)))
        }
    }
}

/// Returns the error for an unrecognised host name. A name of this machine with another port comes from a tunnel. Any
/// other name may belong to an attacker who points it here.
fn unrecognised(access: &Access, name: &str) -> String {
    let key = format!("`service.allowedHosts: [{name:?}]`");
    let token = if is_loopback(name) { "" } else { " together with `service.auth.mode: token`" };
    format!("unrecognised host name {name:?}: to use this name, set {key}{token}; otherwise {}", open(access))
}

fn open(access: &Access) -> String {
    format!("open http://{}/ from the address bar", access.first_name())
}

/// Returns the value of a header. A repeated or non-ASCII header is ambiguous and is refused.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match (value.to_str(), values.next()) {
        (Ok(text), None) => Ok(Some(text)),
        _ => Err(format!("send `{name}` exactly once, in ASCII")),
    }
}
