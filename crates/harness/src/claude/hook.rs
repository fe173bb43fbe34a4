//! Events of Claude Code's hooks, seen on 2.1.332. `prompt_id` is not used: it does not pair a question with its answer.

use serde_json::{Map, Value};
use wire::Activity;

use super::news;
use crate::signal::{News, Obstacle};

/// Fields of an event that are kept. Texts of the conversation are not.
const KEPT: [&str; 5] = ["hook_event_name", "source", "reason", "error", "notification_type"];

/// Reduces an event to what is kept of it.
pub(super) fn kept(event: &Value) -> Option<(String, Value)> {
    let conversation = event["session_id"].as_str()?.to_owned();
    let mut kept: Map<String, Value> =
        KEPT.iter().filter_map(|&key| Some((key.to_owned(), event.get(key)?.clone()))).collect();
    // The last message of a failed turn is the vendor's sentence.
    if event["hook_event_name"] == "StopFailure" {
        let words = event["last_assistant_message"].as_str().unwrap_or_default();
        let words: String = words.lines().next().unwrap_or_default().chars().take(240).collect();
        kept.insert("words".to_owned(), words.into());
    }
    Some((conversation, Value::Object(kept)))
}

/// Reads what an event says about the progress of the turns.
pub(super) fn news(event: &Value) -> Option<News> {
    match event["hook_event_name"].as_str()? {
        "UserPromptSubmit" => Some(News::Begun),
        "Stop" => Some(News::Answered { calls_tool: false }),
        "StopFailure" => {
            let words = event["words"].as_str().unwrap_or_default();
            let kind = news::kind(event["error"].as_str().unwrap_or_default(), None, words);
            Some(News::Blocked(Obstacle::new(kind, None, words)))
        }
        "SessionStart" if event["source"] == "compact" => Some(News::Shortened),
        _ => None,
    }
}

/// Reads the activity that begins with an event.
pub(super) fn activity(event: &Value) -> Option<Activity> {
    match event["hook_event_name"].as_str()? {
        "UserPromptSubmit" => Some(Activity::Busy),
        "Stop" | "StopFailure" => Some(Activity::Idle),
        "PermissionRequest" => Some(Activity::Waiting),
        "Notification" if event["notification_type"] == "permission_prompt" => Some(Activity::Waiting),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wire::Block;

    use super::*;

    #[test]
    fn a_failed_turn_is_an_obstacle_in_the_vendors_words() {
        let event = json!({"session_id": "c-1", "hook_event_name": "StopFailure", "error": "rate_limit",
            "last_assistant_message": "You've hit your 5-hour limit · resets 9:53pm (UTC)\nmore"});
        let (conversation, kept) = kept(&event).expect("kept");
        assert_eq!(conversation, "c-1");
        let Some(News::Blocked(obstacle)) = news(&kept) else { panic!("{kept}") };
        assert_eq!(obstacle.kind, Block::Limited);
        assert_eq!(obstacle.words, "You've hit your 5-hour limit · resets 9:53pm (UTC)");
        assert_eq!(activity(&kept), Some(Activity::Idle), "the turn is over");
    }

    #[test]
    fn no_text_of_the_conversation_is_kept() {
        let event = json!({"session_id": "c-1", "hook_event_name": "Stop", "last_assistant_message": "the secret",
            "prompt": "a secret", "tool_input": {"command": "secret"}});
        let (_, kept) = kept(&event).expect("kept");
        assert!(!kept.to_string().contains("secret"), "{kept}");
        assert_eq!(news(&kept), Some(News::Answered { calls_tool: false }));
        assert_eq!(self::kept(&json!({"hook_event_name": "Stop"})), None, "of no conversation");
    }
}
