//! `POST …:generateContent` and `…:streamGenerateContent`, as used by Gemini CLI.

use serde_json::{Value, json};

use super::{Sent, Turn, turn};

pub(super) fn whole(body: &Value) -> Value {
    let contents = &body["contents"];
    let last = contents.as_array().and_then(|all| all.last());
    let is_result = last.is_some_and(|content| content.to_string().contains(r#""functionResponse""#));
    let part = match turn(contents, last, is_result) {
        Turn::Say(text) => json!({"text": text}),
        Turn::Run(command) => {
            let args = json!({"command": command, "description": "Make a file"});
            json!({"functionCall": {"name": "run_shell_command", "args": args}})
        }
    };
    json!({
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "stub",
    })
}

pub(super) fn stream(body: &Value) -> Vec<Sent> {
    vec![("", whole(body))]
}
