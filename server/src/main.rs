//! The binary `the-loop`. All of its code is in the library, where tests can reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    standing::descriptors::release();
    server::run(std::env::args_os().collect())
}
