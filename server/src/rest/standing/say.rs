//! `POST /api/v1/standing-sessions/say`: pastes text into a running session and submits it.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName},
};
use standing::TheLoop;
use wire::{ProblemCode, SayReceipt, SayRequest};

use super::{ApiProblem, ask};
use crate::{
    openapi::{Refused, refusals},
    rest::body::Json,
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest key, in bytes: a UUID has 36.
const MAX_KEY: usize = 200;

refusals!(
    Refusals = Refused::with(&[
        ProblemCode::InvalidName,
        ProblemCode::InvalidRequest,
        ProblemCode::UnknownSession,
        ProblemCode::NotRunning,
        ProblemCode::Waiting,
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

/// Say something to a running session
///
/// Types the text into its terminal as one message and submits it. A message never starts a session. With an
/// `Idempotency-Key` the same request sent again is answered with the first receipt, and typed once.
#[utoipa::path(post, path = "/api/v1/standing-sessions/say", operation_id = "say_to_standing_session", tag = "sessions", request_body = SayRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key with the same message is delivered once", max_length = 200)),
    responses((status = 200, description = "What became of the message", body = SayReceipt), Refusals))]
pub(in crate::rest) async fn say(
    State(the_loop): State<TheLoop>,
    headers: HeaderMap,
    Json(mut request): Json<SayRequest>,
) -> Result<axum::Json<SayReceipt>, ApiProblem> {
    request.idempotency_key = key(&headers, &request.idempotency_key)?;
    ask(the_loop, move |standing| standing.say(&request)).await.map(axum::Json)
}

/// The key of the header, or of the body; both only if they agree.
fn key(headers: &HeaderMap, in_body: &str) -> Result<String, ApiProblem> {
    let refuse = |text: String| Err(ApiProblem::new(ProblemCode::InvalidRequest, text));
    let key = match headers.get(IDEMPOTENCY_KEY).map(|value| value.to_str()) {
        None => in_body,
        Some(Err(_)) => return refuse("`Idempotency-Key` holds bytes that are not visible ASCII".to_owned()),
        Some(Ok(in_header)) if in_body.is_empty() || in_body == in_header => in_header,
        Some(Ok(_)) => return refuse("`Idempotency-Key` and `idempotencyKey` differ: send one of them".to_owned()),
    };
    if key.len() > MAX_KEY {
        return refuse(format!("the idempotency key has {} bytes and the limit is {MAX_KEY}", key.len()));
    }
    Ok(key.to_owned())
}
