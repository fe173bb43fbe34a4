//! Tracks the sessions that wait on a prompt, and reports each prompt once.

use std::collections::HashMap;

use wire::{Activity, Row};

/// State of the sessions that wait.
#[derive(Debug, Default)]
pub(super) struct Questions(HashMap<String, Asked>);

#[derive(Debug)]
struct Asked {
    question: String,
    told: bool,
    /// True if the last look did not show the prompt: one look may fall between two states of the screen.
    gone: bool,
}

impl Questions {
    /// True if another look must confirm whether a prompt is still open.
    pub(super) fn are_open(&self) -> bool {
        self.0.values().any(|asked| !asked.told || asked.gone)
    }

    /// Applies a look and returns the names of the sessions whose prompt must be reported now. A prompt counts only if
    /// the previous look showed it too, so that a prompt that is answered at once is not reported.
    pub(super) fn look<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>) -> Vec<String> {
        let mut due = Vec::new();
        let mut seen = HashMap::new();
        for row in rows {
            let before = self.0.remove(&row.name);
            let waits = row.running && row.activity == Activity::Waiting;
            let now = match before {
                None if waits => Asked { question: row.question.clone(), told: false, gone: false },
                None => continue,
                Some(before) if waits && before.question == row.question => {
                    if !before.told {
                        due.push(row.name.clone());
                    }
                    Asked { told: true, gone: false, ..before }
                }
                Some(_) if waits => Asked { question: row.question.clone(), told: false, gone: false },
                Some(before) if before.gone || !row.running => continue,
                Some(before) => Asked { gone: true, ..before },
            };
            seen.insert(row.name.clone(), now);
        }
        self.0 = seen;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::SessionName;

    fn row(question: &str) -> Row {
        let mut row = Row::bare(&SessionName::parse("ops").expect("a name"));
        row.running = true;
        row.activity = if question.is_empty() { Activity::Idle } else { Activity::Waiting };
        row.question = question.to_owned();
        row
    }

    #[test]
    fn a_question_is_told_once_each_time_it_is_asked() {
        let mut questions = Questions::default();
        let told: Vec<bool> = ["", "Trust?", "Trust?", "Trust?", "", "Trust?", "", "", "Trust?", "Go on?", "Go on?"]
            .iter()
            .map(|question| !questions.look([&row(question)]).is_empty())
            .collect();
        assert_eq!(told, [false, false, true, false, false, false, false, false, false, false, true]);
        let mut stopped = row("Go on?");
        stopped.running = false;
        assert_eq!(questions.look([&stopped]), Vec::<String>::new());
        assert_eq!(questions.look([&row("Go on?")]), Vec::<String>::new());
        assert_eq!(questions.look([&row("Go on?")]), ["ops"], "it was started again and asks again");
        assert_eq!(questions.look([]), Vec::<String>::new());
        assert!(questions.0.is_empty(), "a deleted one is forgotten");
    }
}
