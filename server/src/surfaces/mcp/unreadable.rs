//! Reports an unreadable JSON body as the caller's mistake, in the form of the protocol. The protocol's library reports
//! an unsupported media type instead, which is misleading.

use axum::{
    Json,
    extract::Request,
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use serde_json::json;

/// JSON-RPC error code for text that is not JSON, or not a JSON-RPC message.
const PARSE_ERROR: i32 = -32700;

/// Replaces the misleading error with the actual one.
pub(super) async fn told(request: Request, next: Next) -> Response {
    let called_json = says_json(request.headers());
    let answer = next.run(request).await;
    if !called_json || answer.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return answer;
    }
    let message = "the body is not a JSON-RPC message: send one JSON object in UTF-8";
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": PARSE_ERROR, "message": message } });
    (StatusCode::BAD_REQUEST, Json(error)).into_response()
}

fn says_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"))
}
