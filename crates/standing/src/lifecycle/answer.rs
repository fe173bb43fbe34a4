//! answer: selects one of the answers that the prompt of a session offers. An answer is selected by its digit, never
//! by Enter, so the preselected answer is never taken. An answer to another prompt than the current one is refused.

use std::{
    thread,
    time::{Duration, Instant},
};

use harness::{Harness, Screen};
use tmux::{Answer, Pane, PasteAnswer};
use wire::{Activity, AnswerRequest, Choice, Evidence, Message, SayReceipt, SessionName, Verdict};

use super::{
    Context,
    say::{Intent, Known, Once, speakable, without_record},
};
use crate::{
    Error,
    events::Event,
    messages::Kept,
    registry::{Entry, Record},
    text,
};

/// Time for a harness to react to an answer on its screen, and the interval between looks at the screen.
const PATIENCE: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(50);

/// Prompt of a session.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    question: String,
    choices: Vec<Choice>,
}

/// Selects an answer.
pub(crate) fn answer(context: &Context, name: &SessionName, request: &AnswerRequest) -> Result<SayReceipt, Error> {
    if let Entry::Vacant = context.registry.read(name) {
        context.resolve_vacant(name)?;
        return Err(without_record(context, name));
    }
    let hold = context.hold(name, "answer")?;
    let Some(record) = context.recover(&hold, name)? else { return Err(Error::Unknown { name: name.clone() }) };
    let meant = format!("the answer {:?} to {:?}", request.choice, request.question);
    let mut once = Once::open(context, name, &request.idempotency_key, &meant)?;
    if let Some(Known::Ended(receipt, _)) = once.as_ref().map(|once| once.known(name)).transpose()? {
        return Ok(*receipt);
    }
    let harness = context.harness(&record.harness).map_err(Error::InvalidRequest)?;
    let pane = speakable(context, &record)?;
    let refuse = |reason: String| Error::NotWaiting { name: name.clone(), reason };
    let Some(asked) = settled(context, &pane, harness.as_ref())? else {
        return Err(refuse("it is not waiting for an answer, or its prompt has just changed".to_owned()));
    };
    if !request.question.is_empty() && request.question != asked.question {
        return Err(refuse(format!("its prompt has changed: {}", asked.question)));
    }
    let choice =
        pick(&asked, &request.choice).ok_or_else(|| refuse(offered(context, &asked, &request.choice, &record)))?;
    // An interrupted answer is selected again if the prompt is still there, since it was not selected then.
    if let Some(once) = &mut once {
        once.begin(intent(&record))?;
    }
    let (receipt, reason) = choose(context, &record, harness.as_ref(), &pane, &asked, choice);
    if let Some(once) = &mut once {
        once.end(&receipt);
    }
    let told = format!("{}. {}", choice.key, choice.text);
    let kept = Kept::new(context.surface(), &request.actor, &told).answering(&asked.question).with(&receipt);
    let kept = kept.because(&reason);
    context.messages().keep(name, Kept { idempotency_key: request.idempotency_key.clone(), ..kept.clone() });
    note(context, &record, choice, &kept);
    Ok(receipt)
}

/// Returns the intent of an answer, without a transcript: harnesses do not record an answer as it was typed.
fn intent(record: &Record) -> Intent {
    let message_id = uuid::Uuid::new_v4().simple().to_string();
    Intent { message_id, loop_id: record.loop_id.clone(), transcript: None, transcript_from: 0 }
}

/// Returns the prompt once it has stopped changing; `None` if the session does not wait for an answer.
fn settled(context: &Context, pane: &Pane, harness: &dyn Harness) -> Result<Option<Asked>, Error> {
    let settles = harness.question_settles();
    let before = asked(context, pane, harness)?;
    if before.is_none() || settles.is_zero() {
        return Ok(before);
    }
    thread::sleep(settles);
    // A prompt that appeared in the meantime is not the one that the caller saw, and is refused like any other.
    asked(context, pane, harness).map(|now| now.filter(|now| before.as_ref() == Some(now)))
}

/// Returns the current prompt; `None` if the session does not wait for an answer.
fn asked(context: &Context, pane: &Pane, harness: &dyn Harness) -> Result<Option<Asked>, Error> {
    let shown = context.tmux.shown(pane).into_result()?.unwrap_or_default();
    let screen = Screen { text: &shown.text, title: &shown.title };
    let reading = harness.read(screen);
    let waits = reading.activity == Activity::Waiting;
    Ok(waits.then(|| Asked { question: reading.question, choices: harness.choices(screen) }))
}

/// Returns the choice with the given digit or with the given full text.
fn pick<'a>(asked: &'a Asked, meant: &str) -> Option<&'a Choice> {
    let meant = meant.trim().trim_end_matches('.').to_lowercase();
    let says = |choice: &&Choice| choice.text.trim_end_matches('.').to_lowercase() == meant;
    let mut by_text = asked.choices.iter().filter(says);
    let by_key = asked.choices.iter().find(|choice| choice.key == meant);
    by_key.or_else(|| by_text.next().filter(|_| by_text.next().is_none()))
}

/// Describes why no choice was selected.
fn offered(context: &Context, asked: &Asked, meant: &str, record: &Record) -> String {
    if asked.choices.is_empty() {
        let (session, server) = (record.name.tmux_session(), context.tmux.server_hint());
        return format!(
            "its question offers no answer with a digit: answer it in `tmux attach -t '={session}'`{server}"
        );
    }
    let choices: Vec<String> = asked.choices.iter().map(|choice| format!("{}. {}", choice.key, choice.text)).collect();
    format!("`{}` is not one of its answers: {}", text::inert_line(meant), choices.join("; "))
}

/// Types the digit, and checks if the prompt disappears. Returns the receipt, and the reason of a verdict without evidence.
fn choose(
    context: &Context,
    record: &Record,
    harness: &dyn Harness,
    pane: &Pane,
    asked_before: &Asked,
    choice: &Choice,
) -> (SayReceipt, String) {
    let target = &record.tmux_target;
    let told = format!("`{}. {}`", choice.key, choice.text);
    let failed = |why: &str| {
        let message = Message::err(format!("{told} was not selected in {target}: {why}"));
        (Verdict::NotDelivered, message, why.to_owned())
    };
    let (verdict, message, reason) = match context.tmux.press(pane, &choice.key) {
        Answer::Said(PasteAnswer::Pasted { .. } | PasteAnswer::Already) => {
            if is_gone(context, pane, harness, asked_before) {
                let selected = format!("{told} selected in {target}, the prompt closed");
                (Verdict::Submitted, Message::out(selected), String::new())
            } else {
                let why = "the prompt is still on its screen";
                let still = format!("{told} was typed into {target}, unconfirmed: {why}");
                (Verdict::Unconfirmed, Message::out(still), why.to_owned())
            }
        }
        Answer::Said(PasteAnswer::Gone) => failed("its pane exited"),
        Answer::Said(PasteAnswer::Busy) => failed("a message was being typed into it"),
        Answer::Said(PasteAnswer::InputOff) => failed("the input of its pane is turned off"),
        Answer::Silent(silence) => {
            let why = format!("tmux did not answer ({})", silence.0);
            (Verdict::Unconfirmed, Message::err(format!("{told} may not have been selected in {target}: {why}")), why)
        }
    };
    let delivered = message.stream == wire::Stream::Out;
    let receipt = SayReceipt {
        name: record.name.to_string(),
        delivered,
        exit_code: u8::from(!delivered),
        messages: vec![message],
        verdict,
        evidence: if verdict == Verdict::Submitted { Evidence::QuestionGone } else { Evidence::None },
        message_id: uuid::Uuid::new_v4().simple().to_string(),
        turn: None,
    };
    (receipt, reason)
}

fn is_gone(context: &Context, pane: &Pane, harness: &dyn Harness, before: &Asked) -> bool {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match asked(context, pane, harness) {
            Ok(Some(now)) if now == *before => {}
            Ok(_) => return true,
            Err(_) => return false,
        }
        if Instant::now() >= deadline {
            return false;
        }
        thread::sleep(INTERVAL);
    }
}

/// Records who selected which answer. The prompt is not recorded, since it may quote anything.
fn note(context: &Context, record: &Record, choice: &Choice, kept: &Kept) {
    if kept.verdict == Verdict::NotDelivered {
        return;
    }
    context.emit(
        Event::info("standing.answered")
            .with("standing", record.name.as_str())
            .with("tmux_target", record.tmux_target.as_str())
            .with("actor", kept.actor.as_str())
            .with("choice", choice.key.as_str())
            .with("message_id", kept.message_id.as_str())
            .with("verdict", kept.verdict.as_str())
            .at(&kept.at),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(texts: &[&str]) -> Asked {
        let choice = |(at, text): (usize, &&str)| Choice { key: (at + 1).to_string(), text: (*text).to_owned() };
        Asked { question: "Go on?".to_owned(), choices: texts.iter().enumerate().map(choice).collect() }
    }

    #[test]
    fn an_answer_is_meant_by_its_digit_or_by_all_of_its_text() {
        let asked = asked(&["Yes", "Yes, and don't ask again", "No.", "No."]);
        let picked = |meant| pick(&asked, meant).map(|choice| choice.key.as_str());
        assert_eq!(picked("2"), Some("2"));
        assert_eq!(picked(" 1. "), Some("1"));
        assert_eq!(picked("yes"), Some("1"));
        assert_eq!(picked("yes, and DON'T ask again"), Some("2"));
        for nothing in ["", "5", "12", "y", "yes please", "no"] {
            assert_eq!(picked(nothing), None, "{nothing}");
        }
    }
}
