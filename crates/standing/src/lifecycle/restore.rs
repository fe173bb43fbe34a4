//! restore: rebuilds the record of a running session that lost it, from its marks and its process.

use wire::{ControlReport, Outcome, SessionName};

use super::Context;
use crate::{Error, events::Event, registry::Entry};

/// Writes the record of an unrecorded session. A session that has a record keeps it.
pub(crate) fn restore(context: &Context, name: &SessionName) -> Result<ControlReport, Error> {
    context.registry.prepare()?;
    let hold = context.hold(name, "restore")?;
    match context.registry.read(name) {
        Entry::Vacant => {}
        Entry::Unreadable(reason) => return Err(context.registry.bad(name, reason)),
        Entry::Recorded(_) => {
            context.recover(&hold, name)?;
            return Err(Error::InvalidRequest(format!("`{name}` already has a record: nothing was changed")));
        }
    }
    let panes = context.look()?;
    let Some(pane) = panes.of(name).iter().find(|pane| !pane.dead && context.is_ours(pane)) else {
        return Err(match context.definitions().resolve(name, None) {
            Ok(_) => Error::NotRunning { name: name.clone(), reason: "not started yet".to_owned() },
            Err(unknown) => unknown,
        });
    };
    let mut record = context.remembered(name, pane);
    let missing = missing_keys(context, name, record.left_out.take());
    context.registry.write(&record)?;
    let mut event = Event::info("standing.restored")
        .with("standing", name.as_str())
        .with("harness", record.harness.as_str())
        .with("harness_session_id", record.harness_session_id.as_str())
        .with("tmux_target", record.tmux_target.as_str())
        .with("cwd", record.cwd.as_str());
    if !missing.is_empty() {
        event = event.with("not_restored", missing.clone());
    }
    context.emit(event);
    let restored = if record.harness_session_id.is_empty() {
        "record restored; the conversation is not known yet".to_owned()
    } else {
        format!("record restored, with conversation {}", record.harness_session_id)
    };
    let detail = if missing.is_empty() {
        restored
    } else {
        format!(
            "{restored}; not restored: {}. The running agent still has them. Before its next start, declare the \
             session with them in `standingSessions.sessions` of {}",
            in_words(&missing),
            context.config_file()
        )
    };
    Ok(ControlReport::of(vec![context.row_after(name, Outcome::AlreadyRunning, detail)]))
}

/// Returns the keys of the definition that a restored record lacks.
fn missing_keys(context: &Context, name: &SessionName, left_out: Option<Vec<String>>) -> Vec<String> {
    // The config has the whole definition, and the next start takes it from there.
    if context.definitions().declaration(name).is_some() {
        return Vec::new();
    }
    left_out.unwrap_or_else(|| ["env", "secrets", "prompt"].map(str::to_owned).to_vec())
}

/// Names the keys that were not restored, for people.
pub(super) fn in_words(keys: &[String]) -> String {
    let words: Vec<String> = keys.iter().map(|key| word_of(key)).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

fn word_of(key: &str) -> String {
    match key {
        "env" => "environment variables".to_owned(),
        "secrets" => "secrets".to_owned(),
        "prompt" => "brief".to_owned(),
        "harnessArgs" => "arguments".to_owned(),
        "description" => "description".to_owned(),
        named => format!("`{named}`"),
    }
}
