//! Stops one session, or every recorded one.

use leptos::prelude::*;

use super::{Answer, Failure};

/// Stops one session, or every recorded one. Works with an invalid config.
#[server(name = StopStanding, prefix = "/app", endpoint = "standing/stop")]
pub async fn stop(
    /// Name of the session; empty with `all`.
    #[server(default)]
    name: String,
    /// True for every session: required, so that a missing name never means all of them.
    #[server(default)]
    all: bool,
) -> Result<Answer, Failure> {
    super::reply::control(wire::ControlVerb::Stop, name, all).await
}
