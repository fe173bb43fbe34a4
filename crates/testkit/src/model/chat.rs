//! `POST …/chat/completions`, which many agents can use.

use serde_json::{Value, json};

use super::{Sent, Turn, fresh_id, turn};

pub(super) fn whole(body: &Value) -> Value {
    json!({
        "id": fresh_id("chat"), "object": "chat.completion", "created": 1, "model": body["model"],
        "choices": [{"index": 0, "message": message(body).0, "finish_reason": "stop"}],
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
    let (message, finish) = message(body);
    vec![("", chunk(message, Value::Null)), ("", chunk(json!({}), json!(finish))), ("", json!("[DONE]"))]
}

fn usage() -> Value {
    json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})
}

fn message(body: &Value) -> (Value, &'static str) {
    let messages = &body["messages"];
    let last = messages.as_array().and_then(|all| all.last());
    // A request without tools is a side request, for example for a title.
    let may_run = last.is_some_and(|message| message["role"] == "user") && body["tools"].is_array();
    match turn(messages, last, !may_run) {
        Turn::Say(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Turn::Run(command) => {
            let arguments = json!({"command": command, "description": "Make a file"}).to_string();
            let call = json!({
                "index": 0, "id": fresh_id("call"), "type": "function",
                "function": {"name": "bash", "arguments": arguments},
            });
            (json!({"role": "assistant", "tool_calls": [call]}), "tool_calls")
        }
    }
}
