//! Page and address of an answer link.
//!
//! These routes need no sign-in: the token in the address is the permission, and it is for one prompt. Only a `POST`
//! answers, so a program that fetches the link for a preview answers nothing. The guard limits their rate.

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use engine::{Engine, StandingApi as _};
use leptos::prelude::*;
use standing::{Caller, text};
use wire::{AnswerRequest, Choice, ProblemCode, Row, State as SessionState, Verdict};

use super::links::Links;
use crate::{access::refusal::wants_page, problem::ApiProblem};

/// Name of the sender of an answer.
const ACTOR: &str = "answer link";

const INVALID: &str = "This link is invalid, expired or already used.";
const CHANGED: &str = "This prompt was answered or has changed. Open the page of the session.";

/// True for the address of an answer link.
pub(crate) fn is_link(path: &str) -> bool {
    path.starts_with("/answer/")
}

/// Returns the routes of the answer links.
pub(crate) fn router(engine: Engine) -> Router {
    Router::new()
        .route("/answer/{token}", get(prompt))
        .route("/answer/{token}/{key}", get(choice).post(answer))
        .with_state(engine.acting_as("notify", Caller::Unidentified))
}

/// Result of a request.
struct Told {
    status: StatusCode,
    code: ProblemCode,
    text: String,
}

impl Told {
    fn refused(status: StatusCode, code: ProblemCode, text: impl Into<String>) -> Self {
        Self { status, code, text: text.into() }
    }

    fn invalid() -> Self {
        Self::refused(StatusCode::GONE, ProblemCode::Forbidden, INVALID)
    }

    fn changed() -> Self {
        Self::refused(StatusCode::CONFLICT, ProblemCode::NotWaiting, CHANGED)
    }

    fn failed(error: &dyn std::fmt::Display) -> Self {
        tracing::warn!(%error, "an answer link failed");
        let text = "The link could not be used: see the log of the service. Open the page of the session.";
        Self::refused(StatusCode::INTERNAL_SERVER_ERROR, ProblemCode::Internal, text)
    }

    fn show(self, page: bool) -> Response {
        if page {
            return document(self.status, view! { <p role="status">{self.text}</p> });
        }
        if self.status.is_success() {
            return private((self.status, format!("{}\n", self.text)).into_response());
        }
        ApiProblem::new(self.code, self.text).with_status(self.status.as_u16()).into_response()
    }
}

/// Shows the prompt of a link, with a button for each answer.
async fn prompt(State(engine): State<Engine>, Path(token): Path<String>) -> Response {
    match current(&engine, &token).await {
        Ok(row) => form(&token, &row, &row.choices),
        Err(told) => told.show(true),
    }
}

/// Shows the prompt of a link, with one button.
async fn choice(State(engine): State<Engine>, Path((token, key)): Path<(String, String)>) -> Response {
    match current(&engine, &token).await {
        Ok(row) => match row.choices.iter().find(|choice| choice.key == key) {
            Some(choice) => form(&token, &row, std::slice::from_ref(choice)),
            None => Told::invalid().show(true),
        },
        Err(told) => told.show(true),
    }
}

/// Selects an answer.
async fn answer(
    State(engine): State<Engine>,
    Path((token, key)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let told = answered(&engine, token, key).await.unwrap_or_else(|told| told);
    told.show(wants_page(&headers))
}

async fn answered(engine: &Engine, token: String, key: String) -> Result<Told, Told> {
    let links = links(engine).await;
    let row = current(engine, &token).await?;
    let choice = row.choices.iter().find(|choice| choice.key == key).ok_or_else(Told::invalid)?;
    // The link is used up before the answer, so that two requests, or a crash, never answer twice.
    let taker = links.clone();
    let taken = blocking(move || taker.take(&token)).await?.ok_or_else(Told::invalid)?;
    let request = AnswerRequest {
        name: taken.session.clone(),
        choice: key,
        question: row.question.clone(),
        actor: ACTOR.to_owned(),
        ..AnswerRequest::default()
    };
    let receipt = match engine.answer(&request).await {
        Ok(receipt) => receipt,
        Err(error) => {
            let problem = error.problem();
            if problem.code == ProblemCode::NotWaiting || problem.code == ProblemCode::NotRunning {
                return Err(Told::changed());
            }
            // Nothing was typed, and the prompt may still be open.
            blocking(move || links.give_back(taken)).await?;
            let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return Err(Told::refused(status, problem.code, format!("Not answered: {}", problem.detail)));
        }
    };
    let (name, answer) = (&row.name, labelled(choice));
    match receipt.verdict {
        Verdict::Submitted | Verdict::Queued => Ok(Told {
            status: StatusCode::OK,
            code: ProblemCode::Internal,
            text: format!("{name}: answered with “{answer}”."),
        }),
        Verdict::Unconfirmed => Ok(Told {
            status: StatusCode::ACCEPTED,
            code: ProblemCode::Internal,
            text: format!("{name}: “{answer}” was typed, and the prompt is still open. Open its page."),
        }),
        Verdict::NotDelivered => {
            let why = receipt.messages.first().map(|message| message.text.clone()).unwrap_or_default();
            Err(Told::refused(StatusCode::CONFLICT, ProblemCode::NotWaiting, format!("Not answered: {why}")))
        }
    }
}

/// Returns the session of a link, if it still shows the prompt.
async fn current(engine: &Engine, token: &str) -> Result<Row, Told> {
    let (links, token) = (links(engine).await, token.to_owned());
    let link = blocking(move || links.find(&token)).await?.ok_or_else(Told::invalid)?;
    match engine.get(&link.session).await {
        Ok(row) if link.fits(&row) => Ok(row),
        Ok(row) if row.state == SessionState::Unknown => {
            let text = "Not answered: tmux does not answer. Try again later.";
            Err(Told::refused(StatusCode::SERVICE_UNAVAILABLE, ProblemCode::TmuxSilent, text))
        }
        Ok(_) => Err(Told::changed()),
        Err(error) => Err(match error.code() {
            ProblemCode::UnknownSession => Told::changed(),
            code => Told::refused(StatusCode::SERVICE_UNAVAILABLE, code, format!("Not answered: {error}")),
        }),
    }
}

async fn links(engine: &Engine) -> Links {
    Links::below(&engine.config().await.settings.state_root)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> Result<T, Told> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|error| Told::failed(&error))?;
    done.map_err(|error| Told::failed(&error))
}

fn labelled(choice: &Choice) -> String {
    format!("{}. {}", choice.key, choice.text)
}

fn form(token: &str, row: &Row, choices: &[Choice]) -> Response {
    let buttons = choices.iter().map(|choice| {
        let action = format!("/answer/{token}/{}", choice.key);
        view! {
            <form method="post" action=action>
                <p><button>{text::inert(&labelled(choice))}</button></p>
            </form>
        }
    });
    document(
        StatusCode::OK,
        view! {
            <h1>{row.name.clone()}</h1>
            <p>{text::inert(&row.question)}</p>
            {buttons.collect_view()}
        },
    )
}

fn document(status: StatusCode, content: impl IntoView) -> Response {
    let page = view! {
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <meta name="robots" content="noindex"/>
                <title>"Answer · the-loop"</title>
            </head>
            <body>
                <main>{content.into_view()}</main>
            </body>
        </html>
    };
    private((status, Html(format!("<!doctype html>{}", page.to_html()))).into_response())
}

/// Keeps an answer out of caches. A browser must send its origin with the form, which the guard checks.
fn private(mut response: Response) -> Response {
    let csp = "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(csp));
    response
}
