//! Names of MCP clients. A client of the older revisions sends its name once, as it initialises, and its later requests
//! may use other connections. It is then recognised by its process.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// Number of names that are remembered; older ones are dropped.
const REMEMBERED: usize = 256;

/// Names of clients, by process.
#[derive(Debug, Default)]
pub(super) struct Clients(Mutex<VecDeque<(u32, String)>>);

impl Clients {
    /// Remembers the name of the client in a process; does nothing if the process is unknown.
    pub(super) fn remember(&self, process: Option<u32>, name: String) {
        let Some(process) = process.filter(|_| !name.trim().is_empty()) else { return };
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|(known, _)| *known != process);
        clients.push_back((process, name));
        let excess = clients.len().saturating_sub(REMEMBERED);
        clients.drain(..excess);
    }

    /// Returns the name of the client in a process.
    pub(super) fn name_of(&self, process: Option<u32>) -> Option<String> {
        let process = process?;
        let clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.iter().find(|(known, _)| *known == process).map(|(_, name)| name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_known_again_by_its_process() {
        let clients = Clients::default();
        clients.remember(None, "nobody".to_owned());
        clients.remember(Some(7), "first".to_owned());
        clients.remember(Some(7), "second".to_owned());
        assert_eq!(clients.name_of(Some(7)).as_deref(), Some("second"));
        assert_eq!((clients.name_of(Some(8)), clients.name_of(None)), (None, None));
        for process in 100..1000 {
            clients.remember(Some(process), "more".to_owned());
        }
        assert_eq!(clients.name_of(Some(7)), None, "bounded");
    }
}
