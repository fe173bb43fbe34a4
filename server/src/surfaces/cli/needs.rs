//! `the-loop needs`: lists the sessions that need a person, and why.

use engine::{Change, Engine, StandingApi as _};
use standing::TheLoop;
use tokio::runtime::Builder;
use wire::{Attention, Need, attention};

use super::{
    Output, Refusal,
    ago::ago,
    document,
    output::{BAD, BOLD, DIM, Format, WARN},
    sanitize,
    table::{self, Cell},
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop needs                     the most urgent first
  the-loop needs > /dev/null || notify-send 'an agent needs you'
  the-loop needs --format json | jq -r '.[] | select(.kind == \"prompt\") | .sessions[]'
  the-loop needs --watch --format json    a line of JSON for each change, until Ctrl-C

Exit status: 0 no session needs you; 1 at least one does, or the sessions could not be listed;
2 invalid arguments or config. Answers, which `--answers` adds, do not count.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Also list the sessions that have answered a message
    #[arg(long)]
    answers: bool,
    /// Print the list again whenever it changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Refusal::failure(format!("could not start the runtime: {error}")))?;
    if args.watch {
        // The watcher ends with the runtime.
        return runtime.block_on(watch(&Engine::new(the_loop.clone()), args, output));
    }
    let rows = runtime.block_on(Engine::on_this_thread(the_loop.clone()).list())?;
    let list = wanted(attention(&rows), args);
    match args.format {
        Format::Json => output.out(&document(&list)?),
        Format::Text if list.is_empty() => output.out("No session needs you.\n"),
        Format::Text => output.out(&text(&list)),
    }
    Ok(code(&list))
}

fn wanted(list: Vec<Attention>, args: &Args) -> Vec<Attention> {
    list.into_iter().filter(|entry| args.answers || entry.kind.calls()).collect()
}

fn code(list: &[Attention]) -> u8 {
    u8::from(list.iter().any(|entry| entry.kind.calls()))
}

/// Prints the list after each change, for as long as standard output is open.
async fn watch(engine: &Engine, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    engine.list().await?;
    let mut sessions = engine.watcher().subscribe();
    let mut last: Option<Vec<Attention>> = None;
    let mut seen = sessions.first().await;
    while let Some(snapshot) = seen {
        if let Some(problem) = snapshot.problem() {
            output.err(&format!("could not list the sessions: {}\n", sanitize::line(&problem.detail)));
        } else {
            let list = wanted(attention(snapshot.rows()), args);
            if last.as_ref() != Some(&list) {
                print(&list, args.format, last.is_some(), output)?;
                last = Some(list);
            }
        }
        if output.is_closed() {
            break;
        }
        seen = match sessions.changed().await {
            Change::Over => None,
            Change::Sessions | Change::Log | Change::Shown => Some(sessions.snapshot()),
        };
    }
    Ok(code(&last.unwrap_or_default()))
}

fn print(list: &[Attention], format: Format, again: bool, output: &mut Output) -> Result<(), Refusal> {
    match format {
        Format::Json => {
            let line = serde_json::to_string(list)
                .map_err(|error| Refusal::failure(format!("could not write JSON: {error}")))?;
            output.out(&format!("{}\n", sanitize::json(&line)));
        }
        Format::Text => {
            let gap = if again { "\n" } else { "" };
            let text = if list.is_empty() { "No session needs you.\n".to_owned() } else { text(list) };
            output.out(&format!("{gap}{text}"));
        }
    }
    Ok(())
}

fn text(list: &[Attention]) -> String {
    let head = ["Session", "Needs", "Since", "Until", "Reason or prompt"].map(|title| Cell::new(title, BOLD)).to_vec();
    let rows = std::iter::once(head).chain(list.iter().map(|entry| cells(entry).to_vec())).collect();
    table::fitted(rows, &["Until"], Output::columns())
}

fn cells(entry: &Attention) -> [Cell; 5] {
    let style = match entry.kind {
        Need::Exited | Need::Broken => BAD,
        Need::Answer => DIM,
        _ => WARN,
    };
    [
        sanitize::line(&entry.sessions.join(", ")).into(),
        Cell::new(entry.kind.label(), style),
        ago(&entry.since).into(),
        sanitize::line(entry.until.as_deref().unwrap_or("-")).into(),
        sanitize::line(&entry.reason).into(),
    ]
}
