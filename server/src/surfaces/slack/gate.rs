//! The gate before the panes: on a new connection a reply is typed once its thread was read, so that what was missed
//! goes before what comes now.

use std::collections::HashSet;

use tokio::sync::watch;

use super::ts::Ts;

/// Which threads are still to be read before their replies are typed.
#[derive(Clone, Debug)]
enum Doors {
    /// All of them: it is not known yet.
    Closed,
    /// These.
    Unread(HashSet<Ts>),
}

impl Doors {
    fn keeps_out(&self, thread: &Ts) -> bool {
        match self {
            Self::Closed => true,
            Self::Unread(threads) => threads.contains(thread),
        }
    }
}

/// The gate. Closed at first.
#[derive(Debug)]
pub(super) struct Gate(watch::Sender<(u64, Doors)>);

/// Until when the gate is closed for threads: the greeting that closed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Greeting(u64);

impl Default for Gate {
    fn default() -> Self {
        Self(watch::Sender::new((0, Doors::Closed)))
    }
}

impl Gate {
    /// Replies of these threads wait until they were read.
    pub(super) fn close(&self, threads: impl IntoIterator<Item = Ts>) -> Greeting {
        let unread = Doors::Unread(threads.into_iter().collect());
        self.0.send_modify(|(greeting, doors)| (*greeting, *doors) = (*greeting + 1, unread));
        Greeting(self.0.borrow().0)
    }

    /// A thread was read, and what was new in it is in its lane.
    pub(super) fn was_read(&self, thread: &Ts) {
        self.0.send_if_modified(|(_, doors)| match doors {
            Doors::Unread(threads) => threads.remove(thread),
            Doors::Closed => false,
        });
    }

    /// No reply waits any more.
    pub(super) fn open(&self) {
        self.0.send_modify(|(_, doors)| *doors = Doors::Unread(HashSet::new()));
    }

    /// The same, unless there was another greeting since.
    pub(super) fn open_since(&self, greeting: Greeting) {
        if self.0.borrow().0 == greeting.0 {
            self.open();
        }
    }

    /// True if replies of a thread wait.
    pub(super) fn keeps_out(&self, thread: &Ts) -> bool {
        self.0.borrow().1.keeps_out(thread)
    }

    /// Waits until replies of a thread may be typed; false if that never comes.
    pub(super) async fn pass(&self, thread: &Ts) -> bool {
        self.0.subscribe().wait_for(|(_, doors)| !doors.keeps_out(thread)).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_waits_for_its_own_reading_alone() {
        let [one, two] = ["1.000000", "2.000000"].map(|text| Ts::parse(text).expect("a stamp"));
        let gate = Gate::default();
        assert!(gate.keeps_out(&one));
        let first = gate.close([one.clone(), two.clone()]);
        gate.was_read(&one);
        assert!(!gate.keeps_out(&one) && gate.keeps_out(&two));
        let second = gate.close([two.clone()]);
        gate.open_since(first);
        assert!(gate.keeps_out(&two), "it was closed again since");
        gate.open_since(second);
        assert!(!gate.keeps_out(&two));
    }
}
