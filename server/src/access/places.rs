//! Limits the number of connections, separately for each kind of caller: a kind that uses all of its places does not
//! affect the others.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::Peer;

/// Kind of caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Clients of the Unix socket, which only the service's user can use.
    Socket,
    /// Processes of the service's own user, or of root.
    Own,
    /// Processes of another user of this machine.
    User(u32),
    /// Other callers: other machines, and processes that have ended.
    Other,
    /// Callers that are answered with a refusal.
    TurnedAway,
}

/// All kinds together use fewer than the usual 1024 descriptors: 100 + 600 + 50 + 50 + 20.
impl Kind {
    pub(crate) fn of(peer: Peer) -> Self {
        match peer.uid() {
            _ if peer.is_local_socket() => Self::Socket,
            _ if peer.is_us() => Self::Own,
            Some(uid) => Self::User(uid),
            None => Self::Other,
        }
    }

    const fn limit(self) -> usize {
        match self {
            Self::Socket => 100,
            Self::Own => 600,
            Self::User(_) => 25,
            Self::Other => 50,
            Self::TurnedAway => 20,
        }
    }
}

/// Number of places of all other users together.
const USERS: usize = 50;

/// Places of a service. A clone shares them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(Arc<Mutex<BTreeMap<Kind, usize>>>);

/// A place, returned when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    kind: Kind,
    places: Places,
}

impl Places {
    /// Takes a place, if that kind has one left.
    pub(crate) fn take(&self, kind: Kind) -> Option<Place> {
        let mut taken = self.lock();
        let users: usize = taken.range(Kind::User(0)..=Kind::User(u32::MAX)).map(|(_, taken)| taken).sum();
        let of_kind = taken.get(&kind).copied().unwrap_or_default();
        if of_kind >= kind.limit() || (matches!(kind, Kind::User(_)) && users >= USERS) {
            return None;
        }
        taken.insert(kind, of_kind + 1);
        Some(Place { kind, places: self.clone() })
    }

    /// Locks the counts. They stay consistent if a holder panics, since each change is one call.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Kind, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        if let Some(of_kind) = taken.get_mut(&self.kind) {
            *of_kind -= 1;
            if *of_kind == 0 {
                taken.remove(&self.kind);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(places: &Places, kind: Kind) -> Vec<Place> {
        std::iter::from_fn(|| places.take(kind)).collect()
    }

    #[test]
    fn one_kind_of_caller_leaves_the_others_their_places() {
        let places = Places::default();
        let greedy: Vec<_> = (0..50).flat_map(|uid| all(&places, Kind::User(uid))).collect();
        assert_eq!(greedy.len(), USERS);
        let remote = all(&places, Kind::Other);
        let (socket, own) = (all(&places, Kind::Socket), all(&places, Kind::Own));
        assert_eq!((remote.len(), socket.len(), own.len()), (50, 100, 600));
        drop((greedy, remote));
        assert_eq!(all(&places, Kind::User(7)).len(), Kind::User(7).limit(), "given back");
    }
}
