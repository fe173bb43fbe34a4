//! Checks the English of texts and documentation comments: empty openings, and phrases with a plain equivalent.
//!
//! The lists are short and exact, so that a finding is never a false alarm. The check reads the golden files of all texts
//! (`docs/texts/`), the documents, the API document, and every documentation comment. `cargo xtask english` prints the
//! findings.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::project::Project;

/// Phrases in lower case, each with its replacement.
const PHRASES: [(&str, &str); 20] = [
    ("cannot be told", "could not determine"),
    ("by itself", "automatically, on its own"),
    ("by themselves", "automatically"),
    ("anew", "again"),
    ("all the same", "anyway"),
    ("in vain", "failed"),
    ("goes on with", "resumes"),
    ("go on with", "resume"),
    ("gone on with", "resumed"),
    ("who asks", "the caller"),
    ("whoever", "the client, the user"),
    ("is no folder", "is not a directory"),
    ("not ours", "not managed by the-loop"),
    ("let in", "accepted"),
    ("spoken to", "messaged"),
    ("is heard", "is received"),
    ("is begun", "is started"),
    ("no session notices", "sessions keep running"),
    ("the config has it", "default from config"),
    ("nothing proves", "could not confirm"),
];

/// Openings of a help text, a summary or a documentation comment.
const OPENINGS: [&str; 4] = ["What ", "Whether ", "Who ", "The same "];

/// Prints the findings; an error if there are any.
pub(crate) fn english(project: &Project) -> Result<()> {
    let findings = findings(&project.root)?;
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} texts to rewrite", findings.len());
    }
    Ok(())
}

/// Returns the findings in texts and documentation comments.
pub(crate) fn findings(root: &Path) -> Result<Vec<String>> {
    let mut findings = user_facing(root)?;
    findings.extend(rustdoc(root)?);
    Ok(findings)
}

/// Returns the findings in user-facing texts.
fn user_facing(root: &Path) -> Result<Vec<String>> {
    let mut files =
        vec![root.join("README.md"), root.join("schemas/openapi.json"), root.join("schemas/mcp-tools.json")];
    files.extend(listed(&root.join("docs/texts"), "txt")?);
    // The table of faults is generated from the tests.
    files.extend(listed(&root.join("docs"), "md")?.into_iter().filter(|file| !file.ends_with("faults.md")));
    let mut findings = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        for (number, line) in text.lines().enumerate() {
            let opening = line.trim().trim_start_matches("\"description\": \"").trim_start_matches("\"summary\": \"");
            let documents = file.extension().is_some_and(|extension| extension == "md");
            for finding in phrases(line).into_iter().chain(opening_of(opening).filter(|_| !documents)) {
                findings.push(format!("{}:{}: {finding}: {}", shown(&file, root), number + 1, line.trim()));
            }
        }
    }
    Ok(findings)
}

/// Returns the findings in documentation comments: openings in their first lines, phrases in all lines.
fn rustdoc(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for file in sources(root)? {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let mut first = true;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            let Some(comment) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
                first = true;
                continue;
            };
            let opening = opening_of(comment.trim()).filter(|_| first);
            for finding in phrases(comment).into_iter().chain(opening) {
                let mut told = String::new();
                let _ = write!(told, "{}:{}: {finding}: {}", shown(&file, root), number + 1, comment.trim());
                findings.push(told);
            }
            first = comment.trim().is_empty();
        }
    }
    Ok(findings)
}

fn phrases(line: &str) -> Vec<String> {
    let lower = line.to_lowercase();
    let stands_alone = |at: usize, length: usize| {
        let letter = |found: Option<char>| found.is_some_and(char::is_alphanumeric);
        !letter(lower[..at].chars().next_back()) && !letter(lower[at + length..].chars().next())
    };
    let found = PHRASES
        .iter()
        .filter(|(phrase, _)| lower.match_indices(phrase).any(|(at, found)| stands_alone(at, found.len())));
    found.map(|(phrase, instead)| format!("`{phrase}` (write: {instead})")).collect()
}

fn opening_of(text: &str) -> Option<String> {
    let opening = OPENINGS.iter().find(|opening| text.starts_with(**opening))?;
    Some(format!("begins with `{}`", opening.trim_end()))
}

fn shown(file: &Path, root: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

fn listed(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && !["target", "node_modules"].contains(&name) {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_documentation_are_plain_english() {
        let project = Project::find().expect("the workspace of this test");
        let findings = findings(&project.root).expect("the texts are readable");
        assert!(findings.is_empty(), "{} texts to rewrite:\n{}", findings.len(), findings.join("\n"));
    }

    #[test]
    fn a_phrase_is_found_as_whole_words_only() {
        assert_eq!(phrases("It is read anew.").len(), 1);
        assert_eq!(phrases("A renewed answer, an ewer.").len(), 0);
        assert!(opening_of("What it does").is_some() && opening_of("Whatever it does").is_none());
    }
}
