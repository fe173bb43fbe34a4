//! `the-loop man`: writes the manual pages, for packagers.

use std::{fs, io, path::PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser as _};

use super::{Output, Refusal};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Directory to write to; created if missing
    #[arg(value_parser = OsStringValueParser::new().try_map(super::given::file))]
    folder: PathBuf,
}

pub(super) fn run(args: &Args, command: clap::Command, output: &mut Output) -> Result<u8, Refusal> {
    let written = fs::create_dir_all(&args.folder).and_then(|()| write(&args.folder, command));
    let count = written.map_err(|error| {
        Refusal::failure(format!("{}: could not write the manual pages: {error}", args.folder.display()))
    })?;
    output.out(&format!("wrote {count} manual pages to {}\n", args.folder.display()));
    Ok(0)
}

/// Writes a page for the program and one for each command, except hidden ones.
fn write(folder: &std::path::Path, command: clap::Command) -> io::Result<usize> {
    clap_mangen::generate_to(command, folder)?;
    Ok(fs::read_dir(folder)?.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "1")).count())
}
