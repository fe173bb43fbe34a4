//! `config edit`: opens a draft of the config in the editor, and replaces the config once the draft has no mistakes.
//!
//! The draft is beside the config, so that relative paths mean the same. A draft with mistakes is kept, and the next
//! `config edit` continues with it.

use std::{
    env, fs,
    io::{self, IsTerminal as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use files::write::{self, Durability};
use standing::{
    Surroundings, TheLoop,
    config::{ConfigPath, ConfigProblem, load, template},
};

use super::{Output, Refusal, lines, sanitize};

pub(in crate::surfaces::cli) const EXAMPLES: &str = "\
Examples:
  the-loop config edit
  EDITOR='code --wait' the-loop config edit

The editor is $VISUAL, else $EDITOR, else vi. A file with mistakes does not replace the config: it is kept as a draft,
and the next `config edit` continues with it.
Exit status: 0 replaced or unchanged; 1 not replaced; 2 the draft has mistakes.";

/// Mode of a new config: like other state, it is private.
const PRIVATE: u32 = 0o600;

pub(super) fn run(the_loop: &TheLoop, output: &mut Output) -> Result<u8, Refusal> {
    // A symbolic link stays one.
    let file = the_loop.config_file();
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let draft = Draft::open(file, output)?;
    loop {
        draft.edit()?;
        let problems = draft.problems();
        if problems.is_empty() {
            return draft.put(output);
        }
        output.err(&lines(&problems));
        if !io::stdin().is_terminal() || !again(output) {
            output.err(&format!("The config was not changed. The draft is kept: {}\n", shown(&draft.path)));
            return Ok(2);
        }
    }
}

/// Copy of the config that is edited.
struct Draft {
    file: PathBuf,
    path: PathBuf,
    /// Content of the config when the draft was made; `None` if there was none.
    before: Option<Vec<u8>>,
}

impl Draft {
    fn open(file: PathBuf, output: &mut Output) -> Result<Self, Refusal> {
        let before = match fs::read(&file) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(&file, "could not read it", &error)),
        };
        let mut name = file.file_stem().unwrap_or_default().to_owned();
        name.push(".draft.yaml");
        let draft = Self { path: file.with_file_name(name), file, before };
        if let Some(folder) = draft.path.parent() {
            fs::create_dir_all(folder).map_err(|error| failed(folder, "could not create it", &error))?;
        }
        let text = draft.before.clone().unwrap_or_else(|| template().into_bytes());
        match write::create(&draft.path, &text, Durability::Crash) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                output.err(&format!("Continuing with the draft {}; remove it to begin again.\n", shown(&draft.path)));
            }
            Err(error) => return Err(failed(&draft.path, "could not write the draft", &error)),
        }
        Ok(draft)
    }

    fn edit(&self) -> Result<(), Refusal> {
        let editor = ["VISUAL", "EDITOR"].into_iter().find_map(|key| env::var(key).ok().filter(|set| !set.is_empty()));
        let editor = editor.unwrap_or_else(|| "vi".to_owned());
        // As git does, so that the variable can contain arguments.
        let ended = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(&self.path).status();
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Refusal::failure(format!(
                "the editor `{editor}` ended with {status}: the config was not changed, and the draft is kept: {}",
                self.path.display()
            ))),
            Err(error) => Err(Refusal::failure(format!("could not start the editor `{editor}`: {error}"))),
        }
    }

    fn problems(&self) -> Vec<ConfigProblem> {
        load(ConfigPath::new(self.path.clone()).named(), &Surroundings::of_process()).problems
    }

    /// Replaces the config by the draft.
    fn put(&self, output: &mut Output) -> Result<u8, Refusal> {
        let text = fs::read(&self.path).map_err(|error| failed(&self.path, "could not read the draft", &error))?;
        if self.before.as_ref() == Some(&text) {
            let _ = fs::remove_file(&self.path);
            output.out("nothing was changed\n");
            return Ok(0);
        }
        if fs::read(&self.file).ok() != self.before {
            return Err(Refusal::failure(format!(
                "{} was changed by another program meanwhile: it was not replaced, and the draft is kept: {}",
                self.file.display(),
                self.path.display()
            )));
        }
        let mode = fs::metadata(&self.file).map_or(PRIVATE, |meta| meta.mode() & 0o777);
        // The draft is kept until the config has its text, so a file system that cannot sync loses nothing.
        let _synced = write::replace_with_mode(&self.file, &text, Durability::PowerLoss, mode)
            .map_err(|error| Refusal::failure(error.to_string()))?;
        let _ = fs::remove_file(&self.path);
        output.out(&format!("{} was replaced\n", shown(&self.file)));
        output.err(
            "Sessions use it at their next start. Settings of the service need `the-loop restart --service-only`.\n",
        );
        Ok(0)
    }
}

fn again(output: &mut Output) -> bool {
    output.err("Edit it again? [Y/n] ");
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer).is_ok_and(|length| length > 0);
    read && !matches!(answer.trim().to_ascii_lowercase().as_str(), "n" | "no")
}

fn failed(path: &Path, doing: &str, error: &io::Error) -> Refusal {
    Refusal::failure(format!("{}: {doing}: {error}", path.display()))
}

fn shown(path: &Path) -> String {
    sanitize::line(&path.display().to_string())
}
