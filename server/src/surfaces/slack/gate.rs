//! Gate before the panes. After a connection is opened, replies of a thread are typed only once the thread was read, so
//! that missed replies go before new ones.

use std::collections::HashSet;

use tokio::sync::watch;

use super::ts::Ts;

/// Threads that must be read before their replies are typed.
#[derive(Clone, Debug)]
enum Doors {
    /// All threads: the list is not known yet.
    Closed,
    /// The given threads.
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

/// The gate, closed at first.
#[derive(Debug)]
pub(super) struct Gate(watch::Sender<(u64, Doors)>);

/// Number of the greeting that last closed the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Greeting(u64);

impl Default for Gate {
    fn default() -> Self {
        Self(watch::Sender::new((0, Doors::Closed)))
    }
}

impl Gate {
    /// Closes the gate for threads: their replies wait until the threads were read.
    pub(super) fn close(&self, threads: impl IntoIterator<Item = Ts>) -> Greeting {
        let unread = Doors::Unread(threads.into_iter().collect());
        self.0.send_modify(|(greeting, doors)| (*greeting, *doors) = (*greeting + 1, unread));
        Greeting(self.0.borrow().0)
    }

    /// Opens the gate for a thread that was read and whose new replies are in its queue.
    pub(super) fn was_read(&self, thread: &Ts) {
        self.0.send_if_modified(|(_, doors)| match doors {
            Doors::Unread(threads) => threads.remove(thread),
            Doors::Closed => false,
        });
    }

    /// Opens the gate for all threads.
    pub(super) fn open(&self) {
        self.0.send_modify(|(_, doors)| *doors = Doors::Unread(HashSet::new()));
    }

    /// Opens the gate for all threads, unless there was another greeting since.
    pub(super) fn open_since(&self, greeting: Greeting) {
        if self.0.borrow().0 == greeting.0 {
            self.open();
        }
    }

    /// True if replies of a thread wait.
    pub(super) fn keeps_out(&self, thread: &Ts) -> bool {
        self.0.borrow().1.keeps_out(thread)
    }

    /// Waits until replies of a thread may be typed; false if the run ends first.
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
