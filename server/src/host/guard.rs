//! The one guard: who asks, under which name, from which page.
//!
//! A page anywhere on the web can make a browser send requests to loopback, and a name under its control can be made
//! to point here. So each request must carry a `Host` we go by, no `Origin` but ours or a named one, and must not be
//! told by the browser to come from elsewhere. Programs that are no browser send neither `Origin` nor
//! `Sec-Fetch-Site`, and pass on their `Host` alone.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use wire::ProblemCode;

use super::Access;
use crate::rest::ApiProblem;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Lets a request in, or answers 403 with what to do.
pub(super) async fn guard(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match admit(&access, &parts) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(why) => {
            tracing::warn!("a request was not let in: {why}");
            ApiProblem::new(ProblemCode::Forbidden, why).into_response()
        }
    }
}

fn admit(access: &Access, parts: &Parts) -> Result<(), String> {
    let host = only(&parts.headers, &header::HOST)?.ok_or_else(|| format!("there is no `Host`; {}", open(access)))?;
    // An absolute request line names a host of its own, and a proxy in between may go by either.
    let in_line = parts.uri.authority().map_or(host, |authority| authority.as_str());
    if let Some(stranger) = [host, in_line].into_iter().find(|name| !access.answers_to(name)) {
        let text = "this service does not go by that name";
        return Err(format!("{stranger:?}: {text}: {}, or add the name to `service.allowedHosts`", open(access)));
    }
    let origin = only(&parts.headers, &header::ORIGIN)?;
    if let Some(origin) = origin.filter(|origin| !access.lets_in(origin, host)) {
        let text = "pages of that origin may not call this service";
        return Err(format!("{origin:?}: {text}: {}, or add it to `service.cors.allowOrigins`", open(access)));
    }
    let named = origin.is_some_and(|origin| access.names(origin));
    match only(&parts.headers, &SEC_FETCH_SITE)? {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) if named => Ok(()),
        Some(site) => Err(format!("the browser says that another page sent this ({site:?}): {}", open(access))),
    }
}

fn open(access: &Access) -> String {
    format!("open http://{}/ in the address bar", access.first_name())
}

/// The header's value; sent twice or not in ASCII it could be read in two ways, so it is refused.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match (value.to_str(), values.next()) {
        (Ok(text), None) => Ok(Some(text)),
        _ => Err(format!("`{name}` must be sent once, in plain ASCII")),
    }
}
