//! A Slack message, and the check that it can be a reply to a session.
//!
//! Unknown kinds are rejected: a message counts only if its kind is on the list of those that carry a person's own
//! words. An edit or a deletion never counts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{api::Identity, content::Content, entities::decode, ts::Ts};

/// Kinds of message, besides the plain one, that carry a person's own words.
const SUBTYPES: [&str; 2] = ["thread_broadcast", "file_share"];

/// One message of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// ID of the event; empty if the message did not arrive as an event.
    pub(super) event_id: String,
    pub(super) channel: String,
    pub(super) ts: Ts,
    pub(super) thread: Option<Ts>,
    /// ID of the author; empty if there is none.
    pub(super) user: String,
    bot: String,
    subtype: String,
    text: String,
    content: Content,
    /// Edit that this message reports, if any.
    edited: Option<Edit>,
}

/// An edit of the text of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) user: String,
    pub(super) ts: Ts,
    pub(super) thread: Ts,
}

/// A person's message in a thread, stored until it is delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reply {
    pub(super) channel: String,
    pub(super) ts: Ts,
    pub(super) thread: Ts,
    pub(super) user: String,
    /// Text in Slack's markup.
    pub(super) text: String,
    /// Plain text of the message's blocks and shared messages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) more: String,
    /// Parts of the message that cannot be delivered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) missing: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) event_id: String,
}

/// Unique key of a message: time stamps are unique within a channel only.
pub(super) type Key = (String, Ts);

impl Reply {
    pub(super) fn key(&self) -> Key {
        (self.channel.clone(), self.ts.clone())
    }

    /// Returns the whole text of the message, as plain text.
    pub(super) fn words(&self) -> String {
        let text = decode(&self.text);
        match (text.trim().is_empty(), self.more.is_empty()) {
            (_, true) => text,
            (true, false) => self.more.clone(),
            (false, false) => format!("{text}\n\n{}", self.more),
        }
    }
}

impl Message {
    /// Reads the payload of an `events_api` envelope; `None` if it does not contain a message.
    pub(super) fn of_event(payload: &Value) -> Option<Self> {
        if payload["type"] != "event_callback" {
            return None;
        }
        let event = &payload["event"];
        let channel = event["channel"].as_str()?;
        Self::of_listing(channel, event, payload["event_id"].as_str().unwrap_or_default())
    }

    /// Reads one message of a thread's listing.
    pub(super) fn of_listing(channel: &str, message: &Value, event_id: &str) -> Option<Self> {
        let text = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
        if message["type"] != "message" || channel.is_empty() {
            return None;
        }
        let bot = match &message["bot_profile"] {
            Value::Null => text("bot_id"),
            _ if text("bot_id").is_empty() => "unknown".to_owned(),
            _ => text("bot_id"),
        };
        Some(Self {
            event_id: event_id.to_owned(),
            channel: channel.to_owned(),
            ts: Ts::parse(message["ts"].as_str()?)?,
            thread: message["thread_ts"].as_str().and_then(Ts::parse),
            user: text("user"),
            bot,
            subtype: text("subtype"),
            text: text("text"),
            content: Content::of(message),
            edited: edit(message),
        })
    }

    pub(super) fn key(&self) -> Key {
        (self.channel.clone(), self.ts.clone())
    }

    /// True if the message was not written by a person, or was written by this app.
    pub(super) fn is_by_a_bot(&self, us: &Identity) -> bool {
        self.user.is_empty()
            || !self.bot.is_empty()
            || self.subtype == "bot_message"
            || self.user == us.user
            || self.user == "USLACKBOT"
    }

    /// True if the message's kind carries a person's own words.
    pub(super) fn is_words(&self) -> bool {
        self.subtype.is_empty() || SUBTYPES.contains(&self.subtype.as_str())
    }

    /// Returns the edit of a person's message that this event reports.
    pub(super) fn edit(&self) -> Option<&Edit> {
        self.edited.as_ref()
    }

    /// Returns the kind of a message that has content, but is not of a kind that carries a person's own words.
    pub(super) fn unread_kind(&self) -> Option<&str> {
        let tells_of_another = ["message_changed", "message_deleted", "message_replied", "tombstone"];
        let tells_of_the_channel = ["channel_", "group_"].iter().any(|context| self.subtype.starts_with(context));
        let holds_words = !self.text.trim().is_empty() || self.content != Content::default();
        let is_one = !self.is_words() && !tells_of_another.contains(&self.subtype.as_str()) && !tells_of_the_channel;
        (is_one && holds_words).then_some(self.subtype.as_str())
    }

    /// Returns the message as a reply. The caller checks that its thread is bound and its author is authorised.
    pub(super) fn reply(&self, us: &Identity) -> Option<Reply> {
        self.unread(us).filter(|_| self.is_words())
    }

    /// Returns the message as a reply, whatever its kind.
    pub(super) fn unread(&self, us: &Identity) -> Option<Reply> {
        let thread = self.thread.clone().filter(|thread| *thread != self.ts)?;
        (!self.is_by_a_bot(us)).then(|| Reply {
            channel: self.channel.clone(),
            ts: self.ts.clone(),
            thread,
            user: self.user.clone(),
            text: self.text.clone(),
            more: self.content.text.clone(),
            missing: self.content.missing.clone(),
            event_id: self.event_id.clone(),
        })
    }
}

/// Returns the edit that an event reports. Slack reports previews and answers in the same way, but those change no
/// text.
fn edit(event: &Value) -> Option<Edit> {
    let (after, before) = (&event["message"], &event["previous_message"]);
    if event["subtype"] != "message_changed" || !after["edited"].is_object() || after["text"] == before["text"] {
        return None;
    }
    Some(Edit {
        user: after["user"].as_str()?.to_owned(),
        ts: Ts::parse(after["ts"].as_str()?)?,
        thread: Ts::parse(after["thread_ts"].as_str()?)?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn us() -> Identity {
        let text = |text: &str| text.to_owned();
        Identity { user: text("UBOT"), bot: text("BBOT"), name: text("the-loop"), team: text("team") }
    }

    fn event(change: &Value) -> Option<Message> {
        let mut event = json!({
            "type": "message", "channel": "C1", "ts": "2.000002", "thread_ts": "1.000001", "user": "U1", "text": "hi",
        });
        for (key, value) in change.as_object().expect("an object") {
            event[key] = value.clone();
        }
        Message::of_event(&json!({ "type": "event_callback", "event_id": "Ev1", "event": event }))
    }

    fn is_reply(change: &Value) -> bool {
        event(change).is_some_and(|message| message.reply(&us()).is_some())
    }

    #[test]
    fn only_a_persons_own_words_in_a_thread_are_a_reply() {
        for reply in [json!({}), json!({ "subtype": "thread_broadcast" }), json!({ "subtype": "file_share" })] {
            assert!(is_reply(&reply), "{reply}");
        }
        for none in [
            json!({ "subtype": "message_changed" }),
            json!({ "subtype": "message_deleted" }),
            json!({ "subtype": "channel_join" }),
            json!({ "subtype": "of_next_year" }),
            json!({ "subtype": "bot_message" }),
            json!({ "bot_id": "B1" }),
            json!({ "bot_profile": { "id": "B1" } }),
            json!({ "user": "UBOT" }),
            json!({ "user": "USLACKBOT" }),
            json!({ "user": null }),
            json!({ "user": 7 }),
            json!({ "thread_ts": null }),
            json!({ "thread_ts": "2.000002" }),
            json!({ "thread_ts": "once" }),
            json!({ "type": "reaction_added" }),
            json!({ "ts": "2" }),
            json!({ "channel": null }),
        ] {
            assert!(!is_reply(&none), "{none}");
        }
    }
}
