//! Stops a session, or every recorded one.

use leptos::prelude::*;

use super::{Answer, Back};

/// Stops a session, or every recorded one. Works while the config does not.
#[server(name = StopStanding, prefix = "/app", endpoint = "standing/stop")]
pub async fn stop(
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
    Ok(super::reply::control(wire::ControlVerb::Stop, name, all, back).await)
}
