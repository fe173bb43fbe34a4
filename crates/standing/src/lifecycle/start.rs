//! start: resumes the recorded conversation or begins a new one, and reports success only once the harness has proven
//! to be alive.

mod attempt;
mod brief;
mod hooks;
mod plan;

use tmux::Pane;
use wire::{Outcome, Remedy, Row, SessionName};

use super::{Context, detail::Detail, orphan, recognise::unrecorded, say::Queue};
use crate::{
    Error, clock,
    definition::Definition,
    events::{Event, Level},
    process::ProcessIdentity,
    registry::{Entry, Hold, Phase, Record, RecordStatus},
    state::{Condition, replaced},
};
use attempt::{Attempt, Proof};
pub(super) use plan::forget;
use plan::{Conversation, Plan};

/// Result of a start.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) row: Row,
    /// True if a harness may still appear although the start failed. Its record must be kept then.
    pub(crate) unsure: bool,
}

/// Starts one session.
pub(crate) fn start(context: &Context, name: &SessionName) -> Result<Row, Error> {
    let record = context.registry.read_whole(name)?;
    if record.is_none() {
        context.resolve_vacant(name)?;
    }
    context.registry.prepare()?;
    let hold = context.hold(name, "start")?;
    held(context, &hold, name).map(|start| start.row)
}

/// Starts a session that is already locked.
pub(crate) fn held(context: &Context, hold: &Hold, name: &SessionName) -> Result<Start, Error> {
    let mut record = context.recover(hold, name)?;
    let definition = context.definitions().resolve(name, record.as_ref())?;
    if let Some(record) = &mut record {
        // Order matters: the pane that shows where it ended is closed before the next spawn.
        context.follow_ended(record, context.condition(record).shown());
    }
    match may_spawn(context, name, record.as_ref()) {
        Go::Already(mut record, pane) => {
            context.follow(&mut record, Some(pane.pid));
            let settled = record.phase == Some(Phase::Running) && record.status == RecordStatus::Running;
            if !settled && !record.of_another_program() {
                record.phase = Some(Phase::Running);
                record.status = RecordStatus::Running;
                context.registry.write(&record)?;
            }
            let notes = context.harness(&record.harness).map(|adapter| {
                let (env, cwd) = (&definition.env, record.cwd.as_ref());
                let environment = context.environment_to_start(&adapter, env, cwd, Some(&record));
                environment.map(|environment| environment.notes).unwrap_or_default()
            });
            let mut notes = notes.unwrap_or_default();
            notes.extend(hand_over(context, &record, &pane));
            Ok(sure(context.row_after(name, Outcome::AlreadyRunning, Detail::of(notes.into_iter().map(Detail::from)))))
        }
        Go::No(reason) => Ok(sure(failed(context, name, &definition.harness, reason))),
        Go::Spawn => {
            if let Some(record) = &mut record {
                context.follow(record, None);
            }
            match Plan::make(context, &definition, record.as_ref()) {
                Ok(plan) => spawn(context, plan, record),
                Err(reason) => Ok(sure(failed(context, name, &definition.harness, reason))),
            }
        }
    }
}

/// Result that a start would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prospect {
    /// True if it would resume the recorded conversation.
    pub(super) resumes: bool,
    pub(super) note: Option<String>,
}

/// Returns what a start would spawn, or why it could not, without spawning anything.
pub(super) fn prospect(
    context: &Context,
    definition: &Definition,
    record: Option<&Record>,
) -> Result<Prospect, String> {
    let plan = Plan::make(context, definition, record)?;
    let mut notes = plan.notes();
    let resumed = plan.resumable(record);
    let gone =
        resumed.as_ref().and_then(|id| plan.adapter.transcript(&plan.place(context), id)).filter(|path| !path.exists());
    if let (Some(id), Some(path)) = (&resumed, &gone) {
        notes.push(format!(
            "the transcript of conversation {id} is missing ({}): starting a new conversation",
            path.display()
        ));
    }
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    Ok(Prospect { resumes: resumed.is_some() && gone.is_none(), note })
}

fn sure(row: Row) -> Start {
    Start { row, unsure: false }
}

/// Decision about a spawn.
enum Go {
    Spawn,
    /// The harness is already alive in that pane.
    Already(Box<Record>, Box<Pane>),
    No(Detail),
}

fn may_spawn(context: &Context, name: &SessionName, record: Option<&Record>) -> Go {
    let (mut condition, mut no_server) = condition(context, name, record);
    if let Condition::Dead(pane) = &condition {
        // Nothing runs in the dead pane, so it is closed to make room.
        (condition, no_server) = match context.clear_dead(name, pane) {
            Ok(()) => self::condition(context, name, record),
            Err(silence) => (Condition::Silent(silence), false),
        };
    }
    match (condition, record) {
        (Condition::Gone, _) => match no_server.then(|| context.lost_server()).flatten() {
            Some(server) => Go::No(Detail::from("not started").and(orphan::lost(&server))),
            None => Go::Spawn,
        },
        (Condition::Live(pane), Some(record)) => Go::Already(Box::new(record.clone()), Box::new(pane)),
        (condition, record) => Go::No(in_the_way(context, name, record, &condition)),
    }
}

/// Returns the reason why a session in that condition is not started, and what helps.
fn in_the_way(context: &Context, name: &SessionName, record: Option<&Record>, condition: &Condition) -> Detail {
    let look = || context.look_at(name);
    match condition {
        Condition::Silent(silence) => format!("tmux did not answer ({}): not started", silence.0).into(),
        Condition::Replaced(pane) => Detail::new(
            format!("{}: not started", replaced(pane)),
            [look(), Remedy::CloseAndStart { name: name.clone() }],
        ),
        Condition::Unrecorded(_) => Detail::from("not started").and(unrecorded(name)).and(Detail::new("", [look()])),
        Condition::Live(_) | Condition::Foreign(_) => {
            let which = if record.is_none() { "no record" } else { "not the one in the record" };
            let cause = format!("a tmux session that is not managed by the-loop has the name ({which}): not started");
            Detail::new(cause, [look()])
        }
        Condition::Dead(pane) => {
            let ended = context.how_it_ended(pane);
            Detail::new(format!("the tmux session still exists although {ended}: not started"), [look()])
        }
        Condition::Deserted { .. } => Detail::new(
            "its harness exited, but other panes of its tmux session are open: not started",
            [look(), Remedy::Stop { name: name.clone() }],
        ),
        Condition::Orphaned => Detail::from("not started again")
            .and(record.map(orphan::told).unwrap_or_default())
            .and(Detail::new("", [Remedy::Stop { name: name.clone() }])),
        Condition::Gone => Detail::default(),
    }
}

/// Returns the condition of the session. The flag is true if there was no tmux server.
fn condition(context: &Context, name: &SessionName, record: Option<&Record>) -> (Condition, bool) {
    let panes = context.look();
    let no_server = panes.as_ref().is_ok_and(|panes| panes.no_server);
    let entry = record.map_or(Entry::Vacant, |record| Entry::Recorded(Box::new(record.clone())));
    (context.judge(name, &entry, panes.as_ref()).condition, no_server)
}

/// Resumes, falls back to a new conversation, and records the result.
fn spawn(context: &Context, mut plan: Plan<'_>, before: Option<Record>) -> Result<Start, Error> {
    let name = plan.definition.name.clone();
    files::failpoint::at("start.planned");
    trust(context, &mut plan);
    let mut notes: Vec<Detail> = Vec::new();
    let mut record = plan.record(before.as_ref());
    let attempt = |plan: &Plan<'_>, record: &mut Record, conversation: Conversation| {
        attempt::make(context, plan, record, &conversation).inspect_err(|_| {
            // The intent could not be written, so nothing was spawned. The previous record is restored as far as
            // possible.
            let _ = restore(context, &name, before.clone());
        })
    };
    if let Some(id) = plan.resumable(before.as_ref()) {
        match attempt(&plan, &mut record, Conversation::Resumed(id.clone()))? {
            Attempt::Lives(proof) => {
                return succeeded(context, &plan, record, before, (Outcome::Resumed, proof), &notes);
            }
            Attempt::Unsure(reason) => return Ok(unsure(context, &plan, &reason)),
            Attempt::Refused(reason) => return give_up(context, &plan, before, reason),
            Attempt::Died(reason) => {
                resume_failed(context, &name, &id, &reason);
                notes.push(format!("could not resume conversation {id} ({reason}); started a new one").into());
            }
        }
        match plan.begin_afresh() {
            Ok(true) => trust(context, &mut plan),
            Ok(false) => {}
            Err(reason) => return give_up(context, &plan, before, reason),
        }
    }
    let id = match plan.new_id(context) {
        Ok(id) => id,
        Err(reason) => return give_up(context, &plan, before, reason),
    };
    match attempt(&plan, &mut record, Conversation::Fresh(id))? {
        Attempt::Lives(proof) => succeeded(context, &plan, record, before, (Outcome::Started, proof), &notes),
        Attempt::Unsure(reason) => Ok(unsure(context, &plan, &reason)),
        Attempt::Died(reason) => give_up(context, &plan, before, reason),
        Attempt::Refused(reason) => give_up(context, &plan, before, reason),
    }
}

fn resume_failed(context: &Context, name: &SessionName, id: &str, reason: &str) {
    context.emit(
        Event::new(Level::Warning, "standing.resume_failed")
            .with("standing", name.as_str())
            .with("harness_session_id", id)
            .with("error", reason),
    );
}

/// Marks the directory as trusted before the start. A failure is reported and does not prevent the start.
fn trust(context: &Context, plan: &mut Plan<'_>) {
    let Err(error) = plan.trust(context) else { return };
    context.emit(
        Event::new(Level::Warning, "workspace.trust_failed")
            .with("standing", plan.definition.name.as_str())
            .with("harness", plan.definition.harness.as_str())
            .with("cwd", plan.cwd.display().to_string())
            .with("error", error.as_str()),
    );
    plan.untrusted = Some(error);
}

fn succeeded(
    context: &Context,
    plan: &Plan<'_>,
    mut record: Record,
    before: Option<Record>,
    (outcome, proof): (Outcome, Proof),
    notes: &[Detail],
) -> Result<Start, Error> {
    record.keep_pending();
    record.phase = Some(Phase::Running);
    record.status = RecordStatus::Running;
    record.started_at = clock::now();
    let mut notes = notes.to_vec();
    notes.extend(plan.notes().into_iter().map(Detail::from));
    record.account = plan.account();
    Context::note_account(&mut record, plan.adapter.as_ref());
    if !context.learn(plan.adapter.as_ref(), &mut record) {
        notes.push("the conversation is not known yet; it is recorded at the next message or stop".into());
    }
    if plan.untrusted.is_none() {
        // For the next start.
        plan.keep_trusted(context);
    }
    files::failpoint::at("start.probed");
    if let Err(error) = context.registry.write(&record) {
        // The intent is on disk: the next verb finds the pane by its id and records it.
        notes.push(format!("started, but its record could not be written ({error})").into());
    }
    files::failpoint::at("start.recorded");
    let pane = context.condition(&record).live().cloned();
    // Evidence may precede the exit by moments: a session that has exited by now has not started.
    if proof == Proof::Brief && !attempt::is_still_up(context, plan, &record, pane.as_ref()) {
        let lived = record.process.as_ref().and_then(ProcessIdentity::age).unwrap_or_default();
        let reason = attempt::how_it_ended(context, &record, lived);
        return give_up(context, plan, before, reason);
    }
    let brief = pane
        .as_ref()
        .filter(|_| outcome == Outcome::Started)
        .and_then(|pane| brief::confirm(context, plan, &record, pane));
    notes.extend(brief.as_ref().and_then(|brief| brief.note(context.look_at(&record.name))));
    notes.extend(pane.iter().flat_map(|pane| hand_over(context, &record, pane)).map(Detail::from));
    let event = if outcome == Outcome::Resumed { "standing.resumed" } else { "standing.started" };
    let mut event = Event::info(event)
        .with("standing", record.name.as_str())
        .with("harness", record.harness.as_str())
        .with("harness_session_id", record.harness_session_id.as_str())
        .with("tmux_target", record.tmux_target.as_str())
        .with("cwd", record.cwd.as_str())
        .with("brief", brief.as_ref().map_or("", |brief| brief.verdict.as_str()));
    if !plan.left_out.is_empty() {
        event = event.with("left_out", plan.left_out.clone());
    }
    context.emit(event);
    files::failpoint::at("start.announced");
    let mut row = context.row_after(&record.name, outcome, Detail::of(notes));
    row.brief = brief.map(|brief| brief.verdict);
    Ok(sure(row))
}

/// Sends the messages that the previous harness did not accept.
fn hand_over(context: &Context, record: &Record, pane: &Pane) -> Vec<String> {
    let mut queue = Queue::open(context, &record.name);
    match context.harness(&record.harness) {
        Ok(harness) if queue.len() > 0 => queue.hand_over(context, record, harness.as_ref(), pane),
        _ => Vec::new(),
    }
}

fn unsure(context: &Context, plan: &Plan<'_>, reason: &str) -> Start {
    let name = &plan.definition.name;
    let detail = format!("{reason}: the session may still start; the next command on `{name}` checks");
    Start { row: failed(context, name, &plan.definition.harness, detail), unsure: true }
}

/// Restores the state before the start, since nothing is alive.
fn give_up(
    context: &Context,
    plan: &Plan<'_>,
    before: Option<Record>,
    reason: impl Into<Detail>,
) -> Result<Start, Error> {
    let name = &plan.definition.name;
    restore(context, name, before)?;
    Ok(sure(failed(context, name, &plan.definition.harness, reason)))
}

fn restore(context: &Context, name: &SessionName, before: Option<Record>) -> Result<(), Error> {
    let Some(mut record) = before else { return context.registry.remove(name) };
    record.phase = Some(if record.phase == Some(Phase::Created) { Phase::Created } else { Phase::Stopped });
    record.status = RecordStatus::Stopped;
    record.process = None;
    context.registry.write(&record)
}

fn failed(context: &Context, name: &SessionName, harness: &str, reason: impl Into<Detail>) -> Row {
    let reason = reason.into();
    context.emit(
        Event::error("standing.spawn_failed")
            .with("standing", name.as_str())
            .with("harness", harness)
            .with("tmux_target", name.tmux_session())
            .with("error", reason.text()),
    );
    context.row_after(name, Outcome::Failed, reason)
}
