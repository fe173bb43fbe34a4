//! Starts one session or all.

use leptos::prelude::*;

use super::{Answer, Failure};

/// Starts one session or all.
#[server(name = StartStanding, prefix = "/app", endpoint = "standing/start")]
pub async fn start(
    /// Name of the session; empty with `all`.
    #[server(default)]
    name: String,
    /// True for every session: required, so that a missing name never means all of them.
    #[server(default)]
    all: bool,
) -> Result<Answer, Failure> {
    super::reply::control(wire::ControlVerb::Start, name, all).await
}
