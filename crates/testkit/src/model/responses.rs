//! `POST …/responses`, as used by Codex.

use serde_json::{Value, json};

use super::{Sent, Turn, fresh_id, turn};

pub(super) fn stream(body: &Value) -> Vec<Sent> {
    let input = &body["input"];
    let last = input
        .as_array()
        .and_then(|all| all.iter().rfind(|item| item["role"] == "user" || item["type"] == "function_call_output"));
    let is_result = last.is_some_and(|item| item["type"] == "function_call_output");
    let item = match turn(input, last, is_result) {
        Turn::Say(text) => json!({
            "type": "message", "role": "assistant", "id": fresh_id("msg"), "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Turn::Run(command) => {
            let arguments =
                json!({"cmd": command, "sandbox_permissions": "require_escalated", "justification": "to make a file"});
            json!({
                "type": "function_call", "id": fresh_id("fc"), "call_id": fresh_id("call"), "name": "exec_command",
                "arguments": arguments.to_string(),
            })
        }
    };
    let id = fresh_id("resp");
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null,
        "total_tokens": 2,
    });
    vec![
        ("response.created", json!({"type": "response.created", "response": {"id": id}})),
        ("response.output_item.done", json!({"type": "response.output_item.done", "output_index": 0, "item": item})),
        ("response.completed", json!({"type": "response.completed", "response": {"id": id, "usage": usage}})),
    ]
}
