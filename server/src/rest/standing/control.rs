//! `POST /api/v1/standing-sessions/control`: starts, stops or restarts one session, or all.

use axum::extract::State;
use serde::Deserialize;
use standing::TheLoop;
use wire::{ControlReport, ControlRequest, ControlVerb, ProblemCode};

use super::{ApiProblem, Sender, ask};
use crate::{
    openapi::{Refused, refusals},
    rest::body::Json,
};

/// [`ControlRequest`] with the verb as it came: a wrong word is the caller's mistake (400), a number is an ill-typed
/// field (422).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::rest) struct Asked {
    #[serde(default)]
    name: String,
    verb: String,
}

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::InvalidRequest,
        ProblemCode::UnknownSession,
        ProblemCode::Misconfigured,
        ProblemCode::Registry,
        ProblemCode::TmuxSilent,
        ProblemCode::Busy
    ])
    .of_json()
    .of_body()
);

/// Start, stop or restart a session, or all
///
/// One that runs already is left untouched, and one that does not run is not stopped again: both are said in the
/// row's `outcome`. A stop keeps the conversation, and the next start goes on with it.
#[utoipa::path(post, path = "/api/v1/standing-sessions/control", operation_id = "control_standing_sessions", tag = "sessions", request_body = ControlRequest,
    responses((status = 200, description = "What was done", body = ControlReport), Refusals))]
pub(in crate::rest) async fn control(
    State(the_loop): State<TheLoop>,
    sender: Sender,
    Json(Asked { name, verb }): Json<Asked>,
) -> Result<axum::Json<ControlReport>, ApiProblem> {
    let request = ControlRequest { name, verb: parse(&verb)? };
    ask(the_loop, move |standing| standing.called_by(sender.caller()).control(&request)).await.map(axum::Json)
}

fn parse(verb: &str) -> Result<ControlVerb, ApiProblem> {
    match verb {
        "start" => Ok(ControlVerb::Start),
        "stop" => Ok(ControlVerb::Stop),
        "restart" => Ok(ControlVerb::Restart),
        other => {
            let text = format!("{other:?} is no verb: `verb` is one of `start`, `stop` and `restart`");
            Err(ApiProblem::new(ProblemCode::InvalidRequest, text))
        }
    }
}
