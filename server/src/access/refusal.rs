//! Answers to refused requests: a person in a browser gets a page, a program a problem document.

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use leptos::prelude::*;
use wire::ProblemCode;

use crate::problem::ApiProblem;

const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// True if the answer is shown to a person: the browser navigates to the address, and no script or program asks for it.
/// The page's own scripts list problem documents among the types that they accept.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let accept = text(header::ACCEPT).unwrap_or_default();
    let navigates = text(SEC_FETCH_MODE).is_none_or(|mode| mode == "navigate");
    navigates && accept.contains("text/html") && !accept.contains("problem+json")
}

/// Builds a refusal, and logs it.
pub(crate) fn refuse(why: &str, status: StatusCode, page: bool) -> Response {
    tracing::warn!(status = status.as_u16(), "request refused: {why}");
    if page { whole(why, status) } else { problem(why, status) }
}

fn problem(why: &str, status: StatusCode) -> Response {
    ApiProblem::new(ProblemCode::Forbidden, why).with_status(status.as_u16()).into_response()
}

fn whole(why: &str, status: StatusCode) -> Response {
    let title = ProblemCode::Forbidden.title();
    let body = view! {
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <title>{format!("{title} · the-loop")}</title>
            </head>
            <body>
                <main>
                    <h1>{title}</h1>
                    <p role="alert">{why.to_owned()}</p>
                </main>
            </body>
        </html>
    };
    let mut response = (status, Html(format!("<!doctype html>{}", body.to_html()))).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
