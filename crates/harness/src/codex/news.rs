//! Signals in the rollout of Codex, seen on 0.171.0.
//!
//! A turn ends with `task_complete`, which has an `error` if it failed. Before it, `token_count` has the windows of the
//! account's limits with the second of their reset. While Codex retries, it writes nothing.

use jiff::Timestamp;
use serde_json::Value;
use wire::{Block, Source};

use crate::signal::{News, Obstacle, Signal, of_status};

/// Reads the signal in an entry of the rollout.
pub(super) fn signal(entry: &Value, begins_turn: bool) -> Option<Signal> {
    let at = entry["timestamp"].as_str()?.parse().ok()?;
    let payload = &entry["payload"];
    let news = match (entry["type"].as_str()?, payload["type"].as_str().unwrap_or_default()) {
        ("event_msg", _) if begins_turn => News::Begun,
        ("event_msg", "task_complete") if payload["error"].is_object() => News::Blocked(failure(&payload["error"])),
        ("event_msg", "task_complete") if payload["last_agent_message"].is_string() => ANSWERED,
        ("event_msg", "error") => News::Blocked(failure(payload)),
        ("event_msg", "token_count") => News::Blocked(limit(&payload["rate_limits"])?),
        ("response_item", "message") if payload["role"] == "assistant" => ANSWERED,
        ("response_item", item) if item.ends_with("_call_output") => News::Begun,
        ("response_item", item) if item.ends_with("_call") => News::Answered { calls_tool: true },
        ("compacted", _) => News::Shortened,
        _ => return None,
    };
    Some(Signal { at, source: Source::Transcript, news })
}

const ANSWERED: News = News::Answered { calls_tool: false };

fn failure(error: &Value) -> Obstacle {
    let words = error["message"].as_str().unwrap_or_default();
    Obstacle::new(kind(&error["codex_error_info"], words), None, words)
}

/// Returns the kind of a failure by Codex's own word for it, which may be the key of an object with the HTTP status.
fn kind(info: &Value, words: &str) -> Block {
    let named = info.as_object().and_then(|named| named.iter().next());
    let status = named.and_then(|(_, more)| more["http_status_code"].as_u64());
    let word = info.as_str().or_else(|| named.map(|(word, _)| word.as_str())).unwrap_or_default();
    match (word, status) {
        ("usage_limit_exceeded", _) if words.starts_with("Quota exceeded") => Block::NoCredit,
        ("usage_limit_exceeded", _) => Block::Limited,
        ("context_window_exceeded", _) => Block::ContextFull,
        ("unauthorized", _) => Block::LoggedOut,
        // A limit of the account has a word of its own.
        (_, Some(429)) => Block::Overloaded,
        (_, Some(status)) => of_status(status).unwrap_or(Block::Overloaded),
        (word, None) if is_of_the_service(word) => Block::Overloaded,
        _ => Block::Refused,
    }
}

fn is_of_the_service(word: &str) -> bool {
    matches!(word, "server_overloaded" | "internal_server_error" | "response_too_many_failed_attempts")
        || word.starts_with("response_stream_")
        || word.starts_with("http_connection_")
}

/// Reads the limit that the account reached. It ends with the last of the windows that are used up.
fn limit(limits: &Value) -> Option<Obstacle> {
    let reached = limits["rate_limit_reached_type"].as_str()?;
    let kind = if reached.contains("credits") { Block::NoCredit } else { Block::Limited };
    let windows = [&limits["primary"], &limits["secondary"]];
    let used_up =
        windows.into_iter().filter(|window| window["used_percent"].as_f64().is_some_and(|used| used >= 100.0));
    let until = used_up.filter_map(|window| Timestamp::from_second(window["resets_at"].as_i64()?).ok()).max();
    Some(Obstacle::new(kind, until, &format!("usage limit reached ({reached})")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Harness as _, codex::Codex, signal::left};

    fn event(payload: &Value) -> Value {
        json!({"timestamp": "2026-11-30T20:59:34.070Z", "type": "event_msg", "payload": payload})
    }

    fn failed(info: &Value, words: &str) -> Value {
        event(&json!({"type": "task_complete", "last_agent_message": null,
            "error": {"message": words, "codex_error_info": info}}))
    }

    #[test]
    fn each_failure_has_its_kind() {
        for (info, words, expected) in [
            (json!("usage_limit_exceeded"), "You’ve hit your usage limit.", Block::Limited),
            (json!("usage_limit_exceeded"), "Quota exceeded. Check your plan.", Block::NoCredit),
            (json!("context_window_exceeded"), "Codex ran out of room", Block::ContextFull),
            (json!({"http_connection_failed": {"http_status_code": 401}}), "unexpected status 401", Block::LoggedOut),
            (json!({"response_too_many_failed_attempts": {"http_status_code": 429}}), "429", Block::Overloaded),
            (json!({"response_stream_disconnected": {"http_status_code": null}}), "cut", Block::Overloaded),
            (json!("server_overloaded"), "busy", Block::Overloaded),
            (json!("other"), "Bad thing", Block::Refused),
            (Value::Null, "no word", Block::Refused),
        ] {
            let signal = Codex.signal(&failed(&info, words)).expect("a signal");
            assert!(matches!(&signal.news, News::Blocked(told) if told.kind == expected), "{info}: {signal:?}");
        }
    }

    #[test]
    fn the_end_of_a_limit_is_known_to_the_second() {
        let window = |used: f64, at: i64| json!({"used_percent": used, "window_minutes": 300, "resets_at": at});
        let limits = |reached: Value| {
            event(&json!({"type": "token_count", "rate_limits": {"rate_limit_reached_type": reached,
                "primary": window(100.0, 1_796_075_974), "secondary": window(40.0, 1_796_162_374)}}))
        };
        let entries = [
            limits(json!("rate_limit_reached")),
            failed(&json!("usage_limit_exceeded"), "You’ve hit your usage limit."),
        ];
        let standing = left(entries.iter().filter_map(|entry| Codex.signal(entry))).expect("limited");
        assert_eq!(standing.obstacle.until.map(Timestamp::as_second), Some(1_796_075_974));
        assert!(standing.obstacle.words.starts_with("You’ve hit"), "{standing:?}");
        assert_eq!(Codex.signal(&limits(Value::Null)), None, "a limit is near, not reached");
    }

    #[test]
    fn a_tool_that_runs_is_an_answer_and_its_result_a_beginning() {
        let item = |kind: &str| {
            let entry =
                json!({"timestamp": "2026-11-30T20:59:34.070Z", "type": "response_item", "payload": {"type": kind}});
            Codex.signal(&entry).map(|signal| signal.news)
        };
        assert_eq!(item("function_call"), Some(News::Answered { calls_tool: true }));
        assert_eq!(item("local_shell_call"), Some(News::Answered { calls_tool: true }));
        assert_eq!(item("function_call_output"), Some(News::Begun));
        assert_eq!(item("reasoning"), None);
    }
}
