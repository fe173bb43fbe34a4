//! `the-loop selftest`: tests delivery, stop and resume on this machine, and cleans up.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use standing::{Step, Surroundings, selftest};
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

use super::{
    Output, Refusal, document,
    output::{BAD, Format, GOOD, paint},
    sanitize,
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop selftest
  the-loop selftest --format json

Creates, messages, stops, resumes and deletes a demo agent in a temporary tmux server, home and
state directory. Your sessions are not touched, and nothing is left behind. Takes one or two
seconds, and at most ten.
Exit status: 0 all steps succeeded; 1 a step failed.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let begun = Instant::now();
    let interrupted = interrupts().map_err(|error| Refusal::failure(format!("could not wait for signals: {error}")))?;
    let mut steps: Vec<Value> = Vec::new();
    let well = selftest(
        &Surroundings::of_process(),
        || interrupted.load(Ordering::Relaxed),
        |step| match args.format {
            Format::Json => steps.push(json(step)),
            Format::Text => output.out(&line(step)),
        },
    );
    match args.format {
        Format::Json => output.out(&document(&json!({ "steps": steps, "ok": well }))?),
        Format::Text => {
            let verdict = if well { paint(GOOD, "passed") } else { paint(BAD, "failed") };
            output.out(&format!("{verdict} in {}\n", seconds(begun.elapsed())));
        }
    }
    Ok(u8::from(!well))
}

/// Returns a flag that becomes true on Ctrl-C, SIGTERM, SIGQUIT or SIGHUP. The test then cleans up first.
fn interrupts() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let [mut terminate, mut interrupt, mut hangup, mut quit] = {
        let _within = runtime.enter();
        [
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
            signal(SignalKind::quit())?,
        ]
    };
    let told = Arc::clone(&interrupted);
    // The thread ends with the process.
    thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = terminate.recv() => {},
                _ = interrupt.recv() => {},
                _ = hangup.recv() => {},
                _ = quit.recv() => {},
            }
        });
        told.store(true, Ordering::Relaxed);
    });
    Ok(interrupted)
}

fn json(step: &Step) -> Value {
    let detail = match &step.outcome {
        Ok(detail) | Err(detail) => detail,
    };
    json!({ "step": step.name, "ok": step.outcome.is_ok(), "seconds": step.took.as_secs_f64(), "detail": detail })
}

fn line(step: &Step) -> String {
    let (word, detail) = match &step.outcome {
        Ok(detail) => (paint(GOOD, "ok    "), detail),
        Err(detail) => (paint(BAD, "failed"), detail),
    };
    format!("{:<7}  {word}  {}  {}\n", step.name, seconds(step.took), sanitize::line(detail))
}

fn seconds(took: Duration) -> String {
    format!("{:.2} s", took.as_secs_f64())
}
