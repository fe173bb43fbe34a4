//! create: writes a complete definition to the registry, and starts the session unless the caller wants only the
//! record.

pub(crate) mod mistakes;

use wire::{ControlReport, CreateRequest, Outcome, Remedy, Row, SessionName};

use super::{Context, detail::Detail, start};
use crate::{
    Error, clock,
    definition::check_directory,
    events::Event,
    registry::{Entry, Origin, Phase, Record},
};

/// Creates a session. A name is used once: an existing session is never adopted.
pub(crate) fn create(context: &Context, name: &SessionName, request: &CreateRequest) -> Result<ControlReport, Error> {
    if context.definitions().declaration(name).is_some() {
        return Err(Error::AlreadyDeclared { name: name.clone(), config: context.config_file() });
    }
    let record = record(context, name, request)?;
    context.registry.prepare()?;
    let hold = context.hold(name, "create")?;
    context.recover(&hold, name)?;
    match context.registry.read(name) {
        Entry::Vacant if context.unrecorded(name).is_some() => return Err(context.is_unrecorded(name)),
        Entry::Vacant => {}
        Entry::Recorded(_) => return Err(Error::AlreadyExists { name: name.clone() }),
        Entry::Unreadable(reason) => return Err(context.registry.bad(name, reason)),
    }
    context.registry.write(&record).inspect_err(|_| {
        // The record may be on disk anyway, and the name must be free for the next attempt.
        let _ = context.registry.remove(name);
    })?;
    context.emit(
        Event::info("standing.created")
            .with("standing", name.as_str())
            .with("harness", record.harness.as_str())
            .with("cwd", record.cwd.as_str())
            .with("auto_start", record.auto_start),
    );
    files::failpoint::at("create.recorded");
    if !request.start {
        let detail = Detail::new("created, not started", [Remedy::Start { name: name.clone() }]);
        return Ok(ControlReport::of(vec![context.row_after(name, Outcome::NotRunning, detail)]));
    }
    let started = start::held(context, &hold, name);
    let failure = match &started {
        Ok(start) if start.row.outcome.is_some_and(Outcome::is_ok) || start.unsure => None,
        Ok(start) => Some(start.row.detail.clone().unwrap_or_default()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(error) = failure {
        files::failpoint::at("create.failed");
        context.registry.remove(name)?;
        context.emit(Event::error("standing.create_failed").with("standing", name.as_str()).with("error", error));
        // The record and the name are gone, so the row shows only how the start went.
        let row = started?.row;
        return Ok(ControlReport::of(vec![Row {
            outcome: row.outcome,
            detail: row.detail,
            remedies: row.remedies,
            ..Row::bare(name)
        }]));
    }
    Ok(ControlReport::of(vec![started?.row]))
}

/// Returns the record of the complete definition, with all defaults filled in.
fn record(context: &Context, name: &SessionName, request: &CreateRequest) -> Result<Record, Error> {
    let definitions = context.definitions();
    let harness = match request.harness.trim() {
        "" => context.settings().routing.default_harness.clone(),
        harness => harness.to_owned(),
    };
    context.harness(&harness).map_err(Error::InvalidRequest)?;
    crate::brief::fits(request.prompt.len()).map_err(Error::InvalidRequest)?;
    let cwd = definitions.directory(&request.cwd);
    check_directory(&cwd).map_err(Error::InvalidRequest)?;
    let cwd = cwd
        .into_os_string()
        .into_string()
        .map_err(|_| Error::InvalidRequest("the working directory is not UTF-8".to_owned()))?;
    let mut record = Record::new(name, clock::now());
    record.origin = Origin::Created;
    context.source().clone_into(&mut record.created_by);
    record.phase = Some(Phase::Created);
    record.harness_args = request.harness_args.clone().unwrap_or_else(|| definitions.inherited_args(&harness));
    record.harness_args_inherited = request.harness_args.is_none();
    record.harness = harness;
    record.cwd = cwd;
    record.prompt.clone_from(&request.prompt);
    record.description.clone_from(&request.description);
    record.auto_start = request.auto_start;
    record.slack_enabled = request.slack_enabled;
    record.slack_channel.clone_from(&request.slack_channel);
    record.env.clone_from(&request.env);
    record.secrets.clone_from(&request.secrets);
    Ok(record)
}
