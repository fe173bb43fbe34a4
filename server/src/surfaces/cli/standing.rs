//! `the-loop standing …`: the verbs, one file each.

mod answer;
mod ask;
mod attach;
mod create;
mod delete;
mod explain;
mod get;
mod history;
pub(super) mod list;
mod remote;
mod restart;
mod restore;
mod say;
mod screen;
mod start;
mod stop;
mod wait;

use std::path::Path;

use ::standing::TheLoop;
use clap::Subcommand;
use engine::{Engine, StandingApi};
use tokio::runtime::Builder;
use wire::{ControlReport, ControlRequest, ControlVerb};

use super::{
    Output, Refusal, ago, document, given,
    output::{self, Format},
    report, sanitize, table,
};
use crate::surfaces::slack;

use remote::Service;

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing create ops --harness demo --description 'watches the queue'
  the-loop standing say ops --text 'what is in flight?'
  the-loop standing stop ops        stop it; its conversation is kept
  the-loop standing start ops       start it; its conversation is resumed
  the-loop standing list --format json
  the-loop --service http://127.0.0.1:4114 standing list    list them through a running service";

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// List all sessions
    #[command(after_help = list::EXAMPLES)]
    List(list::Args),
    /// Show one session
    #[command(after_help = get::EXAMPLES)]
    Get(get::Args),
    /// Show why a session has its state
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::Args),
    /// Create a session and start it
    #[command(after_help = create::EXAMPLES)]
    Create(create::Args),
    /// Stop a created session and remove its record
    #[command(after_help = delete::EXAMPLES)]
    Delete(delete::Args),
    /// Start one session or all; conversations are resumed
    #[command(after_help = start::EXAMPLES)]
    Start(start::Args),
    /// Stop one session or all; conversations are kept
    #[command(after_help = stop::EXAMPLES)]
    Stop(stop::Args),
    /// Stop a session and start it again
    #[command(after_help = restart::EXAMPLES)]
    Restart(restart::Args),
    /// Restore the missing record of a running session
    #[command(after_help = restore::EXAMPLES)]
    Restore(restore::Args),
    /// Send a message to a running session
    #[command(after_help = say::EXAMPLES)]
    Say(say::Args),
    /// Send a message and print the answer
    #[command(after_help = ask::EXAMPLES)]
    Ask(ask::Args),
    /// Wait until a session is in a state
    #[command(after_help = wait::EXAMPLES)]
    Wait(wait::Args),
    /// Show the screen of a session
    #[command(after_help = screen::EXAMPLES)]
    Screen(screen::Args),
    /// Show what was said in the conversations of a session
    #[command(after_help = history::EXAMPLES)]
    History(history::Args),
    /// Open the terminal of a session in this terminal
    #[command(after_help = attach::EXAMPLES)]
    Attach(attach::Args),
    /// Answer the prompt of a session
    #[command(after_help = answer::EXAMPLES)]
    Answer(answer::Args),
}

impl Verb {
    /// Runs the verb in this process, or through the service at that address.
    pub(super) fn run(self, the_loop: &TheLoop, service: Option<&str>, output: &mut Output) -> Result<u8, Refusal> {
        if let (Self::Restore(args), None) = (&self, service) {
            return restore::run(the_loop, args, output);
        }
        if let (Self::Attach(args), None) = (&self, service) {
            return attach::run(the_loop, args);
        }
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Refusal::failure(format!("could not start the runtime: {error}")))?;
        let here = the_loop.surroundings().cwd();
        if let Some(address) = service {
            return runtime.block_on(self.done_by(&Service::at(address, the_loop)?, here, output));
        }
        if matches!(self, Self::Stop(_)) {
            super::stop::usable(the_loop, output)?;
        }
        let changes = matches!(self, Self::Create(_) | Self::Delete(_) | Self::Start(_) | Self::Restart(_));
        let done = runtime.block_on(self.done_by(&Engine::on_this_thread(the_loop.clone()), here, output));
        if changes {
            for complaint in slack::sync_once(the_loop) {
                output.err(&format!("{}\n", sanitize::line(&complaint)));
            }
        }
        done
    }

    async fn done_by(self, api: &impl StandingApi, here: &Path, output: &mut Output) -> Result<u8, Refusal> {
        match self {
            Self::List(args) => list::run(api, &args, output).await,
            Self::Get(args) => get::run(api, &args, output).await,
            Self::Explain(args) => explain::run(api, &args, output).await,
            Self::Create(args) => create::run(api, here, args, output).await,
            Self::Delete(args) => delete::run(api, args, output).await,
            Self::Start(args) => start::run(api, args, output).await,
            Self::Stop(args) => stop::run(api, args, output).await,
            Self::Restart(args) => restart::run(api, args, output).await,
            Self::Say(args) => say::run(api, args, output).await,
            Self::Ask(args) => ask::run(api, args, output).await,
            Self::Wait(args) => wait::run(api, args, output).await,
            Self::Screen(args) => screen::run(api, args, output).await,
            Self::History(args) => history::run(api, &args, output).await,
            Self::Attach(_) => Err(Refusal::mistake("`attach` works on this machine only: leave out `--service`")),
            Self::Answer(args) => answer::run(api, args, output).await,
            Self::Restore(_) => Err(Refusal::mistake("`restore` works on this machine only: leave out `--service`")),
        }
    }
}

/// Which sessions `start` and `stop` are for.
#[derive(Debug, clap::Args)]
pub(super) struct Whom {
    /// The session
    #[arg(value_parser = given::session_or_all)]
    name: Option<String>,
    /// Every session
    #[arg(long, conflicts_with = "name")]
    all: bool,
}

/// Verb that can act on every session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Everyone {
    Start,
    Stop,
}

/// Runs the verb. Without a name and without `--all` it acts on every session, as documented.
async fn control<A: StandingApi>(api: &A, verb: Everyone, whom: Whom) -> Result<ControlReport, A::Error> {
    match (whom.name, verb) {
        (Some(name), Everyone::Start) => api.control(&ControlRequest { name, verb: ControlVerb::Start }).await,
        (Some(name), Everyone::Stop) => api.control(&ControlRequest { name, verb: ControlVerb::Stop }).await,
        (None, Everyone::Start) => api.start_all().await,
        (None, Everyone::Stop) => api.stop_all().await,
    }
}
