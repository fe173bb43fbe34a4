//! Rejects empty values on the command line, as from an unset shell variable.
//!
//! `--harness "$H"` with an unset `H` does not request the default, and `stop "$NAME"` does not mean every session.

use std::{ffi::OsString, path::PathBuf};

const EMPTY: &str = "empty value: give a value, or leave the option out (is a shell variable unset?)";

/// Parses a path that is not empty.
pub(super) fn file(text: OsString) -> Result<PathBuf, String> {
    match text.to_str() {
        Some(text) if text.trim().is_empty() => Err(EMPTY.to_owned()),
        _ => Ok(text.into()),
    }
}

/// Parses a value that is not empty.
pub(super) fn filled(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err(EMPTY.to_owned());
    }
    Ok(text.to_owned())
}

/// Parses the name of one session. The verb checks its form.
pub(super) fn session(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("empty name: give the name of a session (is a shell variable unset?)".to_owned());
    }
    Ok(text.to_owned())
}

/// Parses the name of one session, where leaving it out can mean every session.
pub(super) fn session_or_all(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("empty name: give the name of a session, or use `--all` (is a shell variable unset?)".to_owned());
    }
    Ok(text.to_owned())
}
