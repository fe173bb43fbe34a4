//! `the-loop serve`: runs the service, in the foreground unless `the-loop start` runs it.

use std::env;

use standing::{TheLoop, events::Event};

use super::{Output, Refusal};
use crate::service::{
    alongside, background, init,
    instance::{ClaimError, Instance},
    log,
    readiness::{self, StartupMessage},
    serve::{self, Bind},
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop serve                 listen on 127.0.0.1:4114, or as configured
  the-loop serve --port 5000     listen on another port; 0 selects a free one
  THE_LOOP_LOG=debug the-loop serve

Ctrl-C stops the service; sessions keep running. A second Ctrl-C stops it at once.
To run it in the background with the auto-start sessions, use `the-loop start`.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    bind: BindArgs,
    /// For `the-loop start`: a session of its own, the log in a file, one word on standard output
    #[arg(long, hide = true)]
    background: bool,
}

/// Where the service listens.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct BindArgs {
    /// Address to listen on, instead of `service.host`
    #[arg(long, value_parser = super::given::filled)]
    host: Option<String>,
    /// Port to listen on, instead of `service.port`; 0 selects a free port
    #[arg(long)]
    port: Option<u16>,
}

impl From<BindArgs> for Bind {
    fn from(args: BindArgs) -> Self {
        Self { host: args.host, port: args.port }
    }
}

pub(super) fn run(the_loop: TheLoop, args: Args, output: &mut Output) -> Result<u8, Refusal> {
    if args.background {
        return Ok(in_background(the_loop, args.bind.into()));
    }
    if init::is_needed() {
        return init::run().map_err(|error| Refusal::failure(format!("could not run the service: {error}")));
    }
    log::to_stderr(&the_loop);
    let instance =
        Instance::claim(&the_loop.config().settings.state_root).map_err(|error| Refusal::failure(error.to_string()))?;
    serve(the_loop, args.bind.into(), &instance, |address| output.out(&format!("the-loop is at {address}\n")))?;
    Ok(0)
}

/// Runs the service in the background. Its starter gets one startup message; all later messages go to the log.
fn in_background(the_loop: TheLoop, bind: Bind) -> u8 {
    let fail = |text: String, code: u8| {
        readiness::tell(&StartupMessage::Failed { text, code });
        code
    };
    // The service gets its own terminal session, so signals from the terminal or the shell do not reach it.
    if let Err(error) = rustix::process::setsid() {
        return fail(format!("could not detach from the terminal: {error}"), 1);
    }
    let state_root = the_loop.config().settings.state_root.clone();
    log::to_file(&the_loop, background::log_file(&state_root));
    let instance = match Instance::claim(&state_root) {
        Ok(instance) => instance,
        Err(ClaimError::AlreadyRunning(holder)) => {
            let address = holder.details.map(|details| details.address).unwrap_or_default();
            readiness::tell(&StartupMessage::AlreadyRunning { pid: holder.pid, address });
            return 1;
        }
        Err(error) => return fail(error.to_string(), 1),
    };
    // All paths are absolute by now. A process in a folder would keep its file system from being unmounted.
    let _ = env::set_current_dir("/");
    let mut said = false;
    let served = serve(the_loop, bind, &instance, |address| {
        said = true;
        readiness::tell(&StartupMessage::Ready { address: address.to_owned() });
    });
    match served {
        Ok(()) => 0,
        Err(refusal) if said => {
            tracing::error!("{}", refusal.text);
            refusal.code
        }
        Err(refusal) => fail(refusal.text, refusal.code),
    }
}

fn serve(the_loop: TheLoop, bind: Bind, instance: &Instance, ready: impl FnOnce(&str)) -> Result<(), Refusal> {
    let the_same = the_loop.clone();
    let mut told = String::new();
    let served = serve::serve(the_loop, bind, |address| {
        address.clone_into(&mut told);
        instance.announce(address);
        ready(address);
        alongside::begin(&the_same, address);
        the_same.emit(placed(Event::info("service.started"), address));
    });
    // A service that did not start has no end to report.
    match served {
        Ok(()) => {
            alongside::tell_of_the_end();
            the_same.emit(placed(Event::info("service.stopped"), &told));
            Ok(())
        }
        Err(error) => Err(Refusal { code: error.exit_code(), ..Refusal::failure(error.to_string()) }),
    }
}

/// Adds the host and port of the page's address to the event.
fn placed(event: Event, address: &str) -> Event {
    let authority = address.strip_prefix("http://").and_then(|rest| rest.split('/').next());
    match authority.and_then(|authority| authority.rsplit_once(':')) {
        Some((host, port)) => event.with("host", host).with("port", port.parse::<u16>().unwrap_or_default()),
        None => event,
    }
}
