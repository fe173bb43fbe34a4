//! Turn of a message in a transcript of the demo agent. A turn has an id, which its reply and its interrupt name. Turns
//! of a version without these ids are not followed.

use serde_json::Value;

use wire::Speaker;

use crate::turn::{Answer, Follow, Lost, Progress, Said};

/// Parser for one message.
pub(super) struct Turn {
    id: String,
    /// Id of its turn; empty until it is found.
    turn: String,
    progress: Progress,
}

impl Turn {
    pub(super) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), turn: String::new(), progress: Progress::Unseen }
    }
}

impl Follow for Turn {
    fn take(&mut self, entry: &Value) {
        let word = |key: &str| entry[key].as_str().unwrap_or_default();
        match (&self.progress, word("type")) {
            (Progress::Unseen, "user") if wire::message_id(word("text")) == Some(self.id.as_str()) => {
                word("id").clone_into(&mut self.turn);
                self.progress = Progress::Working;
            }
            (Progress::Working, "assistant") if !self.turn.is_empty() && word("to") == self.turn => {
                self.progress = Progress::Answered(Answer { text: word("text").to_owned(), with: Vec::new() });
            }
            (Progress::Working, "failed") if !self.turn.is_empty() && word("to") == self.turn => {
                self.progress = Progress::Blocked(word("text").to_owned());
            }
            (Progress::Working, "interrupt") if !self.turn.is_empty() && word("to") == self.turn => {
                self.progress = Progress::Lost(Lost::Interrupted);
            }
            _ => {}
        }
    }

    fn progress(&self) -> Progress {
        self.progress.clone()
    }
}

/// Returns what a person or the agent said in an entry.
pub(super) fn said(entry: &Value) -> Option<Said> {
    let speaker = match entry["type"].as_str()? {
        "assistant" => Speaker::Agent,
        "user" => Speaker::User,
        _ => return None,
    };
    Said::of(&entry["at"], speaker, &entry["text"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::tests::{answered, states};

    #[test]
    fn each_reply_belongs_to_the_turn_that_it_names() {
        let ask = |id: &str| format!("[the-loop] A message for standing session `x`: (id {id})\\n\\nhello");
        let talk = [
            format!(r#"{{"type":"user","text":"{}","id":"1","at":""}}"#, ask("a")),
            format!(r#"{{"type":"queued","text":"{}","at":""}}"#, ask("b")),
            r#"{"type":"interrupt","at":""}"#.to_owned(),
            r#"{"type":"assistant","text":"one","to":"1","at":""}"#.to_owned(),
            format!(r#"{{"type":"user","text":"{}","id":"2","at":""}}"#, ask("b")),
            r#"{"type":"interrupt","to":"2","at":""}"#.to_owned(),
            r#"{"type":"assistant","text":"three","to":"3","at":""}"#.to_owned(),
        ]
        .join("\n");
        let of = |id| states(&talk, Box::new(Turn::new(id)));
        assert_eq!(of("a"), [Progress::Working, answered("one", &[])]);
        assert_eq!(of("b"), [Progress::Unseen, Progress::Working, Progress::Lost(Lost::Interrupted)]);
        assert_eq!(of("c"), [Progress::Unseen]);
    }
}
