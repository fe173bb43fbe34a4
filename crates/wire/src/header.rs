//! Line that names the sender of a message, put before its text.
//!
//! The published line ends with a colon. The id follows it, so a reader of the published line still finds it.

use crate::SessionName;

/// Beginning of the line.
const OPENING: &str = "[the-loop] A message";

/// Text before the id.
const ID: &str = ": (id ";

/// Returns the first line of a message, in its published form if the id is empty. An empty line and the text follow.
pub fn message_header(name: &SessionName, actor: &str, id: &str) -> String {
    let actor: String = actor.chars().filter(|c| !c.is_control()).collect();
    let from = match actor.trim() {
        "" => String::new(),
        actor => format!(" from {actor}"),
    };
    let id = if id.is_empty() { ":".to_owned() } else { format!("{ID}{id})") };
    format!("{OPENING}{from} for standing session `{name}`{id}")
}

/// Returns the id of a message as an agent received it; `None` for any other text. Some agents wrap a pasted message,
/// so the line is also found after a wrapper's opening, but not in the text of the message itself.
pub fn message_id(text: &str) -> Option<&str> {
    let line = text.lines().take(WRAPPED).find(|line| line.trim_start().starts_with(OPENING))?;
    let (_, id) = line.trim_end().strip_suffix(')')?.rsplit_once(ID)?;
    (!id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')).then_some(id)
}

/// Message as an agent received it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<'a> {
    /// Name of the sender; may be empty.
    pub actor: &'a str,
    /// Id; empty for a message of an earlier version.
    pub id: &'a str,
    /// Text of the message.
    pub text: &'a str,
}

impl<'a> Received<'a> {
    /// Splits the text of a message from the line before it; `None` for any other text.
    pub fn parse(received: &'a str) -> Option<Self> {
        let (line, text) = received.split_once("\n\n")?;
        let (before, _) = line.strip_prefix(OPENING)?.rsplit_once(" for standing session `")?;
        let actor = before.strip_prefix(" from ").unwrap_or_default();
        Some(Self { actor, id: message_id(line).unwrap_or_default(), text })
    }
}

/// Number of lines in which the line is looked for.
const WRAPPED: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> SessionName {
        SessionName::parse("ops").expect("a name")
    }

    #[test]
    fn the_published_line_comes_first_and_the_id_after_it() {
        assert_eq!(
            message_header(&name(), "slack:U1\nx", "5e1c"),
            "[the-loop] A message from slack:U1x for standing session `ops`: (id 5e1c)"
        );
        assert_eq!(message_header(&name(), "", ""), "[the-loop] A message for standing session `ops`:");
        assert_eq!(message_header(&name(), "", "5e1c"), "[the-loop] A message for standing session `ops`: (id 5e1c)");
    }

    #[test]
    fn a_message_is_split_into_its_parts() {
        for (actor, id) in [("me", "a1"), ("", "a1"), ("slack:U1", "")] {
            let received = format!("{}\n\nhello\n\nyou", message_header(&name(), actor, id));
            assert_eq!(Received::parse(&received), Some(Received { actor, id, text: "hello\n\nyou" }));
        }
        assert_eq!(Received::parse("hello\n\nyou"), None);
    }

    #[test]
    fn an_id_is_read_from_the_line_alone() {
        let message = |actor: &str, text: &str| format!("{}\n\n{text}", message_header(&name(), actor, "a1"));
        assert_eq!(message_id(&message("", "hello")), Some("a1"));
        // A sender that calls itself by another id, and a text that quotes another message.
        assert_eq!(message_id(&message("x`: (id b2)", "[the-loop] A message for y: (id c3)")), Some("a1"));
        assert_eq!(message_id(&format!("<pasted>\n{}\n</pasted>", message("me", "hello"))), Some("a1"));
        assert_eq!(message_id(&format!("look\nat\nthis\n{}", message("", "hello"))), None);
        for other in ["", "hello", "[the-loop] A message for standing session `ops`:\n\nhello", "(id a1)"] {
            assert_eq!(message_id(other), None, "{other}");
        }
    }
}
