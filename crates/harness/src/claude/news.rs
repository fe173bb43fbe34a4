//! Signals in the transcript of Claude Code, seen on 2.1.332.
//!
//! A failed turn ends with an entry of type `assistant` with `isApiErrorMessage`. Its `error` is a word for the kind of
//! failure, and `quotaLimits.resetsAt` the second at which a usage limit ends. While Claude Code retries, it writes
//! nothing.

use jiff::Timestamp;
use serde_json::Value;
use wire::{Block, Source};

use crate::signal::{News, Obstacle, Signal, of_status};

/// Reads the signal in an entry of the transcript.
pub(super) fn signal(entry: &Value, begins_turn: bool) -> Option<Signal> {
    if entry["isSidechain"] == true {
        return None;
    }
    let at = entry["timestamp"].as_str()?.parse().ok()?;
    let news = match (entry["type"].as_str()?, entry["subtype"].as_str()) {
        ("user", _) if begins_turn || holds(&entry["message"], "tool_result") => News::Begun,
        ("assistant", _) if entry["isApiErrorMessage"] == true => News::Blocked(failure(entry)),
        ("assistant", _) => answered(&entry["message"])?,
        ("system", Some("compact_boundary")) => News::Shortened,
        ("system", Some("informational")) => News::Blocked(limit_notice(entry)?),
        _ => return None,
    };
    Some(Signal { at, source: Source::Transcript, news })
}

/// Returns the news of an answer of the model. A refusal is followed by an entry that reports it.
fn answered(message: &Value) -> Option<News> {
    let real = message["model"] != "<synthetic>" && message["stop_reason"] != "refusal";
    real.then(|| News::Answered { calls_tool: holds(message, "tool_use") })
}

/// True if a message has a part of this type.
fn holds(message: &Value, part: &str) -> bool {
    message["content"].as_array().is_some_and(|parts| parts.iter().any(|other| other["type"] == part))
}

fn failure(entry: &Value) -> Obstacle {
    let words = entry["message"]["content"][0]["text"].as_str().unwrap_or_default();
    let error = entry["error"].as_str().unwrap_or_default();
    let until = [&entry["quotaLimits"], &entry["apiErrorParams"]["rate_limit_info"]]
        .into_iter()
        .find_map(|limits| limits["resetsAt"].as_i64());
    let until = until.and_then(|second| Timestamp::from_second(second).ok());
    Obstacle::new(kind(error, entry["apiErrorStatus"].as_u64(), words), until, words)
}

/// Returns the kind of a failure by the vendor's own word for it, and otherwise by its HTTP status.
pub(super) fn kind(error: &str, status: Option<u64>, words: &str) -> Block {
    match error {
        "rate_limit" => Block::Limited,
        "authentication_failed" | "oauth_org_not_allowed" => Block::LoggedOut,
        "billing_error" => Block::NoCredit,
        "server_error" | "overloaded" => Block::Overloaded,
        "invalid_request" if words.starts_with("Prompt is too long") => Block::ContextFull,
        "invalid_request" => Block::Refused,
        _ => status.and_then(of_status).unwrap_or(Block::Refused),
    }
}

/// Reads the notice that a usage limit was reached.
fn limit_notice(entry: &Value) -> Option<Obstacle> {
    let words = entry["content"].as_str()?;
    words.starts_with("Usage limit reached").then(|| Obstacle::new(Block::Limited, None, words))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Harness as _, claude::Claude, signal::left};

    fn entry(mut fields: Value) -> Value {
        fields["timestamp"] = json!("2026-11-30T20:53:39.242Z");
        fields
    }

    fn failed(error: &str, status: &Value, words: &str) -> Value {
        entry(json!({"type": "assistant", "isApiErrorMessage": true, "error": error, "apiErrorStatus": status,
            "message": {"model": "<synthetic>", "stop_reason": "stop_sequence", "content": [{"type": "text", "text": words}]}}))
    }

    fn kind_of(entry: &Value) -> Option<Block> {
        match Claude.signal(entry)?.news {
            News::Blocked(obstacle) => Some(obstacle.kind),
            _ => None,
        }
    }

    #[test]
    fn each_failure_has_its_kind() {
        for (error, status, words, expected) in [
            ("rate_limit", json!(429), "You've hit your 5-hour limit · resets 9:53pm (UTC)", Block::Limited),
            ("rate_limit", json!(429), "API Error: Request rejected (429)", Block::Limited),
            ("authentication_failed", json!(401), "Not logged in · Please run /login", Block::LoggedOut),
            ("billing_error", json!(400), "Credit balance is too low", Block::NoCredit),
            ("server_error", json!(529), "API Error: Repeated 529 Overloaded errors.", Block::Overloaded),
            ("invalid_request", json!(400), "Prompt is too long", Block::ContextFull),
            ("invalid_request", Value::Null, "API Error: safeguards flagged this message", Block::Refused),
            ("unknown", json!(400), "API Error: 400 Bad thing", Block::Refused),
            ("unknown", json!(503), "API Error: 503", Block::Overloaded),
            ("a word of a later version", Value::Null, "API Error", Block::Refused),
        ] {
            assert_eq!(kind_of(&failed(error, &status, words)), Some(expected), "{words}");
        }
    }

    #[test]
    fn the_end_of_a_limit_is_known_to_the_second() {
        let mut limit = failed("rate_limit", &json!(429), "You've hit your 5-hour limit");
        limit["quotaLimits"] = json!({"status": "rejected", "resetsAt": 1_796_075_619, "rateLimitType": "five_hour"});
        let notice = entry(json!({"type": "system", "subtype": "informational",
            "content": "Usage limit reached · set to continue automatically at 9:53pm"}));
        let standing = left([limit, notice].iter().filter_map(|entry| Claude.signal(entry))).expect("limited");
        assert_eq!(standing.obstacle.until.map(Timestamp::as_second), Some(1_796_075_619));
    }

    #[test]
    fn words_of_the_conversation_are_no_signal() {
        let said = entry(json!({"type": "assistant", "message": {"model": "m", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "Credit balance is too low"}]}}));
        assert_eq!(Claude.signal(&said).map(|signal| signal.news), Some(News::Answered { calls_tool: false }));
        let mut side = failed("billing_error", &json!(400), "Credit balance is too low");
        side["isSidechain"] = json!(true);
        assert_eq!(Claude.signal(&side), None);
        let notice = entry(json!({"type": "system", "subtype": "informational", "content": "Approaching usage limit"}));
        assert_eq!(Claude.signal(&notice), None);
        let refused = entry(json!({"type": "assistant", "message": {"model": "m", "stop_reason": "refusal"}}));
        assert_eq!(Claude.signal(&refused), None, "the next entry reports it");
    }
}
