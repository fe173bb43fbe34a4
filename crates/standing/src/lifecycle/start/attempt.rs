//! One attempt to start a harness: intent, spawn, probe.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use harness::{Harness, Screen};
use tmux::{Answer, KEPT_LIMIT, Pane, Spawn, SpawnAnswer, configured};
use wire::SessionName;

use crate::{
    Error, clock, hook,
    launcher::{self, LaunchSpec, SECRETS_LIMIT, discard, revoke, tidy},
    lifecycle::{Context, context::note_process, detail::Detail, screen::last_lines},
    process::{ProcessHold, ProcessIdentity},
    registry::{Phase, Record, RecordStatus},
};

use super::{
    brief::{self, Seen},
    hooks,
    plan::{Conversation, Plan},
};

/// Number of retries of a spawn whose server exited before it.
const SPAWNED_AGAIN: u32 = 3;

/// Time for a pane to show how its program ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Age at which a harness counts as up: a harness that is about to fail may accept its brief and draw its screen
/// first.
const SETTLED: Duration = Duration::from_millis(150);

/// Interval for checking a harness that has not drawn its screen yet.
const FIRST_SCREEN_INTERVAL: Duration = Duration::from_millis(50);

/// Result of an attempt.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The harness is alive.
    Lives(Proof),
    /// The harness exited before it proved to be alive, and its pane is closed.
    Died(String),
    /// Nothing was spawned.
    Refused(Detail),
    /// tmux stopped answering, and the launch could not be revoked: the harness may be alive.
    Unsure(String),
}

/// Proof that a harness is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Its transcript records its brief.
    Brief,
    /// It stayed alive for the whole probe.
    Probe,
}

/// Makes one attempt. On [`Attempt::Lives`] the record contains its process; the caller writes the record.
pub(super) fn make(
    context: &Context,
    plan: &Plan<'_>,
    record: &mut Record,
    conversation: &Conversation,
) -> Result<Attempt, Error> {
    let loop_id = uuid::Uuid::new_v4().to_string();
    let hooks = plan.hooks(context, &loop_id);
    let args = hooks.as_ref().map_or(&plan.definition.harness_args, |hooks| &hooks.args);
    let argv = match plan.argv(context, conversation, args) {
        Ok(argv) => argv,
        Err(reason) => return Ok(Attempt::Refused(reason.into())),
    };
    let name = &plan.definition.name;
    crate::lifecycle::stop::sweep_leftovers(context, record);
    hook::forget(&context.registry.hooks_dir(), &record.loop_id);
    record.loop_id.clone_from(&loop_id);
    record.spawned_at = clock::now();
    record.process = None;
    record.phase = Some(Phase::Starting);
    record.status = RecordStatus::Stopped;
    record.pending = match conversation {
        Conversation::Fresh(id) => Some(plan.pending(id)),
        Conversation::Resumed(_) => None,
    };
    // Order matters: everything that can fail for lack of space comes first, the intent last of it, and then the
    // spawn.
    tidy(&context.registry.launch_dir());
    let mut spec = LaunchSpec::new(argv, &plan.cwd, name, &loop_id, &plan.environment, &context.secrets());
    spec.mark(&context.mark);
    spec.add_missing(plan.adapter.vars());
    spec.define(&plan.definition.env, &plan.environment, plan.secrets.clone());
    if let Some(hooks) = &hooks {
        hooks::write(context, &loop_id, hooks)?;
    }
    let spec = spec.write(&context.registry.launch_dir(), &loop_id)?;
    files::failpoint::at("start.permitted");
    if let Err(error) = context.registry.write(record) {
        discard(&spec);
        return Err(error);
    }
    files::failpoint::at("start.intended");
    if plan.untrusted.is_none() {
        plan.keep_trusted(context);
    }
    let attempt = spawn(context, plan, record, conversation, &spec);
    if !matches!(attempt, Attempt::Lives(_) | Attempt::Unsure(_)) {
        discard(&spec);
    }
    Ok(attempt)
}

/// Spawns, and waits for the result.
fn spawn(context: &Context, plan: &Plan<'_>, record: &mut Record, conversation: &Conversation, spec: &Path) -> Attempt {
    let name = &plan.definition.name;
    let loop_id = record.loop_id.clone();
    let kept = record.in_brief(KEPT_LIMIT).unwrap_or_default();
    let spawn = Spawn { name, loop_id: &loop_id, root: &context.mark, kept: &kept, cwd: &plan.cwd, spec };
    let mut spawned = context.tmux.spawn(&spawn);
    for _ in 0..SPAWNED_AGAIN {
        // While the spec exists, nothing has run.
        if spawned == Answer::Said(SpawnAnswer::ServerEnded) && spec.exists() {
            spawned = context.tmux.spawn(&spawn);
        }
    }
    match spawned {
        Answer::Said(SpawnAnswer::Spawned | SpawnAnswer::ServerEnded) => {
            files::failpoint::at("start.spawned");
            probe(context, record, plan, conversation, spec)
        }
        Answer::Said(SpawnAnswer::NameTaken) => Attempt::Refused(Detail::new(
            "another tmux session took the name in the meantime: not started",
            [context.look_at(name)],
        )),
        Answer::Said(SpawnAnswer::Refused(reason)) => {
            Attempt::Refused(format!("tmux could not start it: {reason}").into())
        }
        // Silence is not absence: the session may appear later. Without its spec it would run nothing.
        Answer::Silent(silence) if revoke(spec) => {
            Attempt::Refused(format!("tmux did not answer ({}): not started", silence.0).into())
        }
        // It was launched anyway.
        Answer::Silent(_) => probe(context, record, plan, conversation, spec),
    }
}

/// Waits until the harness has proven to be alive.
fn probe(context: &Context, record: &mut Record, plan: &Plan<'_>, conversation: &Conversation, spec: &Path) -> Attempt {
    let name = &plan.definition.name;
    let begun = Instant::now();
    let pane = match find(context, record, name) {
        Ok(pane) => pane,
        Err(reason) => return Attempt::Unsure(reason),
    };
    let Some(pane) = pane else {
        return Attempt::Died(swept(context, record, vanished(context)));
    };
    files::failpoint::at("start.found");
    let held = ProcessHold::of(pane.pid).filter(|held| plan.secrets.is_empty() || launched(held, spec));
    let held = held.filter(|_| !pane.dead);
    if let Some(held) = &held
        && let Some(proof) = proves_to_live(context, plan, record, conversation, &pane, held)
    {
        note_process(record, Some(held.identity.clone()), &pane);
        context.tmux.end_drain(&pane);
        return Attempt::Lives(proof);
    }
    let ended = how_it_ended(context, record, begun.elapsed());
    // Its harness was not run, which says nothing about the conversation.
    launcher::failure(spec).map_or(Attempt::Died(ended), |reason: String| Attempt::Refused(reason.into()))
}

/// Waits until a harness has proven to be alive; `None` if it exited first.
///
/// A new conversation is proven once the transcript records its brief. A resumed one writes nothing like that, and
/// may still find that the conversation is missing. So it is probed, as is a new one that leaves no such evidence.
fn proves_to_live(
    context: &Context,
    plan: &Plan<'_>,
    record: &Record,
    conversation: &Conversation,
    pane: &Pane,
    held: &ProcessHold,
) -> Option<Proof> {
    let probe = context.settings().routing.tmux.probe;
    let seen = match conversation {
        Conversation::Fresh(_) if !probe.is_zero() => brief::await_taken(context, plan, record, held, probe),
        Conversation::Fresh(_) | Conversation::Resumed(_) if held.wait(probe) => Seen::Ended,
        Conversation::Fresh(_) | Conversation::Resumed(_) => Seen::Nothing,
    };
    match seen {
        Seen::Taken => Some(Proof::Brief),
        Seen::Ended => None,
        Seen::Nothing => comes_up(context, pane, held, plan.adapter.as_ref(), Title::Counts).then_some(Proof::Probe),
    }
}

/// True if a harness that accepted its brief is still up a moment later, before its start is reported: alive, and
/// with its screen drawn. A silent tmux does not count against it.
pub(super) fn is_still_up(context: &Context, plan: &Plan<'_>, record: &Record, pane: Option<&Pane>) -> bool {
    let Some(held) = record.process.as_ref().and_then(ProcessIdentity::hold) else { return false };
    if held.wait(SETTLED.saturating_sub(held.identity.age().unwrap_or_default())) {
        return false;
    }
    pane.is_none_or(|pane| comes_up(context, pane, &held, plan.adapter.as_ref(), Title::DoesNotCount))
}

/// Describes how a harness ended that lived for the given time, with its last output. Ends its leftover processes and
/// closes its pane.
pub(super) fn how_it_ended(context: &Context, record: &Record, lived: Duration) -> String {
    swept(context, record, last_words(context, record, &record.name, lived))
}

/// Waits for a launch to read its secrets. False if the launch exited meanwhile.
fn launched(held: &ProcessHold, spec: &Path) -> bool {
    let deadline = Instant::now() + SECRETS_LIMIT + LAST_WORDS;
    while launcher::is_under_way(spec) && Instant::now() < deadline {
        if held.wait(FIRST_SCREEN_INTERVAL) {
            return false;
        }
    }
    true
}

/// Describes why a session may be gone together with its pane, which is normally kept.
fn vanished(context: &Context) -> String {
    let mut suspects = context.tmux.ending_options();
    suspects.extend(
        configured(&context.surroundings).into_iter().map(|(file, line)| format!("{line} ({})", file.display())),
    );
    let how = "it exited at once, and its pane closed";
    if suspects.is_empty() {
        return how.to_owned();
    }
    format!("{how}; tmux is configured to end sessions: {}", suspects.join(", "))
}

/// Ends the leftover processes of an exited harness, and adds their number to the reason.
fn swept(context: &Context, record: &Record, reason: String) -> String {
    match crate::lifecycle::stop::sweep_leftovers(context, record) {
        0 => reason,
        leftovers => format!("{reason}; ended {leftovers} leftover process(es)"),
    }
}

/// Use of the title as evidence that a harness is up. A title may outlast the harness that set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Title {
    Counts,
    DoesNotCount,
}

/// True if a harness that has proven to be alive lives until its first screen, or for the time that the screen may
/// take. If the probe is off, it does not wait.
fn comes_up(context: &Context, pane: &Pane, held: &ProcessHold, adapter: &dyn Harness, title: Title) -> bool {
    let deadline = Instant::now() + adapter.draws_within();
    while !context.settings().routing.tmux.probe.is_zero() && Instant::now() < deadline {
        let shown = context.tmux.shown(pane).into_result().ok().flatten().unwrap_or_default();
        let title = if title == Title::Counts { shown.title.as_str() } else { "" };
        if adapter.is_up(Screen { text: &shown.text, title }) != Some(false) {
            break;
        }
        if held.wait(FIRST_SCREEN_INTERVAL) {
            return false;
        }
    }
    !held.wait(Duration::ZERO)
}

fn find(context: &Context, record: &Record, name: &SessionName) -> Result<Option<Pane>, String> {
    let panes = context.look().map_err(|silence| format!("tmux did not answer ({})", silence.0))?;
    Ok(panes.of(name).iter().find(|pane| pane.pane_loop_id == record.loop_id).cloned())
}

/// Describes how the harness ended, with its last output. Then closes its pane to make room.
fn last_words(context: &Context, record: &Record, name: &SessionName, lived: Duration) -> String {
    let deadline = Instant::now() + LAST_WORDS;
    loop {
        let Ok(Some(pane)) = find(context, record, name) else {
            return format!("it exited within {:.1} s, and its pane closed", lived.as_secs_f64());
        };
        // tmux reports `pane_dead` before it knows the status, so look again.
        if !pane.is_told() && Instant::now() < deadline {
            context.tmux.wake(&pane);
            std::thread::sleep(Duration::from_millis(20));
            continue;
        }
        let how = match (pane.exit_status, pane.exit_signal) {
            (Some(status), _) => format!("status {status}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "unknown exit status".to_owned(),
        };
        let screen = context.tmux.capture(&pane).into_result().ok().flatten().unwrap_or_default();
        let _ = context.tmux.clear_dead(name, &pane);
        let said = last_lines(&without_blank_lines(&screen), 4);
        let said = if said.is_empty() { String::new() } else { format!(", last output: {said}") };
        return format!("it exited within {:.1} s with {how}{said}", lived.as_secs_f64());
    }
}

fn without_blank_lines(screen: &str) -> String {
    screen.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
