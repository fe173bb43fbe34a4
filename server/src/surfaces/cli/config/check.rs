//! `config check`: reports every mistake of the config.

use serde::Serialize;
use standing::TheLoop;

use super::{Format, Found, Output, Refusal, document, lines, sanitize};

pub(in crate::surfaces::cli) const EXAMPLES: &str = "\
Examples:
  the-loop config check
  the-loop --config new.yaml config check
  the-loop config check --format json

Exit status: 0 no mistakes; 2 mistakes.";

#[derive(Debug, clap::Args)]
pub(in crate::surfaces::cli) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Serialize)]
struct Checked<'a> {
    file: String,
    exists: bool,
    ok: bool,
    problems: Vec<Found<'a>>,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let (file, config) = (the_loop.config_file(), the_loop.config());
    let (problems, exists) = (&config.problems, file.exists());
    let ok = problems.is_empty();
    match args.format {
        Format::Json => {
            let found = problems.iter().map(Found::from).collect();
            output.out(&document(&Checked { file: file.display().to_string(), exists, ok, problems: found })?);
        }
        Format::Text if ok && exists => {
            let sessions = config.settings.sessions.len();
            let declared = if sessions == 1 { "1 session".to_owned() } else { format!("{sessions} sessions") };
            output.out(&format!(
                "{}: no mistakes; it declares {declared}\n",
                sanitize::line(&file.display().to_string())
            ));
        }
        Format::Text if ok => {
            let file = sanitize::line(&file.display().to_string());
            output.out(&format!(
                "{file} does not exist, so every setting has its default; `the-loop config init` writes it\n"
            ));
        }
        Format::Text => output.err(&lines(problems)),
    }
    Ok(if ok { 0 } else { 2 })
}
