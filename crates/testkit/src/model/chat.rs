//! `POST …/chat/completions`, which many agents can be pointed at.

use serde_json::{Value, json};

use super::{Sent, Turn, fresh_id, turn};

pub(super) fn whole(body: &Value) -> Value {
    json!({
        "id": fresh_id("chat"), "object": "chat.completion", "created": 1, "model": body["model"],
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text(body)}, "finish_reason": "stop"}],
        "usage": usage(),
    })
}

pub(super) fn stream(body: &Value) -> Vec<Sent> {
    let id = fresh_id("chat");
    let chunk = |delta: Value, finish: Value| {
        json!({
            "id": id, "object": "chat.completion.chunk", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": usage(),
        })
    };
    let said = json!({"role": "assistant", "content": text(body)});
    vec![("", chunk(said, Value::Null)), ("", chunk(json!({}), json!("stop"))), ("", json!("[DONE]"))]
}

fn usage() -> Value {
    json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})
}

fn text(body: &Value) -> String {
    match turn(&body["messages"], None, true) {
        Turn::Say(text) | Turn::Run(text) => text,
    }
}
