//! The verbs for an asynchronous caller: each is done on a thread that may block, after the others on its session.

use tokio::task;
use wire::{
    AnswerRequest, ControlReport, ControlRequest, CreateRequest, DeleteRequest, Problem, Refusal, Row, SayReceipt,
    SayRequest, StandingApi,
};

use crate::{Error, Standing, TheLoop, Turn};

impl Refusal for Error {
    fn problem(&self) -> Option<Problem> {
        Some(Error::problem(self))
    }
}

impl StandingApi for TheLoop {
    type Error = Error;

    async fn list(&self) -> Result<Vec<Row>, Error> {
        self.ask(self.turn_to_look().await, |standing| standing.list()).await
    }

    async fn get(&self, name: &str) -> Result<Row, Error> {
        let name = name.to_owned();
        self.ask(self.turn_to_look().await, move |standing| standing.get(&name)).await
    }

    async fn screen(&self, name: &str, lines: usize) -> Result<String, Error> {
        let name = name.to_owned();
        self.ask(self.turn_to_look().await, move |standing| standing.screen(&name, lines)).await
    }

    async fn create(&self, request: &CreateRequest) -> Result<ControlReport, Error> {
        let request = request.clone();
        self.ask(self.turn_of(&request.name).await?, move |standing| standing.create(&request)).await
    }

    async fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Error> {
        let request = request.clone();
        self.ask(self.turn_of(&request.name).await?, move |standing| standing.delete(&request)).await
    }

    async fn control(&self, request: &ControlRequest) -> Result<ControlReport, Error> {
        let request = request.clone();
        self.ask(self.turn_of(&request.name).await?, move |standing| standing.control(&request)).await
    }

    async fn start_all(&self) -> Result<ControlReport, Error> {
        self.ask(self.turn_of_verb().await, |standing| standing.start_all()).await
    }

    async fn stop_all(&self) -> Result<ControlReport, Error> {
        self.ask(self.turn_of_verb().await, |standing| standing.stop_all()).await
    }

    async fn say(&self, request: &SayRequest) -> Result<SayReceipt, Error> {
        let request = request.clone();
        self.ask(self.turn_of(&request.name).await?, move |standing| standing.say(&request)).await
    }

    async fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Error> {
        let request = request.clone();
        self.ask(self.turn_of(&request.name).await?, move |standing| standing.answer(&request)).await
    }
}

impl TheLoop {
    /// Does a verb on a blocking thread. Once begun it runs to its end, even if nobody waits for it any more.
    async fn ask<T: Send + 'static>(
        &self,
        turn: Turn,
        verb: impl FnOnce(Standing<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let the_loop = self.clone();
        let work = move || {
            let done = verb(the_loop.standing());
            drop(turn);
            done
        };
        match task::spawn_blocking(work).await {
            Ok(answer) => answer,
            Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
            // The runtime is shutting down, and the caller with it.
            Err(_) => std::future::pending().await,
        }
    }
}
