//! The verbs on standing sessions over HTTP, a file each.

pub(super) mod answer;
pub(super) mod control;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod say;
pub(super) mod screen;

use ::standing::{Error, Standing, TheLoop};
use serde::Deserialize;
use tokio::task;
use utoipa::IntoParams;

use super::{ApiProblem, problem};

/// `?name=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::rest) struct Named {
    /// The session
    #[param(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops")]
    name: String,
}

/// Does a verb on a blocking thread. Once begun it runs to its end, even if the caller hangs up.
pub(in crate::rest) async fn ask<T: Send + 'static>(
    the_loop: TheLoop,
    verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, ApiProblem> {
    match task::spawn_blocking(move || verb(the_loop.standing())).await {
        Ok(answer) => Ok(answer?),
        Err(failed) => {
            tracing::error!("a verb did not end: {failed}");
            Err(problem::fault())
        }
    }
}
