//! Service that `--service` names. Calls are first checked on this machine.

use std::time::Duration;

use client::Client;
use engine::{Refusal, StandingApi};
use standing::TheLoop;
use wire::{
    AnswerRequest, ControlReport, ControlRequest, CreateRequest, DeleteRequest, Explanation, History, Problem, Remedy,
    Row, SayReceipt, SayRequest, Turn,
};

/// Reason why a call to a service was not made or was refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// This machine refuses the call.
    #[error(transparent)]
    Here(#[from] standing::Error),
    /// The service refused the call, or could not be reached.
    #[error(transparent)]
    There(#[from] client::Error),
}

impl Refusal for Error {
    fn problem(&self) -> Option<Problem> {
        match self {
            Self::Here(error) => Refusal::problem(error),
            Self::There(error) => error.problem(),
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Here(error) => error.remedies(),
            Self::There(error) => error.remedies(),
        }
    }
}

/// Client of a service, over HTTP or its socket.
pub(super) struct Service {
    client: Client,
    /// Instance of this machine. The service may be on another machine, which cannot see that the caller runs inside a
    /// session here.
    here: TheLoop,
}

impl Service {
    /// Creates a client for an address. If the service needs a token, it is that of this instance's state folder.
    pub(super) fn at(address: &str, the_loop: &TheLoop) -> Result<Self, client::Error> {
        let token = the_loop.config().settings.state_root.join("local/service.token");
        let client = Client::new(address)?.with_token_file(token);
        Ok(Self { client, here: the_loop.clone() })
    }

    fn may(&self, doing: &'static str) -> Result<(), Error> {
        Ok(self.here.standing().may_control(doing)?)
    }
}

impl StandingApi for Service {
    type Error = Error;

    async fn list(&self) -> Result<Vec<Row>, Error> {
        Ok(self.client.list().await?)
    }

    async fn get(&self, name: &str) -> Result<Row, Error> {
        Ok(self.client.get(name).await?)
    }

    async fn explain(&self, name: &str) -> Result<Explanation, Error> {
        Ok(self.client.explain(name).await?)
    }

    async fn screen(&self, name: &str, lines: usize) -> Result<String, Error> {
        Ok(self.client.screen(name, lines).await?)
    }

    async fn create(&self, request: &CreateRequest) -> Result<ControlReport, Error> {
        self.may("create sessions")?;
        Ok(self.client.create(request).await?)
    }

    async fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Error> {
        self.may("delete sessions")?;
        Ok(self.client.delete(request).await?)
    }

    async fn control(&self, request: &ControlRequest) -> Result<ControlReport, Error> {
        self.may("start or stop sessions")?;
        Ok(self.client.control(request).await?)
    }

    async fn start_all(&self) -> Result<ControlReport, Error> {
        self.may("start sessions")?;
        Ok(self.client.start_all().await?)
    }

    async fn stop_all(&self) -> Result<ControlReport, Error> {
        self.may("stop sessions")?;
        Ok(self.client.stop_all().await?)
    }

    async fn say(&self, request: &SayRequest) -> Result<SayReceipt, Error> {
        if request.force {
            self.may("send a message with force")?;
        }
        Ok(self.client.say(request).await?)
    }

    async fn turn(&self, name: &str, id: &str, wait: Duration) -> Result<Turn, Error> {
        Ok(self.client.turn(name, id, wait).await?)
    }

    async fn history(&self, name: &str, limit: usize) -> Result<History, Error> {
        Ok(self.client.history(name, limit).await?)
    }

    async fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Error> {
        self.may("answer a session's question")?;
        Ok(self.client.answer(request).await?)
    }
}
