//! Starts a session, or every session.

use leptos::prelude::*;

use super::{Answer, Back};

/// Starts a session, or every session.
#[server(name = StartStanding, prefix = "/app", endpoint = "standing/start")]
pub async fn start(
    /// The session; empty with `all`.
    #[server(default)]
    name: String,
    /// Every session: said aloud, so that a missing name never means all of them.
    #[server(default)]
    all: bool,
    /// The sessions to show afterwards.
    #[server(default)]
    back: Back,
) -> Result<Answer, ServerFnError> {
    Ok(super::reply::control(wire::ControlVerb::Start, name, all, back).await)
}
