//! `config show`: every value in force, with its line in the file or as a default.

use serde::Serialize;
use serde_json::Value;
use standing::{
    TheLoop,
    config::{EffectiveValue, effective},
};

use super::{DIM, Format, Output, Refusal, document, paint, sanitize};

pub(in crate::surfaces::cli) const EXAMPLES: &str = "\
Examples:
  the-loop config show                     every value, with its line in the file
  the-loop config show service             only the keys of one block
  the-loop config show --changed           only what the file sets
  the-loop config show --format json

Values of environment variables are not shown, because they may be secret.
Exit status: 0 shown; 1 no such key; 2 the config has mistakes.";

#[derive(Debug, clap::Args)]
pub(in crate::surfaces::cli) struct Args {
    /// Show only this key and the keys in it
    key: Option<String>,
    /// Show only what the file sets
    #[arg(long)]
    changed: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Serialize)]
struct Shown<'a> {
    key: &'a str,
    /// Null for a value that is not shown.
    value: Option<&'a Value>,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let config = the_loop.config();
    config.standing().map_err(|problems| Refusal::mistake(problems.to_string()))?;
    let mut values = effective(&config.path);
    values.retain(|value| args.key.as_deref().is_none_or(|key| is_in(&value.key, key)));
    if let (true, Some(key)) = (values.is_empty(), &args.key) {
        return Err(Refusal::failure(format!("the config has no key `{key}`: list them with `the-loop config show`")));
    }
    values.retain(|value| !args.changed || value.line.is_some());
    match args.format {
        Format::Json => {
            let shown: Vec<Shown<'_>> = values.iter().map(shown).collect();
            output.out(&document(&shown)?);
        }
        Format::Text => {
            output.err(&format!("{}\n", paint(DIM, sanitize::line(&the_loop.config_file().display().to_string()))));
            output.out(&values.iter().map(line).collect::<String>());
        }
    }
    Ok(0)
}

/// True if a key is the other one, or in its block.
fn is_in(key: &str, block: &str) -> bool {
    key.strip_prefix(block).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn shown(value: &EffectiveValue) -> Shown<'_> {
    let source = if value.line.is_some() { "file" } else { "default" };
    Shown { key: &value.key, value: value.value.as_ref(), source, line: value.line }
}

fn line(value: &EffectiveValue) -> String {
    let text = value.value.as_ref().map_or_else(|| "(not shown)".to_owned(), Value::to_string);
    let origin = value.line.map_or_else(|| "default".to_owned(), |line| format!("line {line}"));
    format!("{}: {}  {}\n", sanitize::line(&value.key), sanitize::line(&text), paint(DIM, format!("# {origin}")))
}
