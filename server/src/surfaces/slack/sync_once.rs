//! Synchronises Slack without the service: announces or releases sessions that a command changed, before the command
//! ends.

use std::{collections::HashMap, sync::Arc};

use engine::Engine;
use standing::TheLoop;
use tokio::runtime;

use super::{
    address::Address,
    announce::{Announcer, not_announced as event_of},
    api::Api,
    event_log::EventLog,
    folder::Folder,
    report::is_hosted,
    threads::Threads,
    tokens::Tokens,
    unannounced::due,
};

/// Announces due sessions and releases threads that no longer belong to a session, unless a service does so anyway.
/// Returns the failures as texts for a person. A failure here never fails a verb.
///
/// Does nothing where Slack is disabled. Blocks for as long as Slack takes to answer.
pub fn sync_once(the_loop: &TheLoop) -> Vec<String> {
    let config = the_loop.config();
    if !config.settings.slack.enabled {
        return Vec::new();
    }
    let folder = Folder::below(&config.settings.state_root);
    // The process that listens watches the records and does this work.
    if is_hosted(&folder) {
        return Vec::new();
    }
    settled(the_loop, &folder).unwrap_or_else(|reason| {
        let due = due(the_loop);
        for row in &due {
            the_loop.emit(event_of(&row.name, &reason));
        }
        due.iter().map(|row| not_announced(&row.name, &reason)).collect()
    })
}

fn not_announced(name: &str, reason: &str) -> String {
    format!("could not announce `{name}` in Slack: {reason}")
}

fn settled(the_loop: &TheLoop, folder: &Folder) -> Result<Vec<String>, String> {
    let config = the_loop.config();
    let tokens = Tokens::of(&config.settings.slack, the_loop.surroundings()).map_err(|missing| missing.to_string())?;
    let api = Arc::new(Api::new(Address::of(the_loop.surroundings())?, tokens)?);
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let engine = Engine::new(the_loop.clone());
    runtime.block_on(async {
        let (events, writing) = EventLog::open(engine.clone());
        let threads = Threads::of(folder);
        let announcer = Announcer::new(engine, Arc::clone(&api), folder.clone(), threads, events);
        let complaints = once(&announcer, &api).await;
        drop(announcer);
        let _ = writing.await;
        complaints
    })
}

async fn once(announcer: &Announcer, api: &Api) -> Result<Vec<String>, String> {
    let look = announcer.look(HashMap::new()).await?;
    let announced = announcer.announce_due(&look.rows).await;
    let failures = announced.failures.iter();
    let mut complaints: Vec<String> = failures.map(|(name, reason)| not_announced(name, reason)).collect();
    for (thread, text) in look.farewells.into_iter().chain(announced.farewells) {
        if let Err(error) = api.post_message(&thread.channel, Some(&thread.ts), &text).await {
            complaints.push(format!("could not post to the thread of `{}`: {error}", thread.name));
        }
    }
    Ok(complaints)
}
