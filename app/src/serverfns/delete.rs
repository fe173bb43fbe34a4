//! Deletes a created session.

use leptos::prelude::*;

use super::{Answer, Failure};

/// Stops a created session and removes its record; the core refuses it for a declared one.
#[server(name = DeleteStanding, prefix = "/app", endpoint = "standing/delete")]
pub async fn delete(
    /// Name of the session.
    #[server(default)]
    name: String,
) -> Result<Answer, Failure> {
    use engine::StandingApi as _;

    use super::{messages, reply};
    use crate::notices::{Notice, Place};

    let context = reply::context();
    let request = wire::DeleteRequest { name: name.clone() };
    let deleted = context.engine().delete(&request).await;
    let notice = match &deleted {
        Ok(report) => messages::report(report, wire::ControlVerb::Stop, Place::Session(name)),
        Err(error) => Notice::refused(error, Place::Session(name)),
    };
    reply::send(&context, notice, deleted.map(Answer::Report))
}
