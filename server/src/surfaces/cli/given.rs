//! Rejects empty values on the command line, as from an unset shell variable.
//!
//! `--harness "$H"` with an unset `H` does not request the default, and `stop "$NAME"` does not mean every session.

use std::{ffi::OsString, path::PathBuf};

/// Parses a path that is not empty.
pub(super) fn file(text: OsString) -> Result<PathBuf, String> {
    if let Some(text) = text.to_str() {
        not_blank(text, "value", "give a value, or leave the option out")?;
    }
    Ok(text.into())
}

/// Parses a value that is not empty.
pub(super) fn filled(text: &str) -> Result<String, String> {
    not_blank(text, "value", "give a value, or leave the option out")
}

/// Parses the name of one session. The verb checks its form.
pub(super) fn session(text: &str) -> Result<String, String> {
    not_blank(text, "name", "give the name of a session")
}

/// Parses the name of one session, where leaving it out can mean every session.
pub(super) fn session_or_all(text: &str) -> Result<String, String> {
    not_blank(text, "name", "give the name of a session, or use `--all`")
}

/// Refuses a text without a visible character, and says what to give instead.
fn not_blank(text: &str, what: &str, remedy: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err(format!("empty {what}: {remedy} (is a shell variable unset?)"));
    }
    if text.trim().is_empty() {
        return Err(format!("the {what} contains only white space: {remedy}"));
    }
    Ok(text.to_owned())
}
