//! Steps of a selftest. Each uses the public verbs.

use std::{
    sync::mpsc::Sender,
    thread,
    time::{Duration, Instant},
};

use wire::{
    ControlReport, ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Evidence, Outcome, Row, SayRequest,
    Verdict,
};

use super::Sandbox;
use crate::{Error, TheLoop};

/// Names of the steps, in order.
pub(super) const NAMES: [&str; 5] = ["create", "say", "stop", "start", "delete"];

const SESSION: &str = "selftest";

/// Time for a resumed conversation to appear on the screen.
const DRAWN: Duration = Duration::from_secs(2);

/// Returns the step that follows; the last step returns itself.
pub(super) fn after(step: &'static str) -> &'static str {
    let at = NAMES.iter().position(|name| *name == step).unwrap_or_default();
    NAMES.get(at + 1).copied().unwrap_or(step)
}

/// Runs the steps in order and reports each result, up to the first failure.
pub(super) fn take(sandbox: &Sandbox, tell: &Sender<Result<String, String>>) {
    let the_loop = sandbox.the_loop();
    let words = format!("words of {}", sandbox.id());
    let mut conversation = String::new();
    let mut next = |name: &str| match name {
        "create" => {
            let row = only(the_loop.standing().create(&CreateRequest::named(SESSION)), Outcome::Started)?;
            conversation = row.harness_session_id;
            Ok(format!("demo agent in a tmux server of its own, conversation {conversation}"))
        }
        "say" => say(&the_loop, &words),
        "stop" => only(control(&the_loop, ControlVerb::Stop), Outcome::Stopped)
            .map(|row| row.detail.unwrap_or_else(|| "the harness exited".to_owned())),
        "start" => start(&the_loop, &conversation, &words),
        _ => {
            let request = DeleteRequest { name: SESSION.to_owned() };
            only(the_loop.standing().delete(&request), Outcome::Deleted).map(|_| "stopped, record removed".to_owned())
        }
    };
    for name in NAMES {
        let outcome: Result<String, String> = next(name);
        let failed = outcome.is_err();
        if tell.send(outcome).is_err() || failed {
            return;
        }
    }
}

fn control(the_loop: &TheLoop, verb: ControlVerb) -> Result<ControlReport, Error> {
    the_loop.standing().control(&ControlRequest { name: SESSION.to_owned(), verb })
}

/// Returns the row of a verb if it has the expected outcome.
fn only(report: Result<ControlReport, Error>, expected: Outcome) -> Result<Row, String> {
    let report = report.map_err(|error| error.to_string())?;
    let Some(row) = report.sessions.into_iter().next() else { return Err("no row in the report".to_owned()) };
    if row.outcome == Some(expected) {
        return Ok(row);
    }
    let outcome = row.outcome.map_or("without an outcome", Outcome::as_str);
    Err(format!("outcome {outcome} instead of {}: {}", expected.as_str(), row.detail.unwrap_or_default()))
}

fn say(the_loop: &TheLoop, words: &str) -> Result<String, String> {
    let text = format!("{words}\nand a second line: grüße, 日本語");
    let request = SayRequest { name: SESSION.to_owned(), text, ..SayRequest::default() };
    let receipt = the_loop.standing().say(&request).map_err(|error| error.to_string())?;
    if (receipt.verdict, receipt.evidence) == (Verdict::Submitted, Evidence::Transcript) {
        return Ok("submitted, confirmed by the transcript".to_owned());
    }
    let said: Vec<String> = receipt.messages.into_iter().map(|message| message.text).collect();
    Err(format!("could not confirm that the message was received: {}", said.join("; ")))
}

fn start(the_loop: &TheLoop, conversation: &str, words: &str) -> Result<String, String> {
    let row = only(control(the_loop, ControlVerb::Start), Outcome::Resumed)?;
    if row.harness_session_id != conversation {
        return Err(format!("resumed conversation {} instead of {conversation}", row.harness_session_id));
    }
    let begun = Instant::now();
    loop {
        let screen = the_loop.standing().screen(SESSION, 200).map_err(|error| error.to_string())?;
        if screen.contains(words) {
            return Ok("same conversation, earlier messages on the screen".to_owned());
        }
        if begun.elapsed() > DRAWN {
            return Err("same conversation, but earlier messages are not on the screen".to_owned());
        }
        thread::sleep(Duration::from_millis(20));
    }
}
