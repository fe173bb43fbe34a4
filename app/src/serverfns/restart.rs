//! Stops a session and starts it again.

use leptos::prelude::*;

use super::{Answer, Failure};

/// Stops a session and starts it again.
#[server(name = RestartStanding, prefix = "/app", endpoint = "standing/restart")]
pub async fn restart(
    /// Name of the session.
    #[server(default)]
    name: String,
) -> Result<Answer, Failure> {
    super::reply::control(wire::ControlVerb::Restart, name, false).await
}
