//! `the-loop` alone: shows the state, and the commands that help next. It starts and changes nothing.

use standing::TheLoop;
use wire::{Activity, Row, ServiceRow, State};

use super::{
    Output, Refusal,
    output::{BOLD, DIM, paint},
    sanitize, status,
    table::{self, Cell},
};

/// Number of commands, `--help` included.
const COMMANDS: usize = 3;

pub(super) fn run(the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
    let rows = the_loop.standing().list()?;
    let service = status::service(the_loop)?;
    let settings = &the_loop.config().settings;
    let state = format!("state     {}\n", sanitize::line(&settings.state_root.display().to_string()));
    output.out(&format!("{}sessions  {}\n{state}\n", status::service_line(&service), counts(&rows)));
    let next = next(&rows, &service, settings.standing_enabled);
    let lines: Vec<[Cell; 2]> =
        next.into_iter().map(|(command, what)| [format!("  {command}").into(), Cell::new(what, DIM)]).collect();
    output.out(&format!("{}\n{}", paint(BOLD, "Next:"), table::aligned(&lines)));
    Ok(0)
}

/// Counts the sessions of each state, in the order of the list.
fn counts(rows: &[Row]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        let word = row.label();
        match counts.iter_mut().find(|(counted, _)| *counted == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
}

/// Returns the commands to type next, the most urgent first, each with its purpose.
fn next(rows: &[Row], service: &ServiceRow, declared_start: bool) -> Vec<(String, String)> {
    let mut next: Vec<(String, String)> = Vec::new();
    let mut add = |command: String, what: &str| next.push((command, what.to_owned()));
    let named = |verb: &str, row: &Row| format!("the-loop standing {verb} {}", sanitize::line(&row.name));
    if let Some(row) = rows.iter().find(|row| row.running && row.activity == Activity::Waiting) {
        add(named("answer", row), &format!("answer its prompt: {}", sanitize::line(&row.question)));
    }
    if let Some(row) = rows.iter().find(|row| row.state == State::Ended) {
        add(named("start", row), "start it again; its conversation is resumed");
    }
    if rows.is_empty() {
        add(
            "the-loop standing create hello --harness demo".to_owned(),
            "create a session with the built-in test agent",
        );
    }
    let starts = |row: &&Row| row.auto_start && (declared_start || !row.declared);
    let down = rows.iter().filter(starts).any(|row| !row.running && row.state != State::Ended);
    if down || (!service.running && service.enabled) {
        add("the-loop start".to_owned(), "start the service and the auto-start sessions");
    }
    if !declared_start && rows.iter().any(|row| row.declared && !row.running) {
        add("the-loop plan".to_owned(), "show why declared sessions are not started");
    }
    if let Some(row) = rows.iter().find(|row| row.running && row.activity != Activity::Waiting) {
        add(format!("{} 'hello'", named("say", row)), "send it a message");
    }
    if service.running {
        add("the-loop open".to_owned(), "print the address of the page");
    }
    next.truncate(COMMANDS - 1);
    next.push(("the-loop --help".to_owned(), "show all commands".to_owned()));
    next
}
