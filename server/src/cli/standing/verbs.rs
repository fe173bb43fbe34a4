//! Who does the verbs: this process, or the service that `--service` names.

use client::{Client, StandingApi};
use standing::TheLoop;
use tokio::runtime::{Builder, Runtime};
use wire::{AnswerRequest, ControlReport, ControlRequest, CreateRequest, DeleteRequest, Row, SayReceipt, SayRequest};

use super::Refusal;

/// The verbs, done and waited for.
pub(crate) trait Verbs {
    fn list(&self) -> Result<Vec<Row>, Refusal>;
    fn get(&self, name: &str) -> Result<Row, Refusal>;
    fn create(&self, request: &CreateRequest) -> Result<ControlReport, Refusal>;
    fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Refusal>;
    fn control(&self, request: &ControlRequest) -> Result<ControlReport, Refusal>;
    fn start_all(&self) -> Result<ControlReport, Refusal>;
    fn stop_all(&self) -> Result<ControlReport, Refusal>;
    fn say(&self, request: &SayRequest) -> Result<SayReceipt, Refusal>;
    fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Refusal>;
}

impl Verbs for TheLoop {
    fn list(&self) -> Result<Vec<Row>, Refusal> {
        Ok(self.standing().list()?)
    }

    fn get(&self, name: &str) -> Result<Row, Refusal> {
        Ok(self.standing().get(name)?)
    }

    fn create(&self, request: &CreateRequest) -> Result<ControlReport, Refusal> {
        Ok(self.standing().create(request)?)
    }

    fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Refusal> {
        Ok(self.standing().delete(request)?)
    }

    fn control(&self, request: &ControlRequest) -> Result<ControlReport, Refusal> {
        Ok(self.standing().control(request)?)
    }

    fn start_all(&self) -> Result<ControlReport, Refusal> {
        Ok(self.standing().start_all()?)
    }

    fn stop_all(&self) -> Result<ControlReport, Refusal> {
        Ok(self.standing().stop_all()?)
    }

    fn say(&self, request: &SayRequest) -> Result<SayReceipt, Refusal> {
        Ok(self.standing().say(request)?)
    }

    fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Refusal> {
        Ok(self.standing().answer(request)?)
    }
}

/// A service, asked over HTTP or its socket.
pub(super) struct Service {
    client: Client,
    /// This machine's instance. The service may be on another machine, where nobody knows what runs inside what here.
    here: TheLoop,
    runtime: Runtime,
}

impl Service {
    /// The service at an address. Its token, if it wants one, is the one of this instance's state folder.
    pub(super) fn at(address: &str, the_loop: &TheLoop) -> Result<Self, Refusal> {
        let token = the_loop.config().settings.state_root.join("local/service.token");
        let client = Client::new(address)?.with_token_file(token);
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Refusal { text: format!("cannot ask a service: {error}"), code: 1 })?;
        Ok(Self { client, here: the_loop.clone(), runtime })
    }

    fn wait<T>(&self, asked: impl Future<Output = Result<T, client::Error>>) -> Result<T, Refusal> {
        Ok(self.runtime.block_on(asked)?)
    }
}

impl Verbs for Service {
    fn list(&self) -> Result<Vec<Row>, Refusal> {
        self.wait(self.client.list())
    }

    fn get(&self, name: &str) -> Result<Row, Refusal> {
        self.wait(self.client.get(name))
    }

    fn create(&self, request: &CreateRequest) -> Result<ControlReport, Refusal> {
        self.here.standing().may_control("create sessions")?;
        self.wait(self.client.create(request))
    }

    fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Refusal> {
        self.here.standing().may_control("delete sessions")?;
        self.wait(self.client.delete(request))
    }

    fn control(&self, request: &ControlRequest) -> Result<ControlReport, Refusal> {
        self.here.standing().may_control("start or stop sessions")?;
        self.wait(self.client.control(request))
    }

    fn start_all(&self) -> Result<ControlReport, Refusal> {
        self.here.standing().may_control("start sessions")?;
        self.wait(self.client.start_all())
    }

    fn stop_all(&self) -> Result<ControlReport, Refusal> {
        self.here.standing().may_control("stop sessions")?;
        self.wait(self.client.stop_all())
    }

    fn say(&self, request: &SayRequest) -> Result<SayReceipt, Refusal> {
        if request.force {
            self.here.standing().may_control("send a message with force")?;
        }
        self.wait(self.client.say(request))
    }

    fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Refusal> {
        self.here.standing().may_control("answer a session's question")?;
        self.wait(self.client.answer(request))
    }
}
