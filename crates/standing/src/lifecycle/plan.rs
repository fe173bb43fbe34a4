//! plan: compares config, registry and tmux, and returns what a start would do. It changes nothing.

use wire::{PlannedAction, PlannedSession, Remedy, SessionName};

use super::{
    Context,
    detail::Detail,
    list::{Everything, everything},
    recognise::unrecorded,
    start::{self, Prospect},
};
use crate::{
    Error,
    definition::Definition,
    registry::{Entry, Origin, Phase},
    state::{Condition, how_it_ended, replaced},
};

/// Returns what a start of everything would do with each session, sorted by name.
pub(crate) fn plan(context: &Context) -> Result<Vec<PlannedSession>, Error> {
    let Everything { entries, judged } = everything(context)?;
    let planned = entries.iter().zip(&judged).map(|((name, entry), judged)| {
        let definition = context.definitions().known(name, entry.record());
        let considered = Planned {
            entry,
            definition: definition.as_ref(),
            condition: &judged.condition,
            block_enabled: context.settings().standing_enabled,
            config: &context.config_file(),
            name,
            look: context.look_at(name),
        };
        let (action, detail) = considered.step(|definition| start::prospect(context, definition, entry.record()));
        PlannedSession {
            name: name.to_string(),
            declared: definition.as_ref().is_some_and(|definition| definition.declared),
            recorded: recorded(entry).to_owned(),
            state: judged.word,
            auto_start: definition.as_ref().is_some_and(|definition| definition.auto_start),
            harness: definition.map(|definition| definition.harness).unwrap_or_default(),
            action,
            detail: detail.text(),
            remedies: detail.remedies,
        }
    });
    Ok(planned.collect())
}

fn recorded(entry: &Entry) -> &'static str {
    match entry {
        Entry::Vacant => "",
        Entry::Unreadable(_) => "unreadable",
        Entry::Recorded(record) => match (record.phase, record.status) {
            (Some(phase), _) => phase.as_str(),
            (None, crate::registry::RecordStatus::Running) => "running",
            (None, crate::registry::RecordStatus::Stopped) => "stopped",
        },
    }
}

/// Facts about one session.
struct Planned<'a> {
    entry: &'a Entry,
    definition: Option<&'a Definition>,
    condition: &'a Condition,
    block_enabled: bool,
    config: &'a str,
    name: &'a SessionName,
    /// Look at its tmux session.
    look: Remedy,
}

impl Planned<'_> {
    /// Returns what a start would do, and why. `prospect` is called only if a start would come as far as a spawn.
    fn step(&self, prospect: impl FnOnce(&Definition) -> Result<Prospect, String>) -> (PlannedAction, Detail) {
        if let Entry::Unreadable(reason) = self.entry {
            return (PlannedAction::Fail, format!("could not read its record: {reason}").into());
        }
        if let Condition::Unrecorded(_) = self.condition {
            return (PlannedAction::Fail, unrecorded(self.name));
        }
        let Some(definition) = self.definition else { return (PlannedAction::Leave, Detail::default()) };
        if let Some(why) = self.left_alone(definition) {
            let running = matches!(self.condition, Condition::Live(_));
            return (if running { PlannedAction::LeaveRunning } else { PlannedAction::Leave }, why);
        }
        let phase = self.entry.record().and_then(|record| record.phase);
        let unfinished = match phase {
            Some(Phase::Deleting) if !definition.declared => {
                return (
                    PlannedAction::Fail,
                    "finishes an interrupted delete: then the session no longer exists".into(),
                );
            }
            Some(Phase::Stopping) => "finishes an interrupted stop first".to_owned(),
            Some(Phase::Deleting) => "finishes an interrupted delete first".to_owned(),
            _ => String::new(),
        };
        match self.in_the_way(unfinished.is_empty()) {
            Some(answer) => answer,
            None => match prospect(definition) {
                Ok(Prospect { resumes, note }) => {
                    let action = if resumes { PlannedAction::Resume } else { PlannedAction::Start };
                    let cleared = match self.condition {
                        Condition::Dead(pane) => format!("{}; its pane is closed first", how_it_ended(pane)),
                        _ => String::new(),
                    };
                    let notes = [unfinished, cleared, note.unwrap_or_default()];
                    (action, Detail::of(notes.into_iter().map(Detail::from)))
                }
                Err(reason) => (PlannedAction::Fail, reason.into()),
            },
        }
    }

    /// Returns the reason why a start skips the session, if it does.
    fn left_alone(&self, definition: &Definition) -> Option<Detail> {
        if definition.declared && !self.block_enabled {
            let (file, key) = (self.config.to_owned(), "standingSessions.enabled".to_owned());
            let enable = Remedy::Configure { file, key, value: Some("true".to_owned()) };
            return Some(Detail::new("`standingSessions.enabled` is false", [enable]));
        }
        if definition.auto_start {
            return None;
        }
        let no_longer_declared =
            !definition.declared && self.entry.record().is_some_and(|record| record.origin == Origin::Declared);
        Some(if no_longer_declared { "no longer declared".into() } else { "its `autoStart` is false".into() })
    }

    /// Returns the obstacle to a spawn, if there is one. `settled` is false if the start would finish another
    /// operation first.
    fn in_the_way(&self, settled: bool) -> Option<(PlannedAction, Detail)> {
        let fail = |why: Detail| Some((PlannedAction::Fail, why));
        let look_at = |cause: &str| fail(Detail::new(cause, [self.look.clone()]));
        match self.condition {
            Condition::Gone | Condition::Dead(_) => None,
            // A stop that is finished first ends it.
            Condition::Live(_) | Condition::Orphaned | Condition::Deserted { .. } if !settled => None,
            Condition::Live(_) => Some((PlannedAction::LeaveRunning, Detail::default())),
            Condition::Silent(silence) => fail(format!("tmux did not answer ({})", silence.0).into()),
            Condition::Unrecorded(_) => fail(unrecorded(self.name)),
            Condition::Foreign(_) => look_at("a tmux session that is not managed by the-loop has its name"),
            Condition::Replaced(pane) => look_at(&replaced(pane)),
            Condition::Deserted { .. } => look_at("its harness exited, but other panes of its tmux session are open"),
            Condition::Orphaned => {
                fail(Detail::new("its process is running, but its tmux session was not found", [Remedy::Doctor]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, path::PathBuf};

    use wire::SessionName;

    use super::*;
    use tmux::{Pane, Silence};

    use crate::{brief::Brief, registry::Record};

    fn name() -> SessionName {
        SessionName::parse("ops").expect("valid")
    }

    fn definition(declared: bool, auto_start: bool) -> Definition {
        Definition {
            name: name(),
            declared,
            description: String::new(),
            harness: "demo".to_owned(),
            harness_args: Vec::new(),
            harness_args_inherited: true,
            cwd: PathBuf::from("/"),
            brief: Brief::Text(String::new()),
            auto_start,
            slack_enabled: false,
            slack_channel: String::new(),
            env: BTreeMap::new(),
            secrets: BTreeMap::new(),
        }
    }

    fn record(phase: Phase, origin: Origin) -> Entry {
        let mut record = Record::new(&name(), String::new());
        (record.phase, record.origin) = (Some(phase), origin);
        Entry::Recorded(Box::new(record))
    }

    fn step(
        definition: &Definition,
        entry: &Entry,
        condition: &Condition,
        enabled: bool,
        resumes: bool,
    ) -> PlannedAction {
        let considered = Planned {
            entry,
            definition: Some(definition),
            condition,
            block_enabled: enabled,
            config: "the config",
            name: &name(),
            look: Remedy::Doctor,
        };
        considered.step(|_| Ok(Prospect { resumes, note: None })).0
    }

    #[test]
    fn what_a_start_would_do() {
        use PlannedAction::{Fail, Leave, LeaveRunning, Resume, Start};
        let (live, dead) = (Condition::Live(Pane::default()), Condition::Dead(Pane::default()));
        let silent = Condition::Silent(Silence("why".to_owned()));
        let stopped = record(Phase::Stopped, Origin::Created);
        let declared = definition(true, true);
        let created = definition(false, true);
        for (given, definition, entry, condition, enabled, resumes, expected) in [
            ("declared, new", &declared, &Entry::Vacant, &Condition::Gone, true, false, Start),
            ("declared, block off", &declared, &Entry::Vacant, &Condition::Gone, false, false, Leave),
            ("declared, block off, runs", &declared, &stopped, &live, false, false, LeaveRunning),
            ("declared, no autoStart", &definition(true, false), &Entry::Vacant, &Condition::Gone, true, false, Leave),
            ("created, block off", &created, &stopped, &Condition::Gone, false, true, Resume),
            ("created, runs", &created, &record(Phase::Running, Origin::Created), &live, true, true, LeaveRunning),
            ("its pane is dead", &created, &stopped, &dead, true, true, Resume),
            ("tmux is silent", &created, &stopped, &silent, true, true, Fail),
            ("somebody else's", &created, &stopped, &Condition::Foreign(Pane::default()), true, true, Fail),
            ("orphaned", &created, &stopped, &Condition::Orphaned, true, true, Fail),
            ("a stop cut short", &created, &record(Phase::Stopping, Origin::Created), &live, true, true, Resume),
            ("a delete cut short", &created, &record(Phase::Deleting, Origin::Created), &live, true, true, Fail),
            ("unreadable", &created, &Entry::Unreadable("why".to_owned()), &Condition::Gone, true, true, Fail),
        ] {
            assert_eq!(step(definition, entry, condition, enabled, resumes), expected, "{given}");
        }
    }

    #[test]
    fn one_that_is_not_declared_any_more_is_left_and_the_reason_says_so() {
        let (entry, definition) = (record(Phase::Stopped, Origin::Declared), definition(false, false));
        let considered = Planned {
            entry: &entry,
            definition: Some(&definition),
            condition: &Condition::Gone,
            block_enabled: true,
            config: "the config",
            name: &name(),
            look: Remedy::Doctor,
        };
        let (action, why) = considered.step(|_| unreachable!("nothing would be spawned"));
        assert_eq!((action, why.cause.as_str()), (PlannedAction::Leave, "no longer declared"));
    }

    #[test]
    fn a_start_that_cannot_be_made_fails_with_its_reason() {
        let definition = definition(true, true);
        let considered = Planned {
            entry: &Entry::Vacant,
            definition: Some(&definition),
            condition: &Condition::Gone,
            block_enabled: true,
            config: "the config",
            name: &name(),
            look: Remedy::Doctor,
        };
        let answer = considered.step(|_| Err("no such program".to_owned()));
        assert_eq!(answer, (PlannedAction::Fail, "no such program".into()));
    }
}
