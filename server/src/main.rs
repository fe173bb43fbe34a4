//! The binary `the-loop`. All of its code is in the library, where tests can reach it.

use std::process::ExitCode;

use dlmalloc::GlobalDlmalloc;

/// One heap for all threads. The allocator of the C library has one for each of up to eight threads a processor, and what
/// the threads of the commands leave there free was most of the memory of a busy service.
#[global_allocator]
static HEAP: GlobalDlmalloc = GlobalDlmalloc;

fn main() -> ExitCode {
    standing::descriptors::release();
    server::run(std::env::args_os().collect())
}
