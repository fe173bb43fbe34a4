//! `POST …:generateContent` and `…:streamGenerateContent`, as Gemini CLI asks.

use serde_json::{Value, json};

use super::{Sent, Turn, turn};

pub(super) fn whole(body: &Value) -> Value {
    let text = match turn(&body["contents"], None, true) {
        Turn::Say(text) | Turn::Run(text) => text,
    };
    json!({
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "stub",
    })
}

pub(super) fn stream(body: &Value) -> Vec<Sent> {
    vec![("", whole(body))]
}
