//! Replies of all server functions: a notice and a redirect for a form, the answer itself for other callers.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use ::standing::Error;
use engine::StandingApi as _;
use http::{
    HeaderValue, StatusCode,
    header::{ACCEPT, LOCATION, SET_COOKIE},
    request::Parts,
};
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use wire::{ControlRequest, ControlVerb};

use super::{Answer, Failure, messages, way_back};
use crate::{
    context::AppContext,
    notices::{Notice, Place},
    theme::{COOKIE_NAME, Theme},
};

/// Actor of every message and answer from the page.
pub(super) const ACTOR: &str = "page";

/// Returns the context that the host provides to every server function.
pub(super) fn context() -> AppContext {
    expect_context::<AppContext>()
}

/// Normalises line ends: a browser sends `\r\n` in a form.
pub(super) fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Returns the idempotency key of a form with this text; none if the form has no key. Another text under the same key
/// is a new request: the person changed the text after an answer was lost.
pub(super) fn once(key: &str, words: &[&str]) -> String {
    if key.is_empty() {
        return String::new();
    }
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    format!("page:{key}:{:016x}", hasher.finish())
}

/// Runs calls for several sessions at the same time, and returns their results in the order of the calls.
pub(super) async fn each<T>(calls: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    futures_util::future::join_all(calls).await
}

/// Starts, stops or restarts one session, or all.
pub(super) async fn control(verb: ControlVerb, name: String, all: bool) -> Result<Answer, Failure> {
    let context = context();
    let place = if all { Place::Page } else { Place::Session(name.clone()) };
    let done = if all && !name.is_empty() {
        Err(Error::InvalidRequest("`name` and `all` exclude each other: give one of them".to_owned()))
    } else {
        match verb {
            ControlVerb::Start if all => context.engine().start_all().await,
            ControlVerb::Stop if all => context.engine().stop_all().await,
            ControlVerb::Start | ControlVerb::Stop | ControlVerb::Restart => {
                let request = ControlRequest { name, verb };
                context.engine().control(&request).await
            }
        }
    };
    let notice = match &done {
        Ok(report) => messages::report(report, verb, place),
        Err(error) => Notice::refused(error, place),
    };
    send(&context, notice, done.map(Answer::Report))
}

/// Posts the notice and redirects a form's browser to it.
pub(super) fn send(context: &AppContext, notice: Notice, answer: Result<Answer, Error>) -> Result<Answer, Failure> {
    let parts = use_context::<Parts>();
    if parts.as_ref().is_some_and(way_back::wants_part) {
        see_other(&way_back::to_notice(&context.notices().post(notice)));
    } else if parts.as_ref().is_some_and(wants_page) {
        let place = notice.place.clone();
        let id = context.notices().post(notice);
        see_other(&way_back::to_page(parts.as_ref(), &place, Some(id)));
    }
    answer.map_err(|error| Failure(Box::new(error.problem())))
}

/// True if the caller requests a page, as a plain form does.
fn wants_page(parts: &Parts) -> bool {
    parts.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).is_some_and(|accept| accept.contains("text/html"))
}

/// Redirects the browser to another page with GET. The addresses are plain ASCII.
pub(super) fn see_other(address: &str) {
    let (Some(response), Ok(address)) = (use_context::<ResponseOptions>(), HeaderValue::from_str(address)) else {
        return;
    };
    response.insert_header(LOCATION, address);
    response.set_status(StatusCode::SEE_OTHER);
}

/// Stores the choice for a year.
pub(super) fn keep_theme(theme: Theme) {
    let cookie = format!("{COOKIE_NAME}={}; Path=/; Max-Age=31536000; SameSite=Strict; HttpOnly", theme.as_str());
    if let (Some(response), Ok(cookie)) = (use_context::<ResponseOptions>(), HeaderValue::from_str(&cookie)) {
        response.insert_header(SET_COOKIE, cookie);
    }
}
