//! `POST /api/v1/standing-sessions/answer`: answers the prompt that a session waits on.

use axum::http::HeaderMap;
use engine::StandingApi as _;
use wire::{AnswerRequest, ProblemCode, SayReceipt};

use super::{ApiProblem, Called};
use crate::{
    refusals::{Refused, refusals},
    surfaces::rest::{body::Json, idempotency},
};

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::InvalidRequest,
        ProblemCode::UnknownSession,
        ProblemCode::NotRunning,
        ProblemCode::NotWaiting,
        ProblemCode::KeyReused,
        ProblemCode::TooMany,
        ProblemCode::Misconfigured,
        ProblemCode::Registry,
        ProblemCode::TmuxSilent,
        ProblemCode::Busy
    ])
    .of_json()
    .of_body()
);

/// Answer the prompt of a session
///
/// Selects one of the `choices` of the row, by its digit or its text. With the `question` of the row, no other prompt
/// is answered. Only the digit is typed, never Enter.
#[utoipa::path(post, path = "/api/v1/standing-sessions/answer", operation_id = "answer_standing_session", tag = "sessions", request_body = AnswerRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: the same answer with the \
                                                                       same key is selected only once", max_length = 200)),
    responses((status = 200, description = "Receipt of the answer", body = SayReceipt), Refusals))]
pub(in crate::surfaces::rest) async fn answer(
    Called(engine): Called,
    headers: HeaderMap,
    Json(mut request): Json<AnswerRequest>,
) -> Result<axum::Json<SayReceipt>, ApiProblem> {
    request.idempotency_key = idempotency::key(&headers, &request.idempotency_key)?;
    Ok(axum::Json(engine.answer(&request).await?))
}
