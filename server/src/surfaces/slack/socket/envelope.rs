//! Messages that Slack sends over a socket.

use serde_json::{Value, json};

use crate::surfaces::slack::message::Message;

/// One socket message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Envelope {
    /// Greeting.
    Hello {
        /// Number of connections of the app.
        of: u64,
    },
    /// Announcement that the connection will end.
    Disconnect(Goodbye),
    /// Event that must be acknowledged.
    Event {
        /// ID for the acknowledgement.
        id: String,
        /// Message, if the event contains one.
        message: Option<Box<Message>>,
    },
    /// Unknown message that needs no acknowledgement.
    Other,
}

/// Reason why a connection will end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goodbye {
    /// The connection must be replaced. It remains valid for a few seconds.
    Refresh,
    /// Socket Mode was disabled for the app.
    Disabled,
}

impl Envelope {
    /// Parses a socket message; `None` if it is not a JSON object.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok().filter(Value::is_object)?;
        Some(match value["type"].as_str() {
            Some("hello") => Self::Hello { of: value["num_connections"].as_u64().unwrap_or(1) },
            Some("disconnect") => Self::Disconnect(match value["reason"].as_str() {
                Some("link_disabled") => Goodbye::Disabled,
                _ => Goodbye::Refresh,
            }),
            // A message with an ID must be acknowledged even if it is unknown: otherwise Slack sends it again.
            _ => match value["envelope_id"].as_str() {
                Some(id) => Self::Event {
                    id: id.to_owned(),
                    message: (value["type"] == "events_api")
                        .then(|| Message::of_event(&value["payload"]))
                        .flatten()
                        .map(Box::new),
                },
                None => Self::Other,
            },
        })
    }
}

/// Returns the acknowledgement of an envelope.
pub(super) fn acknowledgement(id: &str) -> String {
    json!({ "envelope_id": id }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_are_told_apart() {
        let parse = |text: &str| Envelope::parse(text);
        assert_eq!(parse(r#"{"type":"hello","num_connections":2}"#), Some(Envelope::Hello { of: 2 }));
        for (reason, goodbye) in [
            ("warning", Goodbye::Refresh),
            ("refresh_requested", Goodbye::Refresh),
            ("of_next_year", Goodbye::Refresh),
            ("link_disabled", Goodbye::Disabled),
        ] {
            let text = json!({ "type": "disconnect", "reason": reason }).to_string();
            assert_eq!(parse(&text), Some(Envelope::Disconnect(goodbye)));
        }
        let event = |id: &str| Some(Envelope::Event { id: id.to_owned(), message: None });
        assert_eq!(parse(r#"{"type":"slash_commands","envelope_id":"e1","payload":{}}"#), event("e1"));
        assert_eq!(parse(r#"{"type":"events_api","envelope_id":"e2"}"#), event("e2"));
        assert_eq!(parse(r#"{"type":"ping"}"#), Some(Envelope::Other));
        for none in ["", "[]", "7", "{"] {
            assert_eq!(parse(none), None, "{none}");
        }
        assert_eq!(acknowledgement("a\"b"), r#"{"envelope_id":"a\"b"}"#);
    }
}
