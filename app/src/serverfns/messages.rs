//! Notices about results. They contain the core's text word for word.

use ::standing::Error;
use wire::{ControlReport, ControlVerb, Outcome, Remedy, Row, SayReceipt, Verdict};

use super::Answer;
use crate::{
    notices::{Notice, Place, Tone},
    when,
};

/// Longest part of a message that its receipt repeats, in characters.
const QUOTE: usize = 60;

impl Notice {
    fn new(place: Place, tone: Tone, text: String) -> Self {
        Self {
            place,
            tone,
            text,
            remedies: Vec::new(),
            quote: String::new(),
            at: when::clock(),
            draft: None,
            mistakes: Vec::new(),
        }
    }

    /// Returns the notice for a form with mistakes.
    pub(crate) fn of_mistakes(mistakes: Vec<::standing::Mistake>) -> Self {
        let text = match mistakes.len() {
            1 => "1 field needs a change".to_owned(),
            count => format!("{count} fields need a change"),
        };
        Self { mistakes, ..Self::new(Place::Create, Tone::Failed, text) }
    }

    /// Returns the notice for a refusal: its message verbatim, and its remedies.
    pub(crate) fn refused(error: &Error, place: Place) -> Self {
        Self { remedies: error.remedies(), ..Self::new(place, Tone::Failed, error.to_string()) }
    }
}

/// Returns the notice for a verb: one line for one session; a sum, and a line for each failure, for all sessions.
pub(crate) fn report(report: &ControlReport, verb: ControlVerb, place: Place) -> Notice {
    let tone = if report.ok { Tone::Done } else { Tone::Failed };
    let stop_half = report.stopped.iter().flatten().filter(|row| row.outcome == Some(Outcome::Failed));
    let (lines, remedies): (Vec<String>, Vec<Remedy>) = match &report.sessions[..] {
        _ if place == Place::Page => (all(&report.sessions, verb), Vec::new()),
        rows => {
            let stops = stop_half.map(|row| line(row, ControlVerb::Stop));
            let remedies = rows.iter().flat_map(|row| row.remedies.clone()).collect();
            (stops.chain(rows.iter().map(|row| line(row, verb))).collect(), remedies)
        }
    };
    // A deleted session has no card beside which the notice could be shown.
    let gone = report.sessions.iter().any(|row| row.outcome == Some(Outcome::Deleted));
    let notice = Notice::new(if gone { Place::Page } else { place }, tone, lines.join("\n"));
    Notice { remedies, ..notice }
}

/// Returns the notice and the answer for a verb on several sessions. A refusal counts as a failure of its session.
pub(crate) fn sum(
    names: &[&str],
    results: Vec<Result<ControlReport, Error>>,
    verb: ControlVerb,
    place: Place,
) -> (Notice, Result<Answer, Error>) {
    let results = match <[_; 1]>::try_from(results) {
        Ok([Err(error)]) => return (Notice::refused(&error, place), Err(error)),
        Ok([done]) => vec![done],
        Err(many) => many,
    };
    let rows = names.iter().zip(results).flat_map(|(name, result)| match result {
        Ok(report) => report.sessions,
        Err(error) => {
            let (detail, remedies) = (Some(error.problem().detail), error.remedies());
            vec![Row { outcome: Some(Outcome::Failed), detail, remedies, ..Row::titled(name) }]
        }
    });
    let whole = ControlReport::of(rows.collect());
    (report(&whole, verb, place), Ok(Answer::Report(whole)))
}

/// Returns the notice and the answer for one message to several sessions.
pub(crate) fn receipts(
    names: &[&str],
    results: Vec<Result<SayReceipt, Error>>,
    place: Place,
) -> (Notice, Result<Answer, Error>) {
    let results = match <[_; 1]>::try_from(results) {
        Ok([Err(error)]) => return (Notice::refused(&error, place), Err(error)),
        Ok([Ok(said)]) => return (receipt(&said, place), Ok(Answer::Receipt(said))),
        Err(many) => many,
    };
    let receipts: Vec<SayReceipt> =
        names.iter().zip(results).map(|(name, result)| result.unwrap_or_else(|error| refused(name, &error))).collect();
    let failed = receipts.iter().filter(|receipt| !receipt.delivered).map(|receipt| {
        let told: Vec<&str> = receipt.messages.iter().map(|message| message.text.as_str()).collect();
        format!("{}: {}", receipt.name, told.join("; "))
    });
    let failed: Vec<String> = failed.collect();
    let sum = format!("sent to {} of {} sessions", receipts.len() - failed.len(), receipts.len());
    let tone = if failed.is_empty() { Tone::Done } else { Tone::Failed };
    let text = std::iter::once(sum).chain(failed).collect::<Vec<_>>().join("\n");
    (Notice::new(place, tone, text), Ok(Answer::Receipts(receipts)))
}

/// Returns the receipt of a message that was refused.
fn refused(name: &str, error: &Error) -> SayReceipt {
    SayReceipt {
        turn: None,
        name: name.to_owned(),
        delivered: false,
        exit_code: error.problem().code.exit_code(),
        messages: vec![wire::Message::err(error.to_string())],
        verdict: Verdict::NotDelivered,
        evidence: wire::Evidence::None,
        message_id: String::new(),
    }
}

fn all(rows: &[Row], verb: ControlVerb) -> Vec<String> {
    let count = |outcome| rows.iter().filter(|row| row.outcome == Some(outcome)).count();
    let parts = Outcome::ALL.iter().map(|&outcome| (count(outcome), outcome.label()));
    let parts: Vec<String> = parts.filter(|&(n, _)| n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let sum = match rows.len() {
        0 => "There are no sessions.".to_owned(),
        1 => format!("1 session: {}", parts.join(", ")),
        n => format!("{n} sessions: {}", parts.join(", ")),
    };
    let failed = rows.iter().filter(|row| !row.outcome.is_none_or(Outcome::is_ok));
    let lines = failed.map(|row| wire::with_remedies(&format!("{}: {}", row.name, line(row, verb)), &row.remedies));
    std::iter::once(sum).chain(lines).collect()
}

fn line(row: &Row, verb: ControlVerb) -> String {
    let detail = row.bare_detail();
    let word = match row.outcome {
        Some(Outcome::NotRunning) => "Not running",
        Some(Outcome::Deleted) => return joined(&format!("`{}` was deleted", row.name), detail),
        Some(Outcome::Failed) => match verb {
            ControlVerb::Start => "Could not start",
            ControlVerb::Stop => "Could not stop",
            ControlVerb::Restart => "Could not restart",
        },
        Some(outcome) => outcome.about().trim_end_matches('.'),
        None => "Done",
    };
    joined(word, detail)
}

fn joined(word: &str, detail: &str) -> String {
    if detail.is_empty() { word.to_owned() } else { format!("{word}: {detail}") }
}

/// Returns the notice for a message, in the core's own words, which contain the evidence for the verdict.
pub(crate) fn receipt(receipt: &SayReceipt, place: Place) -> Notice {
    let (tone, verdict) = match (receipt.delivered, receipt.verdict) {
        (false, _) | (_, Verdict::NotDelivered) => (Tone::Failed, "not delivered"),
        (true, Verdict::Unconfirmed) => (Tone::Unsure, "sent, but could not confirm that the session received it"),
        (true, Verdict::Queued) => (Tone::Done, "queued until the session finishes its current turn"),
        (true, Verdict::Submitted) => (Tone::Done, "submitted"),
    };
    let told: Vec<&str> = receipt.messages.iter().map(|message| message.text.as_str()).collect();
    // A failure is named as one, whatever the rest of the text.
    let verdict = (told.is_empty() || tone == Tone::Failed).then_some(verdict);
    Notice::new(place, tone, verdict.into_iter().chain(told).collect::<Vec<_>>().join("\n"))
}

/// Returns the beginning of a message, on one line.
pub(crate) fn quote(text: &str) -> String {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(QUOTE) {
        words.truncate(end);
        words.push('…');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, outcome: Outcome, detail: &str) -> Row {
        Row { outcome: Some(outcome), detail: Some(detail.to_owned()), ..Row::titled(name) }
    }

    #[test]
    fn a_failure_is_a_failure_and_keeps_its_words() {
        let done = ControlReport::of(vec![row("x", Outcome::Failed, "`nope` is not on PATH")]);
        let notice = report(&done, ControlVerb::Start, Place::Session("x".into()));
        assert_eq!(notice.tone, Tone::Failed);
        assert_eq!(notice.text, "Could not start: `nope` is not on PATH");
    }

    #[test]
    fn a_message_that_was_not_delivered_is_a_failure() {
        let receipt = SayReceipt {
            turn: None,
            name: "x".into(),
            delivered: false,
            exit_code: 1,
            messages: vec![wire::Message::err("the pane died")],
            verdict: Verdict::NotDelivered,
            evidence: wire::Evidence::None,
            message_id: String::new(),
        };
        let notice = super::receipt(&receipt, Place::Session("x".into()));
        assert_eq!(notice.tone, Tone::Failed);
        assert_eq!(notice.text, "not delivered\nthe pane died");
    }

    #[test]
    fn all_of_them_are_summed_up() {
        let rows =
            vec![row("a", Outcome::Started, ""), row("b", Outcome::Failed, "no"), row("c", Outcome::Started, "")];
        let notice = report(&ControlReport::of(rows), ControlVerb::Start, Place::Page);
        assert_eq!(notice.text, "3 sessions: 2 started, 1 failed\nb: Could not start: no");
    }

    #[test]
    fn a_quote_is_short_and_on_one_line() {
        assert_eq!(quote("a\n  b"), "a b");
        assert_eq!(quote(&"ü".repeat(100)).chars().count(), QUOTE + 1);
    }
}
