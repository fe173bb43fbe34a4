//! `standing create`: creates a session, and starts it unless told otherwise.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use engine::StandingApi;
use standing::read_brief;
use wire::{CreateRequest, SecretSource};

use super::{Output, Refusal, given, report};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing create hello --harness demo
  the-loop standing create ops --cwd ~/src/shop --description 'watches the queue' --prompt-file brief.md
  the-loop standing create ops --harness claude --harness-arg=--model --harness-arg=opus
  the-loop standing create ops --env CLAUDE_CONFIG_DIR=~/.claude-work --secret-command 'GH_TOKEN=pass show gh'
  the-loop standing create later --no-start        create it without starting it

The defaults of --harness, --harness-arg and --cwd are set under `routing` in the config.";

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_field_names, reason = "fields are the flags' own names")]
pub(crate) struct Args {
    /// Name of the session: lower-case letters, digits and `-`, at most 40 characters
    #[arg(value_parser = given::session)]
    name: String,
    /// Harness to run [default: `routing.defaultHarness`]
    #[arg(long, value_parser = given::filled)]
    harness: Option<String>,
    /// Working directory [default: `routing.spawnWorkdir`]
    #[arg(long, value_name = "DIR", value_parser = given::filled)]
    cwd: Option<String>,
    /// Instructions for the agent, added to the standard ones
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, default_value = "", hide_default_value = true)]
    prompt: String,
    /// Read the instructions from a file
    #[arg(long, value_name = "FILE", conflicts_with = "prompt", value_parser = OsStringValueParser::new().try_map(given::file))]
    prompt_file: Option<PathBuf>,
    /// Description for people; not sent to the harness
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, default_value = "", hide_default_value = true)]
    description: String,
    /// Argument for the harness, instead of `routing.harnessArgs`; repeatable
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    harness_arg: Option<Vec<String>>,
    /// Pass no arguments to the harness, not even those of the config
    #[arg(long, conflicts_with = "harness_arg")]
    no_harness_args: bool,
    /// Announce the session in Slack
    #[arg(long)]
    slack: bool,
    /// Slack channel for the announcement [default: `channels.slack.channel`]
    #[arg(long, value_name = "CHANNEL", value_parser = given::filled)]
    slack_channel: Option<String>,
    /// Environment variable; repeatable
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    env: Vec<String>,
    /// Environment variable to unset; repeatable
    #[arg(long, value_name = "NAME")]
    unset_env: Vec<String>,
    /// Environment variable with a secret value from a file, read at start; repeatable
    #[arg(long, value_name = "NAME=FILE")]
    secret_file: Vec<String>,
    /// Environment variable with a secret value from a shell command, run at start; repeatable
    #[arg(long, value_name = "NAME=COMMAND")]
    secret_command: Vec<String>,
    /// Do not start the session with `the-loop start`
    #[arg(long)]
    no_auto_start: bool,
    /// Create the session without starting it
    #[arg(long)]
    no_start: bool,
}

pub(super) async fn run(api: &impl StandingApi, here: &Path, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    let prompt = match &args.prompt_file {
        Some(file) => brief(&here.join(file))?,
        None => args.prompt,
    };
    let env = variables(&args.env, &args.unset_env)?;
    let secrets = secrets(here, &args.secret_file, &args.secret_command)?;
    let request = CreateRequest {
        name: args.name,
        harness: args.harness.unwrap_or_default(),
        harness_args: if args.no_harness_args { Some(Vec::new()) } else { args.harness_arg },
        cwd: args.cwd.map(|dir| from_here(here, dir)).unwrap_or_default(),
        prompt,
        description: args.description,
        auto_start: !args.no_auto_start,
        slack_enabled: args.slack,
        slack_channel: args.slack_channel.unwrap_or_default(),
        env,
        secrets,
        start: !args.no_start,
    };
    let report = api.create(&request).await?;
    Ok(report::print(&report, output))
}

fn variables(set: &[String], unset: &[String]) -> Result<BTreeMap<String, Option<String>>, Refusal> {
    let mut found = BTreeMap::new();
    for word in set {
        let (name, value) = pair("--env", "NAME=VALUE", word)?;
        found.insert(name, Some(value));
    }
    found.extend(unset.iter().map(|name| (name.clone(), None)));
    Ok(found)
}

fn secrets(here: &Path, files: &[String], commands: &[String]) -> Result<BTreeMap<String, SecretSource>, Refusal> {
    let mut found = BTreeMap::new();
    for word in files {
        let (name, file) = pair("--secret-file", "NAME=FILE", word)?;
        found.insert(name, SecretSource::File(from_here(here, file)));
    }
    for word in commands {
        let (name, command) = pair("--secret-command", "NAME=COMMAND", word)?;
        found.insert(name, SecretSource::Command(vec!["sh".to_owned(), "-c".to_owned(), command]));
    }
    Ok(found)
}

/// Splits `NAME=VALUE`. The error does not repeat the input, which may be a secret.
fn pair(flag: &str, form: &str, word: &str) -> Result<(String, String), Refusal> {
    let (name, rest) =
        word.split_once('=').ok_or_else(|| Refusal::mistake(format!("`{flag}` takes {form}: `=` is missing")))?;
    Ok((name.to_owned(), rest.to_owned()))
}

fn brief(file: &Path) -> Result<String, Refusal> {
    read_brief(file)
        .map_err(|error| Refusal::mistake(format!("{}: could not read the prompt: {error}", file.display())))
}

/// Resolves a relative directory against the shell's directory. The core expands `~`.
fn from_here(here: &Path, dir: String) -> String {
    if dir.starts_with('~') { dir } else { here.join(dir).to_string_lossy().into_owned() }
}
