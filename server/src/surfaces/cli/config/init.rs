//! `config init`: writes a config file in which every key is described.

use std::{fs, io, path::Path};

use files::write::{self, Durability};
use standing::{TheLoop, config::template};

use super::{Output, Refusal, sanitize};

pub(in crate::surfaces::cli) const EXAMPLES: &str = "\
Examples:
  the-loop config init                          write .the-loop/cli-config.yaml
  the-loop --config ~/ops.yaml config init      write another file
  the-loop config init --print                  print it and write nothing

An existing file is never changed.";

#[derive(Debug, clap::Args)]
pub(in crate::surfaces::cli) struct Args {
    /// Print the file and write nothing
    #[arg(long)]
    print: bool,
}

pub(super) fn run(the_loop: &TheLoop, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    if args.print {
        output.out(&template());
        return Ok(0);
    }
    let file = the_loop.config_file();
    match written(file) {
        Ok(()) => {
            output.out(&format!("{} was written\n", sanitize::line(&file.display().to_string())));
            output.err(
                "Declare your sessions in it with `the-loop config edit`, then start them with `the-loop start`.\n",
            );
            Ok(0)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Refusal::failure(format!(
            "{} exists and was not changed: edit it with `the-loop config edit`, or print a new one with `the-loop config \
             init --print`",
            file.display()
        ))),
        Err(error) => Err(Refusal::failure(format!("{}: could not write it: {error}", file.display()))),
    }
}

fn written(file: &Path) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    write::create(file, template().as_bytes(), Durability::PowerLoss)
}
