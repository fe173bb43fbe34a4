//! What Slack sends over a socket.

use serde_json::{Value, json};

use crate::surfaces::slack::message::Message;

/// One thing that Slack sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Envelope {
    /// The greeting.
    Hello {
        /// How many connections the app has.
        of: u64,
    },
    /// The connection will end.
    Disconnect(Goodbye),
    /// Something happened; it is to be acknowledged.
    Event {
        /// What the acknowledgement names.
        id: String,
        /// What happened, if it is a message.
        message: Option<Box<Message>>,
    },
    /// Something that is not known and needs nothing.
    Other,
}

/// Why a connection will end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goodbye {
    /// It is to be replaced; this one is still good for a few seconds.
    Refresh,
    /// Socket Mode was turned off for the app.
    Disabled,
}

impl Envelope {
    /// Reads one; `None` if it is no JSON object.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok().filter(Value::is_object)?;
        Some(match value["type"].as_str() {
            Some("hello") => Self::Hello { of: value["num_connections"].as_u64().unwrap_or(1) },
            Some("disconnect") => Self::Disconnect(match value["reason"].as_str() {
                Some("link_disabled") => Goodbye::Disabled,
                _ => Goodbye::Refresh,
            }),
            // Whatever has an id wants to be acknowledged, known or not: else it comes again.
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

/// What tells Slack that we have an envelope.
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
