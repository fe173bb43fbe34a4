//! Prompt of a session, with its answers.

use leptos::prelude::*;
use wire::Row;

use crate::screens::once::OnceField;

/// Renders the prompt in the place of the last line: its first line, and the rest below it.
#[component]
pub(crate) fn Question(row: Row) -> impl IntoView {
    let asked = asked(&row);
    let (first, rest) = asked.split_once('\n').map_or((asked.as_str(), ""), |(first, rest)| (first, rest));
    let rest = (!rest.is_empty()).then(|| view! { <pre class="asked">{rest.to_owned()}</pre> });
    view! {
        <div class="last question" role="group" aria-label=format!("Prompt of {}", row.name)>
            <p>{first.to_owned()}</p>
            {rest}
        </div>
    }
    .into_any()
}

/// Returns the text of a prompt without the lines of its answers, which are shown as buttons.
fn asked(row: &Row) -> String {
    let is_answer = |line: &str| {
        let line = line.trim_start_matches(|letter: char| !letter.is_ascii_digit() && !letter.is_alphabetic());
        row.choices.iter().any(|choice| {
            let rest = line.strip_prefix(choice.key.as_str()).map(|rest| rest.trim_start_matches(['.', ')', ' ', ':']));
            rest.is_some_and(|rest| rest.trim_end() == choice.text.trim_end())
        })
    };
    let lines: Vec<&str> = row.question.lines().filter(|line| !is_answer(line)).map(str::trim_end).collect();
    let text = lines.join("\n");
    let text = text.trim();
    if text.is_empty() { row.question.trim().to_owned() } else { text.to_owned() }
}

/// Renders the answers as buttons, none of them highlighted or preselected. Each is selected by its own digit, and only
/// while that exact prompt is open.
#[component]
pub(crate) fn Answers(row: Row, small: bool) -> impl IntoView {
    let Row { name, question, choices, .. } = row;
    if choices.is_empty() {
        return ().into_any();
    }
    let class = if small { "button small answer" } else { "button answer" };
    let buttons = choices.into_iter().map(|choice| {
        view! {
            <button class=class type="submit" name="choice" value=choice.key.clone()>
                <kbd>{choice.key.clone()}</kbd>
                {choice.text}
                <span class="visually-hidden">" in "{name.clone()}</span>
            </button>
        }
    });
    view! {
        <form class="answers" method="post" action="/app/standing/answer" id=format!("answer-{name}")>
            <input type="hidden" name="name" value=name.clone() />
            <input type="hidden" name="question" value=question />
            <OnceField />
            {buttons.collect_view()}
        </form>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use wire::Choice;

    use super::*;

    #[test]
    fn the_answers_are_not_said_twice() {
        let choice = |key: &str, text: &str| Choice { key: key.to_owned(), text: text.to_owned() };
        let row = |question: &str| Row {
            question: question.to_owned(),
            choices: vec![choice("1", "Yes"), choice("2", "No, tell it what to do")],
            ..Row::titled("x")
        };
        let prompt = "Run `git push`?\nin ~/src\n❯ 1. Yes\n  2. No, tell it what to do";
        assert_eq!(asked(&row(prompt)), "Run `git push`?\nin ~/src");
        assert_eq!(asked(&row("1. Yes\n2. No, tell it what to do")), "1. Yes\n2. No, tell it what to do");
        assert_eq!(asked(&row("10 files changed. Go on?")), "10 files changed. Go on?");
    }
}
