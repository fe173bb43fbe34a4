//! `POST /api/v1/standing-sessions/say`: pastes text into a running session and submits it.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName},
};
use standing::TheLoop;
use wire::{ProblemCode, SayReceipt, SayRequest};

use super::{ApiProblem, ask};
use crate::rest::body::Json;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest key, in bytes: a UUID has 36.
const MAX_KEY: usize = 200;

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
