//! Golden files of every user-facing text, in `docs/texts/`.
//!
//! Rendered texts (help, errors, pages) are written by tests of the crates that render them. The rest is read from the
//! sources here: the text literals of the product, and the headings of the documents. A test compares each file with
//! the code, so that a changed text is a diff for review.

mod headings;
mod literals;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::project::Project;
use crate::step::{Step, say};

/// Name of the test, in each crate that renders texts, that compares them with their golden file.
const TEST: &str = "texts_are_current";

/// Files that are read from the sources.
const FILES: [(&str, Source); 2] = [("messages.txt", literals::of), ("headings.txt", headings::of)];

type Source = fn(&Path) -> Result<String>;

/// Writes all golden files.
pub(crate) fn texts(project: &Project) -> Result<()> {
    let folder = project.root.join("docs/texts");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for (name, source) in FILES {
        let file = folder.join(name);
        fs::write(&file, source(&project.root)?).with_context(|| file.display().to_string())?;
        say(format_args!("wrote {}", file.display()));
    }
    let mut command = project.cargo();
    command.args(["test", "--workspace", "--exclude", &project.front.lib_package]);
    command.args(["--exclude", env!("CARGO_PKG_NAME"), "--lib", TEST]).env("UPDATE_TEXTS", "1");
    Step::new("rendering the texts", command).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_current() {
        let project = Project::find().expect("the workspace of this test");
        for (name, source) in FILES {
            let kept = fs::read_to_string(project.root.join("docs/texts").join(name)).unwrap_or_default();
            let text = source(&project.root).expect("the sources are readable");
            let first = kept.lines().zip(text.lines()).find(|(kept, text)| kept != text);
            assert!(
                kept == text,
                "`docs/texts/{name}` is out of date: run `cargo xtask texts` and review the diff; first difference: \
                 {first:?}"
            );
        }
    }
}
