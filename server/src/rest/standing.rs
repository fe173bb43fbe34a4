//! The verbs on standing sessions over HTTP, a file each.

pub(super) mod answer;
pub(super) mod control;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod say;
pub(super) mod screen;

use std::convert::Infallible;

use ::standing::{Caller, Error, Standing, TheLoop, Turn};
use axum::{extract::FromRequestParts, http::request::Parts};
use serde::Deserialize;
use tokio::task;
use utoipa::IntoParams;

use super::{ApiProblem, problem};
use crate::host::Peer;

/// `?name=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::rest) struct Named {
    /// The session
    #[param(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops")]
    name: String,
}

/// Who sent the request, for the verbs that not everyone may do.
#[derive(Clone, Copy, Debug)]
pub(in crate::rest) struct Sender(Option<Peer>);

impl Sender {
    /// Blocks, for as long as a look at every process takes.
    pub(in crate::rest) fn caller(self) -> Caller {
        self.0.map_or(Caller::Unidentified, Peer::caller)
    }
}

impl<S: Sync> FromRequestParts<S> for Sender {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.extensions.get().copied()))
    }
}

/// Looks, on a thread that no verb can keep.
pub(in crate::rest) async fn look<T: Send + 'static>(
    the_loop: TheLoop,
    look: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, ApiProblem> {
    let turn = the_loop.turn_to_look().await;
    on_a_thread(the_loop, turn, look).await
}

/// Does a verb to one session, after those that were asked for before it. Once begun it runs to its end, even if the
/// caller hangs up.
pub(in crate::rest) async fn ask<T: Send + 'static>(
    the_loop: TheLoop,
    name: &str,
    verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, ApiProblem> {
    let turn = the_loop.turn_of(name).await?;
    on_a_thread(the_loop, turn, verb).await
}

/// Does a verb to every session.
pub(in crate::rest) async fn ask_all<T: Send + 'static>(
    the_loop: TheLoop,
    verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, ApiProblem> {
    let turn = the_loop.turn_of_verb().await;
    on_a_thread(the_loop, turn, verb).await
}

async fn on_a_thread<T: Send + 'static>(
    the_loop: TheLoop,
    turn: Turn,
    verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, ApiProblem> {
    let work = move || {
        let done = verb(the_loop.standing());
        drop(turn);
        done
    };
    match task::spawn_blocking(work).await {
        Ok(answer) => Ok(answer?),
        Err(failed) => {
            tracing::error!("a verb did not end: {failed}");
            Err(problem::fault())
        }
    }
}
