//! explain: each source of a session's state with its age, and why one of them counts.

use harness::signal::Signal;
use jiff::Timestamp;
use wire::{Explanation, SessionName, Source, State, Witness};

use super::{Context, get::get, obstacle::said, witness::Claim};
use crate::{Error, clock, state::Condition};

/// Explains the state of one session.
pub(crate) fn explain(context: &Context, name: &SessionName) -> Result<Explanation, Error> {
    let row = get(context, name)?;
    let entry = context.registry.read(name);
    let panes = context.look();
    let judged = context.judge(name, &entry, panes.as_ref());
    let mut witnesses = vec![tmux_witness(&row, &judged.condition)];
    let mut decision = None;
    if let (Condition::Live(pane), Some(record), Ok(adapter)) =
        (&judged.condition, entry.record(), context.harness(&row.harness))
    {
        let screen = context.tmux.capture(pane).into_result().ok().flatten();
        let conversation = row.harness_session_id.as_str();
        let claims = context.claims(adapter.as_ref(), Some(record), conversation, pane, screen.as_deref());
        decision = claims.decide();
        witnesses.extend(claims.all().map(by_claim));
        let signals = context.signals(adapter.as_ref(), record, conversation, pane.pid);
        witnesses.extend(signals.last().map(by_signal));
    }
    let (decided_by, why) = match (&row.blocked, decision) {
        (Some(blocked), _) => (None, format!("an obstacle counts more than an activity: {}", blocked.evidence)),
        (None, Some(decision)) => (Some(decision.winner.source), decision.why.to_owned()),
        (None, None) if row.state == State::Running => (None, "no source says what the harness is doing".to_owned()),
        (None, None) => (Some(Source::Tmux), row.reason.clone()),
    };
    let decided_by = row.blocked.as_ref().map_or(decided_by, |_| decided_by);
    Ok(Explanation {
        name: row.name.clone(),
        state: row.state,
        activity: row.activity,
        blocked: row.blocked.clone(),
        label: row.label().to_owned(),
        since: row.since.clone(),
        reason: row.reason.clone(),
        decided_by,
        why,
        witnesses,
    })
}

fn tmux_witness(row: &wire::Row, condition: &Condition) -> Witness {
    let says = match condition {
        Condition::Silent(silence) => format!("no answer ({})", silence.0),
        Condition::Live(pane) => format!("its pane {} is alive with process {}", pane.id, pane.pid),
        _ => row.state.about().to_owned(),
    };
    Witness { source: Source::Tmux, says, at: row.as_of.clone(), age: Some(0) }
}

fn by_claim(claim: &Claim) -> Witness {
    let question = claim.reading.question.lines().next().unwrap_or_default();
    let activity = claim.reading.activity.as_str();
    let says = if question.is_empty() { activity.to_owned() } else { format!("{activity}: {question}") };
    witness(claim.source, says, claim.at)
}

fn by_signal(signal: &Signal) -> Witness {
    witness(Source::Transcript, said(&signal.news), Some(signal.at))
}

fn witness(source: Source, says: String, at: Option<Timestamp>) -> Witness {
    let age = at.and_then(|at| u64::try_from(clock::timestamp().duration_since(at).as_secs().max(0)).ok());
    Witness { source, says, at: at.map(clock::at).unwrap_or_default(), age }
}
