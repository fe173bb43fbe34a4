//! `POST /v1/messages`, as used by Claude Code.

use serde_json::{Value, json};

use super::{Sent, Turn, fresh_id, turn};

pub(super) fn whole(body: &Value) -> Value {
    let (block, reason) = block(body);
    let mut message = message(body);
    message["content"] = json!([block]);
    message["stop_reason"] = reason.into();
    message
}

pub(super) fn stream(body: &Value) -> Vec<Sent> {
    let (mut block, reason) = block(body);
    // A block starts empty and is filled by a delta.
    let delta = if block["type"] == "tool_use" {
        json!({"type": "input_json_delta", "partial_json": block["input"].take().to_string()})
    } else {
        json!({"type": "text_delta", "text": block["text"].take()})
    };
    if block["type"] == "tool_use" {
        block["input"] = json!({});
    } else {
        block["text"] = json!("");
    }
    let ended = json!({"stop_reason": reason, "stop_sequence": null});
    vec![
        ("message_start", json!({"type": "message_start", "message": message(body)})),
        ("content_block_start", json!({"type": "content_block_start", "index": 0, "content_block": block})),
        ("content_block_delta", json!({"type": "content_block_delta", "index": 0, "delta": delta})),
        ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
        ("message_delta", json!({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}})),
        ("message_stop", json!({"type": "message_stop"})),
    ]
}

fn message(body: &Value) -> Value {
    json!({
        "id": fresh_id("msg"), "type": "message", "role": "assistant", "model": body["model"], "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn block(body: &Value) -> (Value, &'static str) {
    let messages = &body["messages"];
    // A message of the program itself may follow the user's.
    let last = messages.as_array().and_then(|all| all.iter().rfind(|message| message["role"] == "user"));
    let is_result = last.is_some_and(|message| message.to_string().contains(r#""tool_result""#));
    match turn(messages, last, is_result) {
        Turn::Say(text) => (json!({"type": "text", "text": text}), "end_turn"),
        Turn::Run(command) => {
            let input = json!({"command": command, "description": "Make a file"});
            (json!({"type": "tool_use", "id": fresh_id("toolu"), "name": "Bash", "input": input}), "tool_use")
        }
    }
}
