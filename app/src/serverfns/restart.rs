//! Stops a session and starts it again.

use leptos::prelude::*;

use super::{Answer, Back};

/// Stops a session and starts it again.
#[server(name = RestartStanding, prefix = "/app", endpoint = "standing/restart")]
pub async fn restart(
    /// The session.
    #[server(default)]
    name: String,
    /// The sessions to show afterwards.
    #[server(default)]
    back: Back,
) -> Result<Answer, ServerFnError> {
    Ok(super::reply::control(wire::ControlVerb::Restart, name, false, back).await)
}
