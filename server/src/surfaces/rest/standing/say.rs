//! `POST /api/v1/standing-sessions/say`: pastes text into a running session and submits it.

use axum::http::HeaderMap;
use engine::StandingApi as _;
use wire::{ProblemCode, SayReceipt, SayRequest};

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
        ProblemCode::Waiting,
        ProblemCode::UnsentText,
        ProblemCode::KeyReused,
        ProblemCode::TooLarge,
        ProblemCode::TooMany,
        ProblemCode::Misconfigured,
        ProblemCode::Registry,
        ProblemCode::TmuxSilent,
        ProblemCode::Busy
    ])
    .of_json()
    .of_body()
);

/// Send a message to a running session
///
/// Types the text into the terminal of the session as one message and submits it. A message never starts a session.
/// With an `Idempotency-Key`, a repeated request returns the first receipt and is typed only once.
#[utoipa::path(post, path = "/api/v1/standing-sessions/say", operation_id = "say_to_standing_session", tag = "sessions", request_body = SayRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: the same message with the \
                                                                       same key is delivered only once", max_length = 200)),
    responses((status = 200, description = "Receipt of the message", body = SayReceipt), Refusals))]
pub(in crate::surfaces::rest) async fn say(
    Called(engine): Called,
    headers: HeaderMap,
    Json(mut request): Json<SayRequest>,
) -> Result<axum::Json<SayReceipt>, ApiProblem> {
    request.idempotency_key = idempotency::key(&headers, &request.idempotency_key)?;
    Ok(axum::Json(engine.say(&request).await?))
}
