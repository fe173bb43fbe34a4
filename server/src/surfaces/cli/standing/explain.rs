//! `standing explain`: shows each source of a session's state with its age, and why one of them counts.

use clap::builder::styling::Style;
use engine::StandingApi;
use wire::{Explanation, Witness};

use super::{
    Format, Output, Refusal, document, given,
    output::{BOLD, DIM},
    sanitize,
    table::{self, Cell},
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing explain ops
  the-loop standing explain ops --format json | jq -r .why

Each line is a source of the session's state: what it says, since when, and how old that is.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) async fn run(api: &impl StandingApi, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let explanation = api.explain(&args.name).await?;
    match args.format {
        Format::Json => output.out(&document(&explanation)?),
        Format::Text => output.out(&text(&explanation)),
    }
    Ok(0)
}

fn text(explanation: &Explanation) -> String {
    let Explanation { name, label, since, reason, decided_by, why, witnesses, .. } = explanation;
    let since = if since.is_empty() { String::new() } else { format!(" since {since}") };
    let by = decided_by.map(|source| format!("{}: ", source.label())).unwrap_or_default();
    let reason = if reason.is_empty() { String::new() } else { format!("{reason}\n") };
    let head = [format!("{name}: {label}{since}\n"), format!("{by}{why}\n"), reason].map(|line| sanitize::text(&line));
    let title = ["Source", "Says", "Since", "Age"].map(|title| Cell::new(title, BOLD)).to_vec();
    let lines = std::iter::once(title)
        .chain(witnesses.iter().map(|witness| line(witness, *decided_by == Some(witness.source))));
    format!("{}\n{}", head.concat(), table::fitted(lines.collect(), &[], Output::columns()))
}

fn line(witness: &Witness, counts: bool) -> Vec<Cell> {
    let look = if counts { Style::new() } else { DIM };
    let age = witness.age.map(|seconds| format!("{seconds} s")).unwrap_or_default();
    let cells = [witness.source.label().to_owned(), sanitize::line(&witness.says), witness.at.clone(), age];
    cells.map(|cell| Cell::new(cell, look)).to_vec()
}
