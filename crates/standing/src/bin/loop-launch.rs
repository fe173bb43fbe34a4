//! Launcher of new panes for an SDK host or a test: the hidden subcommands of `the-loop` alone.
//!
//! It must stay small: it runs between tmux and every harness.

use std::{
    env,
    ffi::OsStr,
    io::{self, Write},
    process::ExitCode,
};

fn main() -> ExitCode {
    standing::descriptors::release();
    let mut args = env::args_os().skip(1);
    let word = args.next();
    match word.as_deref().and_then(OsStr::to_str) {
        Some("demo") => standing::demo::main(args),
        Some("hook") => standing::hook::main(args),
        Some("launch") => standing::launcher::main(args),
        _ => refuse(),
    }
}

fn refuse() -> ExitCode {
    // If even this write fails, nothing is left to do.
    let _ = writeln!(io::stderr(), "usage: loop-launch launch SPEC | loop-launch demo ARGUMENTS (see `demo --help`)");
    ExitCode::from(2)
}
