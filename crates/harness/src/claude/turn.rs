//! Turn of a message in a transcript of Claude Code.
//!
//! Facts seen on 2.1.332:
//! - Each entry has a `uuid` and names its predecessor in `parentUuid`. A prompt that a person took back stays in the
//!   file, and the next prompt has another predecessor.
//! - Prompts that were queued are written one after the other (`promptSource: queued`) and answered as one turn. A
//!   prompt that comes while a tool runs becomes an attachment of the running turn.
//! - After the resume of a conversation whose process was killed, the unfinished turn gets the words `No response
//!   requested.` from the model `<synthetic>`. They are no answer.
//! - A request that the vendor refused ends the turn with an entry of `isApiErrorMessage`. The hook's `prompt_id` does
//!   not pair question and answer, and is not used.

use std::collections::HashSet;

use serde_json::Value;

use wire::Speaker;

use crate::turn::{Answer, Follow, Lost, Progress, Said, id_in, texts};

/// Parser for one message.
pub(super) struct Turn {
    id: String,
    /// Entries that follow from the message.
    inside: HashSet<String>,
    progress: Progress,
    /// Message of the model that is being read, and its text so far.
    spoken: (String, String),
    /// Ids of other messages in the turn.
    with: Vec<String>,
    /// True once the model has begun to answer.
    begun: bool,
    /// True once another turn has begun: nothing after it counts.
    over: bool,
}

impl Turn {
    pub(super) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            inside: HashSet::new(),
            progress: Progress::Unseen,
            spoken: Default::default(),
            with: Vec::new(),
            begun: false,
            over: false,
        }
    }

    /// Notes a prompt.
    fn prompt(&mut self, entry: &Value, inside: bool, id: Option<&str>) {
        let queued = entry["promptSource"] == "queued";
        match self.progress {
            Progress::Working if inside && queued && !self.begun => self.with.extend(id.map(str::to_owned)),
            Progress::Working => self.end(Progress::Lost(Lost::Passed)),
            _ => self.over = true,
        }
    }

    fn end(&mut self, progress: Progress) {
        (self.progress, self.over) = (progress, true);
    }

    /// Notes words of the model.
    fn assistant(&mut self, entry: &Value) {
        self.begun = true;
        let message = &entry["message"];
        let words = || texts(&message["content"]).collect::<Vec<_>>().join("\n");
        if message["model"] == "<synthetic>" {
            if entry["isApiErrorMessage"] == true {
                self.progress = Progress::Blocked(words());
            } else {
                self.end(Progress::Lost(Lost::ProcessEnded));
            }
            return;
        }
        let id = message["id"].as_str().unwrap_or_default();
        if self.spoken.0 != id {
            self.spoken = (id.to_owned(), String::new());
        }
        let spoken = &mut self.spoken.1;
        for text in texts(&message["content"]) {
            if !spoken.is_empty() {
                spoken.push('\n');
            }
            spoken.push_str(text);
        }
        let parts = message["content"].as_array();
        let uses_tool = parts.is_some_and(|parts| parts.iter().any(|part| part["type"] == "tool_use"));
        let ended = matches!(
            message["stop_reason"].as_str(),
            Some("end_turn" | "stop_sequence" | "max_tokens" | "refusal" | "model_context_window_exceeded")
        );
        self.progress =
            if ended && !uses_tool && !self.spoken.1.trim().is_empty() { self.answered() } else { Progress::Working };
    }

    fn answered(&self) -> Progress {
        Progress::Answered(Answer { text: self.spoken.1.clone(), with: self.with.clone() })
    }

    /// Notes an entry of a person, a tool or a hook.
    fn user(&mut self, entry: &Value, inside: bool) {
        let content = &entry["message"]["content"];
        let mut words = texts(content).peekable();
        let Some(first) = words.peek().copied() else { return };
        if inside && is_stop(first) {
            if self.progress == Progress::Working {
                self.end(Progress::Lost(Lost::Interrupted));
            }
        } else if entry["isMeta"] == true || entry["isCompactSummary"] == true {
            // A hook that does not let the agent stop continues the turn.
            if inside && first.starts_with("Stop hook feedback") && matches!(self.progress, Progress::Answered(_)) {
                self.progress = Progress::Working;
            }
        } else if !is_command(first) {
            self.prompt(entry, inside, id_in(content));
        }
    }
}

impl Follow for Turn {
    fn take(&mut self, entry: &Value) {
        let Some(uuid) = entry["uuid"].as_str().filter(|_| entry["isSidechain"] != true) else { return };
        let attached = &entry["attachment"];
        let queued = attached["type"] == "queued_command";
        let said = if queued { &attached["prompt"] } else { &entry["message"]["content"] };
        if (queued || entry["type"] == "user")
            && id_in(said) == Some(self.id.as_str())
            && !matches!(self.progress, Progress::Answered(_))
        {
            // A prompt that was taken back into the input box may be sent again.
            let id = std::mem::take(&mut self.id);
            *self = Self { inside: HashSet::from([uuid.to_owned()]), progress: Progress::Working, ..Self::new(&id) };
            return;
        }
        if self.over || self.progress == Progress::Unseen {
            return;
        }
        let before = ["parentUuid", "logicalParentUuid"].into_iter().find_map(|key| entry[key].as_str());
        let inside = before.is_some_and(|before| self.inside.contains(before));
        if inside {
            self.inside.insert(uuid.to_owned());
        }
        match entry["type"].as_str() {
            Some("user") => self.user(entry, inside),
            Some("assistant") if inside => self.assistant(entry),
            Some("attachment") if inside && queued && self.progress == Progress::Working => {
                self.with.extend(id_in(&attached["prompt"]).map(str::to_owned));
            }
            // Earlier versions do not write the reason for which the model stopped.
            Some("system")
                if inside
                    && entry["subtype"] == "turn_duration"
                    && self.progress == Progress::Working
                    && !self.spoken.1.trim().is_empty() =>
            {
                self.progress = self.answered();
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
    if entry["isSidechain"] == true || entry["isMeta"] == true || entry["isCompactSummary"] == true {
        return None;
    }
    let (message, at) = (&entry["message"], &entry["timestamp"]);
    match entry["type"].as_str()? {
        "assistant" if message["model"] != "<synthetic>" => Said::of(at, Speaker::Agent, &message["content"]),
        "user" => Said::of(at, Speaker::User, &message["content"])
            .filter(|said| !is_command(&said.text) && !is_stop(&said.text)),
        "attachment" if entry["attachment"]["type"] == "queued_command" => {
            Said::of(at, Speaker::User, &entry["attachment"]["prompt"])
        }
        _ => None,
    }
}

/// True for an entry that records a command of Claude Code or its output.
fn is_command(text: &str) -> bool {
    ["<command-", "<local-command-", "<bash-"].iter().any(|tag| text.starts_with(tag))
}

/// True for an entry that records an interrupt.
fn is_stop(text: &str) -> bool {
    text.starts_with("[Request interrupted by user")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::tests::{answered, end, states};

    const TALK: &str = include_str!("../../tests/turns/claude/talk.jsonl");
    const KILLED: &str = include_str!("../../tests/turns/claude/killed.jsonl");

    fn of(text: &str, id: &str) -> Progress {
        end(text, Box::new(Turn::new(id)))
    }

    #[test]
    fn a_question_alone_gets_the_answer_of_its_turn() {
        let states = states(TALK, Box::new(Turn::new("a")));
        assert_eq!(states, [Progress::Unseen, Progress::Working, answered("heard mark-a", &[])]);
        assert_eq!(of(TALK, "k"), answered("heard mark-k", &[]), "after requests that were repeated");
        assert_eq!(of(TALK, "unknown"), Progress::Unseen);
    }

    #[test]
    fn questions_that_were_queued_share_one_answer_and_say_so() {
        assert_eq!(of(TALK, "b"), answered("heard mark-b, mark-c, mark-d", &["c", "d"]));
        assert_eq!(of(TALK, "d"), answered("heard mark-b, mark-c, mark-d", &[]), "it was read last");
        assert_eq!(of(TALK, "e"), answered("heard mark-f", &["f"]), "one came while a tool ran");
        assert_eq!(of(TALK, "f"), answered("heard mark-f", &[]));
    }

    #[test]
    fn an_interrupted_turn_has_no_answer_and_the_next_one_has_its_own() {
        assert_eq!(of(TALK, "g"), Progress::Lost(Lost::Interrupted));
        assert_eq!(of(TALK, "h"), answered("heard mark-g, mark-h", &[]));
        assert_eq!(of(TALK, "i"), Progress::Lost(Lost::Passed), "its prompt was taken back");
        assert_eq!(of(TALK, "j"), Progress::Lost(Lost::Interrupted), "while a tool ran");
    }

    #[test]
    fn a_refused_request_blocks_and_a_command_of_the_agent_changes_nothing() {
        assert_eq!(of(TALK, "l"), Progress::Blocked("Credit balance is too low".to_owned()));
        assert_eq!(of(TALK, "m"), answered("heard mark-l, mark-m", &[]));
        assert_eq!(of(TALK, "n"), answered("heard mark-n", &[]), "`/clear` waited behind it");
    }

    #[test]
    fn only_what_a_person_or_the_agent_said_is_listed() {
        let entries = TALK.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        let all: Vec<Said> = entries.filter_map(|entry| said(&entry)).collect();
        let count = |speaker| all.iter().filter(|said| said.speaker == speaker).count();
        assert_eq!((count(Speaker::User), count(Speaker::Agent)), (15, 10), "{all:#?}");
        assert_eq!(all[0].text, "hello mark-boot");
        assert!(all.iter().all(|said| said.at.starts_with("2026-11-30T") && !said.text.starts_with(['<'])));
    }

    #[test]
    fn words_that_nobody_said_after_a_kill_are_no_answer() {
        assert_eq!(of(KILLED, "o"), Progress::Lost(Lost::ProcessEnded));
        assert_eq!(of(KILLED, "p"), Progress::Unseen, "its queue was lost with the process");
        assert_eq!(of(KILLED, "q"), answered("heard mark-q", &[]));
        assert_eq!(of(KILLED, "r"), answered("heard mark-r", &[]));
        assert_eq!(of(KILLED, "s"), answered("heard mark-s", &[]), "the first after a compaction");
    }

    #[test]
    fn a_subagent_and_a_stop_hook_do_not_end_the_turn() {
        let line = |kind: &str, uuid: &str, parent: &str, more: &str| {
            format!("{{\"type\":\"{kind}\",\"uuid\":\"{uuid}\",\"parentUuid\":\"{parent}\",{more}}}\n")
        };
        let said = |id: &str, text: &str| {
            let content = format!("[{{\"type\":\"text\",\"text\":\"{text}\"}}]");
            format!("\"message\":{{\"id\":\"{id}\",\"stop_reason\":\"end_turn\",\"content\":{content}}}")
        };
        let user = |text: &str| format!("\"isMeta\":true,\"message\":{{\"content\":\"{text}\"}}");
        let ask = "\"message\":{\"content\":\"[the-loop] A message for standing session `x`: (id z)\\n\\nhello\"}";
        let mut text = line("user", "1", "0", ask);
        text += &line("assistant", "s", "1", &format!("\"isSidechain\":true,{}", said("m0", "a subagent's")));
        assert_eq!(of(&text, "z"), Progress::Working);
        text += &line("assistant", "2", "1", &said("m1", "first"));
        text += &line("user", "3", "2", &user("Stop hook feedback:\\nnot yet"));
        assert_eq!(of(&text, "z"), Progress::Working);
        text += &line("assistant", "4", "3", &said("m2", "second"));
        text += &line("assistant", "5", "4", &said("m2", "part"));
        assert_eq!(of(&text, "z"), answered("second\npart", &[]));
    }
}
