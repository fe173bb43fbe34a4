//! `the-loop serve`: the service in the foreground.

use std::io;

use standing::TheLoop;
use tracing_subscriber::EnvFilter;

use super::{Output, Refusal};
use crate::host::{self, Bind, ServeError};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop serve                 on 127.0.0.1:4114, or what the config says
  the-loop serve --port 5000     on another port; 0 takes a free one
  THE_LOOP_LOG=debug the-loop serve

Ctrl-C ends the service; the sessions go on. A second Ctrl-C ends it at once.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The address to listen on, in place of `service.host`
    #[arg(long)]
    host: Option<String>,
    /// The port to listen on, in place of `service.port`; 0 takes a free one
    #[arg(long)]
    port: Option<u16>,
}

pub(super) fn run(the_loop: TheLoop, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    log_to_stderr(&the_loop);
    let bind = Bind { host: args.host, port: args.port };
    let served = host::serve(the_loop, bind, |address| output.out(&format!("the-loop is at {address}\n")));
    served.map_err(|error: ServeError| Refusal { text: error.to_string(), code: error.exit_code() })?;
    Ok(0)
}

/// Logs go to standard error; `THE_LOOP_LOG` says what and how much, in the words of `tracing`.
fn log_to_stderr(the_loop: &TheLoop) {
    let wanted = the_loop.surroundings().var("THE_LOOP_LOG").and_then(|text| text.to_str()).unwrap_or("info");
    let filter = EnvFilter::try_new(wanted);
    let unread = filter.as_ref().err().map(ToString::to_string);
    let colours = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|_| EnvFilter::new("info")))
        .with_writer(io::stderr)
        .with_ansi(colours)
        .init();
    if let Some(error) = unread {
        tracing::warn!("`THE_LOOP_LOG` is not understood ({error}): using `info`");
    }
}
