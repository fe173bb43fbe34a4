//! Reason why a request to another service got no answer. It must not contain the address, which may be a secret.

use std::error::Error;

/// Returns the kind of the error and its innermost cause, which is the most informative.
pub(super) fn reason(error: reqwest::Error) -> String {
    let kind = if error.is_timeout() {
        "timeout"
    } else if error.is_connect() {
        "could not connect"
    } else if error.is_builder() {
        "could not build the request"
    } else {
        "the connection was lost"
    };
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    format!("{kind}: {cause}")
}
