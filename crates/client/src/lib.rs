//! Client for a service of the-loop over HTTP or its Unix socket. It has the same calls as the core.
//!
//! ```no_run
//! use client::{Client, StandingApi as _};
//!
//! # async fn example() -> Result<(), client::Error> {
//! let the_loop = Client::new("http://127.0.0.1:4114")?;
//! for session in the_loop.list().await? {
//!     println!("{} {:?}", session.name, session.state);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`StandingApi`] is implemented by the core as well (`standing::TheLoop` with its feature `async`), so a program
//! works with either of the two. This crate must not decide anything: the answers of the service are returned
//! unchanged.

mod address;
mod call;
mod error;
mod parse;
mod token;

use std::{path::PathBuf, time::Duration};

use http::Method;
use serde::{Serialize, de::DeserializeOwned};
pub use wire::{
    Activity, AnswerRequest, Block, Blocked, Choice, ControlBody, ControlReport, ControlRequest, ControlVerb,
    CreateRequest, DeleteRequest, Explanation, History, Outcome, Problem, ProblemCode, Refusal, Row, SayReceipt,
    SayRequest, StandingApi, State, Status, Turn, TurnState,
};

pub use address::Address;
pub use error::Error;
use token::Token;

/// Default timeout for a verb: starting and stopping many sessions takes a while.
const PATIENCE: Duration = Duration::from_mins(5);

/// Default timeout for a read: usually a moment, and some seconds while tmux is slow.
const PATIENCE_OF_READS: Duration = Duration::from_secs(15);

/// Client of one service. Cheap to clone; each call opens its own connection.
#[derive(Clone, Debug)]
pub struct Client {
    address: Address,
    token: Token,
    patience: Option<Duration>,
}

/// Health of a service.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[non_exhaustive]
pub struct Health {
    /// Status, always `ok`.
    pub status: String,
    /// Version of the service.
    pub version: String,
}

impl Client {
    /// Returns a client for an address: `http://127.0.0.1:4114`, or `unix:` and the path of a socket.
    pub fn new(address: &str) -> Result<Self, Error> {
        Ok(Self::at(Address::parse(address)?))
    }

    /// Returns a client for a parsed address.
    pub fn at(address: Address) -> Self {
        Self { address, token: Token::None, patience: None }
    }

    /// Sends this token, for a service with `service.auth.mode: token`.
    #[must_use]
    pub fn with_token(self, token: impl Into<String>) -> Self {
        Self { token: Token::Given(token.into()), ..self }
    }

    /// Sends the token in a file, which is read again for each call: `local/service.token` below the state folder of
    /// the service. If the file does not exist, no token is sent, since other modes need none.
    #[must_use]
    pub fn with_token_file(self, file: impl Into<PathBuf>) -> Self {
        Self { token: Token::File(file.into()), ..self }
    }

    /// Sets the timeout of each call, instead of five minutes for a verb and 15 s for a read.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience: Some(patience), ..self }
    }

    /// Returns the address of the service.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Checks that the service is up, and returns its status and version.
    pub async fn health(&self) -> Result<Health, Error> {
        self.get_from("/api/v1/health").await
    }

    async fn get_from<A: DeserializeOwned>(&self, path: &str) -> Result<A, Error> {
        self.ask(Method::GET, path, Vec::new(), Duration::ZERO).await
    }

    async fn post<A: DeserializeOwned>(&self, verb: &str, request: &impl Serialize) -> Result<A, Error> {
        let body = serde_json::to_vec(request).map_err(|error| Error::Answer(error.to_string()))?;
        self.ask(Method::POST, &format!("{SESSIONS}/{verb}"), body, Duration::ZERO).await
    }

    fn patience_for(&self, method: &Method) -> Duration {
        let usual = if *method == Method::GET { PATIENCE_OF_READS } else { PATIENCE };
        self.patience.unwrap_or(usual)
    }

    /// Calls the service. `wait` is the time that the service itself waits before it answers.
    async fn ask<A: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
        wait: Duration,
    ) -> Result<A, Error> {
        let token = self.token.read()?;
        let (looks, waited) = (method == Method::GET, self.patience_for(&method).saturating_add(wait));
        let asked = call::call(&self.address, token.as_deref(), method, path, body);
        let answer = match tokio::time::timeout(waited, asked).await {
            Ok(answer) => answer?,
            Err(_) if looks => return Err(Error::Silent { address: self.address.clone(), waited }),
            Err(_) => return Err(Error::Patience { address: self.address.clone(), waited }),
        };
        serde_json::from_slice(&answer).map_err(|error| Error::Answer(error.to_string()))
    }
}

const SESSIONS: &str = "/api/v1/standing-sessions";

fn every_session(verb: ControlVerb) -> ControlBody {
    ControlBody { name: String::new(), verb: verb.as_str().to_owned(), all: Some(true) }
}

fn query(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// Answer `{name, text}`, of which only the text is used.
#[derive(serde::Deserialize)]
struct Screen {
    text: String,
}

impl StandingApi for Client {
    type Error = Error;

    async fn list(&self) -> Result<Vec<Row>, Error> {
        self.get_from(SESSIONS).await
    }

    async fn get(&self, name: &str) -> Result<Row, Error> {
        self.get_from(&format!("{SESSIONS}/one?{}", query(&[("name", name)]))).await
    }

    async fn explain(&self, name: &str) -> Result<Explanation, Error> {
        self.get_from(&format!("{SESSIONS}/explain?{}", query(&[("name", name)]))).await
    }

    async fn screen(&self, name: &str, lines: usize) -> Result<String, Error> {
        let query = query(&[("name", name), ("lines", &lines.to_string())]);
        let screen: Screen = self.get_from(&format!("{SESSIONS}/screen?{query}")).await?;
        Ok(screen.text)
    }

    async fn create(&self, request: &CreateRequest) -> Result<ControlReport, Error> {
        self.post("create", request).await
    }

    async fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Error> {
        self.post("delete", request).await
    }

    async fn control(&self, request: &ControlRequest) -> Result<ControlReport, Error> {
        // Refused here: REST takes an empty name to mean every session.
        if let Some(reason) = request.unnamed() {
            return Err(Error::Refused(Box::new(Problem::new(ProblemCode::InvalidRequest, reason))));
        }
        let (name, verb) = (request.name.clone(), request.verb.as_str().to_owned());
        self.post("control", &ControlBody { name, verb, all: None }).await
    }

    async fn start_all(&self) -> Result<ControlReport, Error> {
        self.post("control", &every_session(ControlVerb::Start)).await
    }

    async fn stop_all(&self) -> Result<ControlReport, Error> {
        self.post("control", &every_session(ControlVerb::Stop)).await
    }

    async fn say(&self, request: &SayRequest) -> Result<SayReceipt, Error> {
        let body = serde_json::to_vec(request).map_err(|error| Error::Answer(error.to_string()))?;
        let wait = Duration::from_secs(request.wait.into());
        self.ask(Method::POST, &format!("{SESSIONS}/say"), body, wait).await
    }

    async fn turn(&self, name: &str, id: &str, wait: Duration) -> Result<Turn, Error> {
        let query = query(&[("name", name), ("id", id), ("wait", &wait.as_secs().to_string())]);
        self.ask(Method::GET, &format!("{SESSIONS}/turn?{query}"), Vec::new(), wait).await
    }

    async fn history(&self, name: &str, limit: usize) -> Result<History, Error> {
        let query = query(&[("name", name), ("limit", &limit.to_string())]);
        self.get_from(&format!("{SESSIONS}/history?{query}")).await
    }

    async fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Error> {
        self.post("answer", request).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_not_waited_for_as_long_as_verbs() {
        let client = Client::new("localhost").expect("an address");
        let of = |client: &Client| [&Method::GET, &Method::POST].map(|method| client.patience_for(method).as_secs());
        assert_eq!(of(&client), [15, 300]);
        assert_eq!(of(&client.with_patience(Duration::from_secs(7))), [7, 7]);
    }
}
