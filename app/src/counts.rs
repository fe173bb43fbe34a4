//! Counts of the sessions by state, and the sentences that tell them.

use wire::Row;

use crate::look::{Appearance, Group};

/// Sessions of one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) word: &'static str,
    pub(crate) mark: &'static str,
    pub(crate) group: Group,
    pub(crate) sessions: usize,
}

/// Counts of all sessions, in the order of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) counts: Vec<Count>,
    pub(crate) all: usize,
}

impl Summary {
    pub(crate) fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut looks: Vec<Appearance> = rows.map(Appearance::of).collect();
        let all = looks.len();
        looks.sort_by_key(Appearance::position);
        let mut counts: Vec<Count> = Vec::new();
        for look in looks {
            match counts.iter_mut().find(|count| count.word == look.word) {
                Some(count) => count.sessions += 1,
                None => counts.push(Count { word: look.word, mark: look.mark, group: look.group, sessions: 1 }),
            }
        }
        Self { counts, all }
    }

    /// Returns the number of sessions in a group.
    pub(crate) fn of_group(&self, group: Group) -> usize {
        self.counts.iter().filter(|count| count.group == group).map(|count| count.sessions).sum()
    }

    /// Returns the title of the page, which says how many sessions need someone.
    pub(crate) fn title(&self) -> String {
        match self.of_group(Group::Needs) {
            0 => "Standing · the-loop".to_owned(),
            needs => format!("({needs}) Standing · the-loop"),
        }
    }

    /// Returns one sentence for screen readers and for a list that cannot be seen.
    pub(crate) fn sentence(&self) -> String {
        let needs = self.of_group(Group::Needs);
        let sessions = if self.all == 1 { "session" } else { "sessions" };
        match (self.all, needs) {
            (0, _) => "Standing sessions".to_owned(),
            (all, 0) => format!("Standing sessions: none of {all} needs you"),
            (all, 1) => format!("Standing sessions: 1 of {all} {sessions} needs you"),
            (all, needs) => format!("Standing sessions: {needs} of {all} {sessions} need you"),
        }
    }

    pub(crate) fn words(&self) -> String {
        let parts: Vec<String> = self.counts.iter().map(|count| format!("{} {}", count.sessions, count.word)).collect();
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use wire::{Activity, State};

    use super::*;

    #[test]
    fn the_title_counts_those_who_need_someone() {
        let row = |activity| Row { state: State::Running, activity, ..Row::titled("x") };
        let (waiting, idle) = (row(Activity::Waiting), row(Activity::Idle));
        assert_eq!(Summary::of([&idle].into_iter()).title(), "Standing · the-loop");
        let both = Summary::of([&idle, &waiting].into_iter());
        assert_eq!(both.title(), "(1) Standing · the-loop");
        assert_eq!(both.sentence(), "Standing sessions: 1 of 2 sessions needs you");
        assert_eq!(both.words(), "1 waiting, 1 idle");
    }
}
