//! Values that were given on the command line and hold nothing, as when a shell variable is not set.
//!
//! `--harness "$H"` with an unset `H` is not a wish for the default, and `stop "$NAME"` is not one for every session.

use std::{ffi::OsString, path::PathBuf};

const EMPTY: &str = "empty value: give a value, or leave the option out (is a shell variable unset?)";

/// A path with something in it.
pub(super) fn file(text: OsString) -> Result<PathBuf, String> {
    match text.to_str() {
        Some(text) if text.trim().is_empty() => Err(EMPTY.to_owned()),
        _ => Ok(text.into()),
    }
}

/// A value with something in it.
pub(super) fn filled(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err(EMPTY.to_owned());
    }
    Ok(text.to_owned())
}

/// The name of one session. Its form is judged by the verb.
pub(super) fn session(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("empty name: give the name of a session (is a shell variable unset?)".to_owned());
    }
    Ok(text.to_owned())
}

/// The same where every session can be meant.
pub(super) fn session_or_all(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("empty name: give the name of a session, or use `--all` (is a shell variable unset?)".to_owned());
    }
    Ok(text.to_owned())
}
