//! `POST /api/v1/standing-sessions/answer`: chooses an answer to the question that a session waits on.

use axum::extract::State;
use standing::TheLoop;
use wire::{AnswerRequest, ProblemCode, SayReceipt};

use super::{ApiProblem, ask};
use crate::{
    openapi::{Refused, refusals},
    rest::body::Json,
};

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::InvalidRequest,
        ProblemCode::UnknownSession,
        ProblemCode::NotRunning,
        ProblemCode::NotWaiting,
        ProblemCode::TooMany,
        ProblemCode::Misconfigured,
        ProblemCode::Registry,
        ProblemCode::TmuxSilent,
        ProblemCode::Busy
    ])
    .of_json()
    .of_body()
);

/// Answer the question of a session
///
/// Chooses one of the answers that a row's `choices` offers, by its digit or its text. With the row's `question` sent
/// along, no other question is answered. Enter is never pressed.
#[utoipa::path(post, path = "/api/v1/standing-sessions/answer", operation_id = "answer_standing_session", tag = "sessions", request_body = AnswerRequest,
    responses((status = 200, description = "What became of the answer", body = SayReceipt), Refusals))]
pub(in crate::rest) async fn answer(
    State(the_loop): State<TheLoop>,
    Json(request): Json<AnswerRequest>,
) -> Result<axum::Json<SayReceipt>, ApiProblem> {
    ask(the_loop, move |standing| standing.answer(&request)).await.map(axum::Json)
}
