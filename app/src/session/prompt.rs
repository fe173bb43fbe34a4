//! Prompt of a session, above the message box.

use ::standing::PaneView;
use leptos::prelude::*;
use wire::Row;

use crate::{
    look::has_prompt,
    screens::{Answers, Question},
    session::ansi,
};

/// Returns the number of the line at which the open prompt begins in the pane, with the frame above it. `None` without a
/// prompt, and if its first line is not found.
pub(crate) fn first_line(row: &Row, view: &PaneView) -> Option<usize> {
    let asked = row.question.lines().map(words).find(|line| !line.is_empty()).filter(|_| has_prompt(row))?;
    let lines: Vec<String> = view.lines.iter().map(|line| words(&ansi::plain(line))).collect();
    let mut at = lines.iter().rposition(|line| line.contains(&asked))?;
    while at > 0 && lines[at - 1].is_empty() {
        at -= 1;
    }
    Some(view.first + at)
}

/// Returns the words of a line, without frames and marks.
fn words(line: &str) -> String {
    let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Renders the prompt and its answers; an empty place without a prompt, so that the page keeps its structure.
#[component]
pub(crate) fn PromptBox(row: Row) -> impl IntoView {
    let prompt = has_prompt(&row).then(|| {
        view! {
            <section class="prompt" aria-label="Prompt">
                <Question row=row.clone() />
                <Answers row=row small=false />
            </section>
        }
    });
    view! { <div id="prompt">{prompt}</div> }.into_any()
}

#[cfg(test)]
mod tests {
    use wire::{Activity, State};

    use super::*;

    fn view(lines: &[&str]) -> PaneView {
        PaneView {
            version: 1,
            first: 100,
            lines: lines.iter().map(|&line| line.into()).collect(),
            ..PaneView::default()
        }
    }

    fn asking(question: &str) -> Row {
        Row { state: State::Running, activity: Activity::Waiting, question: question.to_owned(), ..Row::titled("ops") }
    }

    #[test]
    fn a_prompt_begins_at_the_frame_above_its_first_line() {
        let lines =
            ["Go on?", "done", "", "╭────╮", "│ \u{1b}[1mGo on?\u{1b}[0m │", "│ ❯ 1. Yes │", "╰────╯", "esc to cancel"];
        assert_eq!(first_line(&asking("Go on?\n1. Yes"), &view(&lines)), Some(102));
        assert_eq!(first_line(&asking("Go on?"), &view(&["Go on?", "1. Yes"])), Some(100));
    }

    #[test]
    fn without_a_prompt_in_the_pane_nothing_begins() {
        assert_eq!(first_line(&asking("Another"), &view(&["Go on?"])), None);
        assert_eq!(first_line(&asking("─── ?"), &view(&["Go on?"])), None);
        let idle = Row { activity: Activity::Idle, ..asking("Go on?") };
        assert_eq!(first_line(&idle, &view(&["Go on?"])), None);
    }
}
