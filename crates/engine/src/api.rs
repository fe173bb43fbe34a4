//! [`StandingApi`] implemented in this process.

use std::time::Duration;

use standing::Error;
use wire::{
    AnswerRequest, ControlReport, ControlRequest, CreateRequest, DeleteRequest, Explanation, History, Row, SayReceipt,
    SayRequest, StandingApi, Turn, Verdict,
};

use crate::Engine;

impl StandingApi for Engine {
    type Error = Error;

    async fn list(&self) -> Result<Vec<Row>, Error> {
        if let Some(snapshot) = self.watcher().current().await {
            return Ok(snapshot.rows().to_vec());
        }
        self.read(|the_loop| the_loop.standing().list()).await
    }

    async fn get(&self, name: &str) -> Result<Row, Error> {
        let name = name.to_owned();
        self.read(move |the_loop| the_loop.standing().get(&name)).await
    }

    async fn explain(&self, name: &str) -> Result<Explanation, Error> {
        let name = name.to_owned();
        self.read(move |the_loop| the_loop.standing().explain(&name)).await
    }

    async fn screen(&self, name: &str, lines: usize) -> Result<String, Error> {
        let name = name.to_owned();
        self.read(move |the_loop| the_loop.standing().screen(&name, lines)).await
    }

    async fn create(&self, request: &CreateRequest) -> Result<ControlReport, Error> {
        let (permitted, request) = (self.permitted(), request.clone());
        self.on_session(&request.name.clone(), move |standing| permitted(standing).create(&request)).await
    }

    async fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Error> {
        let (permitted, request) = (self.permitted(), request.clone());
        self.on_session(&request.name.clone(), move |standing| permitted(standing).delete(&request)).await
    }

    async fn control(&self, request: &ControlRequest) -> Result<ControlReport, Error> {
        let (permitted, request) = (self.permitted(), request.clone());
        self.on_session(&request.name.clone(), move |standing| permitted(standing).control(&request)).await
    }

    async fn start_all(&self) -> Result<ControlReport, Error> {
        let permitted = self.permitted();
        self.on_all(move |standing| permitted(standing).start_all()).await
    }

    async fn stop_all(&self) -> Result<ControlReport, Error> {
        let permitted = self.permitted();
        self.on_all(move |standing| permitted(standing).stop_all()).await
    }

    async fn say(&self, request: &SayRequest) -> Result<SayReceipt, Error> {
        let wait = request.wait_time().map_err(Error::InvalidRequest)?;
        let name = request.name.clone();
        let request = request.clone();
        // Finding the caller takes longer than the message, and only a forced message needs permission.
        let permitted = request.force.then(|| self.permitted());
        let mut receipt = self
            .on_session(&name, move |standing| match permitted {
                Some(permitted) => permitted(standing).say(&request),
                None => standing.say(&request),
            })
            .await?;
        if !wait.is_zero() && receipt.verdict != Verdict::NotDelivered {
            // The message is sent: a turn that cannot be read is no reason to withhold the receipt.
            receipt.turn = self.turn_within(&name, &receipt.message_id, wait).await.ok();
        }
        if wait.is_zero() && receipt.verdict != Verdict::NotDelivered {
            self.follow_unwatched(&name, &receipt.message_id);
        }
        Ok(receipt)
    }

    async fn turn(&self, name: &str, id: &str, wait: Duration) -> Result<Turn, Error> {
        self.turn_within(name, id, wait).await
    }

    async fn history(&self, name: &str, limit: usize) -> Result<History, Error> {
        let name = name.to_owned();
        self.read(move |the_loop| the_loop.standing().history(&name, limit)).await
    }

    async fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Error> {
        let (permitted, request) = (self.permitted(), request.clone());
        self.on_session(&request.name.clone(), move |standing| permitted(standing).answer(&request)).await
    }
}
