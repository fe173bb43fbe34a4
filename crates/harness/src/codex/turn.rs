//! Turn of a message in a rollout of Codex.
//!
//! Facts seen on 0.171.0:
//! - Each turn has an id, which the items of the turn and the events of its begin and end carry.
//! - Messages that were queued while a turn runs become part of that turn.
//! - An interrupt, also by a resume after a kill, is `turn_aborted` or the begin of another turn.
//! - A request that the vendor refused for good ends the turn with an `error`.

use serde_json::Value;

use wire::Speaker;

use crate::turn::{Answer, Follow, Lost, Progress, Said, id_in, texts};

/// Parser for one message.
pub(super) struct Turn {
    id: String,
    /// Turn that runs.
    running: String,
    /// Turn of the message.
    turn: String,
    progress: Progress,
    /// Last words of the agent after the message.
    spoken: String,
    /// True if these words are the last item so far: what comes next decides if they were the answer.
    last: bool,
    with: Vec<String>,
    over: bool,
}

impl Turn {
    pub(super) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            running: String::new(),
            turn: String::new(),
            progress: Progress::Unseen,
            spoken: String::new(),
            last: false,
            with: Vec::new(),
            over: false,
        }
    }

    fn end(&mut self, progress: Progress) {
        (self.progress, self.over) = (progress, true);
    }

    fn answered(&mut self, text: String) {
        let answer = Answer { text, with: std::mem::take(&mut self.with) };
        self.end(if answer.text.trim().is_empty() { Progress::Lost(Lost::Silent) } else { Progress::Answered(answer) });
    }

    /// Notes an item of a turn.
    fn item(&mut self, item: &Value) {
        let of = item["internal_chat_message_metadata_passthrough"]["turn_id"].as_str().unwrap_or(&self.running);
        let (content, message) = (&item["content"], item["type"] == "message");
        let user = message && item["role"] == "user";
        if self.progress == Progress::Unseen {
            if user && id_in(content) == Some(self.id.as_str()) {
                self.turn = of.to_owned();
                self.progress = Progress::Working;
            }
            return;
        }
        if of != self.turn {
            return;
        }
        if user {
            // Codex's own messages to the model are between tags.
            if texts(content).next().is_none_or(|text| text.starts_with('<')) {
                return;
            }
            if self.last {
                let spoken = std::mem::take(&mut self.spoken);
                return self.answered(spoken);
            }
            self.with.extend(id_in(content).map(str::to_owned));
        } else if message && item["role"] == "assistant" {
            self.spoken = texts(content).collect::<Vec<_>>().join("\n");
            self.last = item["phase"] != "commentary" && !self.spoken.trim().is_empty();
        } else {
            self.last = false;
        }
    }

    /// Notes the begin or the end of a turn.
    fn event(&mut self, event: &Value) {
        let of = event["turn_id"].as_str().unwrap_or_default();
        let own = self.progress == Progress::Working && of == self.turn;
        match event["type"].as_str() {
            Some("task_started") => {
                of.clone_into(&mut self.running);
                if self.progress == Progress::Working && of != self.turn {
                    self.end(Progress::Lost(Lost::ProcessEnded));
                }
            }
            Some("turn_aborted") if own => self.end(Progress::Lost(Lost::Interrupted)),
            Some("task_complete") if own => {
                if let Some(reason) = event["error"]["message"].as_str() {
                    return self.end(Progress::Blocked(reason.to_owned()));
                }
                let told = event["last_agent_message"].as_str().map(str::to_owned);
                let text = told.unwrap_or_else(|| std::mem::take(&mut self.spoken));
                self.answered(text);
            }
            _ => {}
        }
    }
}

impl Follow for Turn {
    fn take(&mut self, entry: &Value) {
        if self.over {
            return;
        }
        match entry["type"].as_str() {
            Some("response_item") => self.item(&entry["payload"]),
            Some("event_msg") => self.event(&entry["payload"]),
            _ => {}
        }
    }

    fn progress(&self) -> Progress {
        self.progress.clone()
    }
}

/// Returns what a person or the agent said in an entry.
pub(super) fn said(entry: &Value) -> Option<Said> {
    let item = &entry["payload"];
    if entry["type"] != "response_item" || item["type"] != "message" {
        return None;
    }
    let speaker = match item["role"].as_str()? {
        "assistant" => Speaker::Agent,
        "user" => Speaker::User,
        _ => return None,
    };
    let said = Said::of(&entry["timestamp"], speaker, &item["content"])?;
    (speaker == Speaker::Agent || !said.text.starts_with('<')).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::tests::{answered, end, states};

    const TALK: &str = include_str!("../../tests/turns/codex/talk.jsonl");

    fn of(id: &str) -> Progress {
        end(TALK, Box::new(Turn::new(id)))
    }

    #[test]
    fn messages_of_one_turn_share_its_answer_and_say_so() {
        let text = "heard mark-a, mark-b, mark-c, mark-d";
        assert_eq!(
            states(TALK, Box::new(Turn::new("a"))),
            [Progress::Unseen, Progress::Working, answered(text, &["b", "c", "d"])]
        );
        assert_eq!(of("d"), answered(text, &[]));
        assert_eq!(of("e"), answered("heard mark-f", &["f"]), "one came while a tool ran");
        assert_eq!(of("unknown"), Progress::Unseen);
    }

    #[test]
    fn an_interrupted_turn_has_no_answer_and_the_next_one_has_its_own() {
        assert_eq!(of("g"), Progress::Lost(Lost::Interrupted));
        assert_eq!(of("h"), Progress::Lost(Lost::Interrupted));
        assert_eq!(of("i"), answered("heard mark-g, mark-h, mark-i", &[]));
        assert_eq!(of("l"), Progress::Lost(Lost::Interrupted), "while a tool ran");
    }

    #[test]
    fn a_usage_limit_blocks_the_messages_of_its_turn() {
        for id in ["j", "k"] {
            assert!(matches!(of(id), Progress::Blocked(reason) if reason.contains("usage limit")), "{id}");
        }
    }

    #[test]
    fn a_turn_whose_process_was_killed_has_no_answer() {
        assert_eq!(of("m"), Progress::Lost(Lost::ProcessEnded));
        assert_eq!(of("n"), Progress::Unseen, "it was only queued");
        assert_eq!(of("o"), answered("heard mark-m, mark-o", &[]));
    }

    #[test]
    fn words_before_the_next_message_are_the_answer_to_the_one_before() {
        let item = |role: &str, text: &str| {
            let content = serde_json::json!([{ "text": text }]);
            serde_json::json!({"type": "response_item", "payload": {"type": "message", "role": role,
                "content": content, "internal_chat_message_metadata_passthrough": {"turn_id": "t"}}})
            .to_string()
        };
        let ask = |id: &str| format!("[the-loop] A message for standing session `x`: (id {id})\n\nhello");
        let call = r#"{"type":"response_item","payload":{"type":"function_call"}}"#.to_owned();
        let done =
            r#"{"type":"event_msg","payload":{"type":"task_complete","turn_id":"t","last_agent_message":"two"}}"#;
        let begin = r#"{"type":"event_msg","payload":{"type":"task_started","turn_id":"t"}}"#.to_owned();
        let talk = [begin.clone(), item("user", &ask("y")), item("assistant", "one"), item("user", &ask("z"))];
        let talk = [talk.join("\n"), item("assistant", "two"), done.to_owned()].join("\n");
        let of = |talk: &str, id| end(talk, Box::new(Turn::new(id)));
        assert_eq!((of(&talk, "y"), of(&talk, "z")), (answered("one", &[]), answered("two", &[])));
        // Words before a call are not an answer.
        let talk = [begin, item("user", &ask("y")), item("assistant", "let me look"), call, item("user", &ask("z"))];
        let talk = [talk.join("\n"), item("assistant", "two"), done.to_owned()].join("\n");
        assert_eq!((of(&talk, "y"), of(&talk, "z")), (answered("two", &["z"]), answered("two", &[])));
    }
}
