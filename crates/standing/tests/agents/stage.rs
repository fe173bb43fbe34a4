//! An empty HOME, a project that is a repository, the-loop in it, and one agent with a model on loopback.

use std::{fs, path::PathBuf, process::Command, thread, time::Duration};

use serde_json::{Value, json};
use standing::{
    ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Error, Row, SayReceipt, SayRequest, TheLoop,
};
use testkit::{StubModel, TestHome, wait_within};

use crate::{agent::Agent, install};

/// How long an agent may take for one thing: its first screen takes tens of seconds where the machine is busy.
const CAP: Duration = Duration::from_mins(2);

/// Waits for something that an agent does.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_within(CAP, what, look)
}

pub(crate) struct Stage {
    pub(crate) agent: Agent,
    pub(crate) the_loop: TheLoop,
    pub(crate) model: StubModel,
    // Dropped last: it asserts that no process is left.
    pub(crate) home: TestHome,
}

/// How an agent is signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Login {
    /// With a token in its environment.
    Token,
    /// With a subscription, which Claude Code keeps in a file. Only there is a usage limit with an end.
    Subscription,
}

impl Stage {
    pub(crate) fn new(agent: Agent) -> Self {
        Self::signed_in(agent, Login::Token)
    }

    pub(crate) fn signed_in(agent: Agent, login: Login) -> Self {
        let home = TestHome::builder()
            .exe(env!("CARGO_BIN_EXE_loop-launch"))
            .set("/routing/defaultHarness", json!(agent.name()))
            .set("/routing/tmux/resumeProbeSeconds", json!(2))
            .set("/routing/tmux/harnessKillGraceSeconds", json!(5))
            .build();
        let model = StubModel::new();
        // Nothing but loopback can be reached, and what was tried is told.
        let mut vars = vec![
            ("PATH", install::path(agent)),
            ("HTTP_PROXY", model.url()),
            ("HTTPS_PROXY", model.url()),
            ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
        ];
        vars.append(&mut agent.configure(&home.home(), &model));
        if login == Login::Subscription {
            vars.retain(|(key, _)| *key != "ANTHROPIC_AUTH_TOKEN");
            Agent::subscribe(&home.home());
        }
        let surroundings =
            vars.into_iter().fold(home.surroundings(), |surroundings, (key, value)| surroundings.with_var(key, value));
        let the_loop = TheLoop::open_in(None, surroundings, "test");
        let stage = Self { agent, the_loop, model, home };
        stage.repository("work");
        stage
    }

    /// A folder that is a repository, where agents are the most careful.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let folder = self.home.path().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let made = Command::new("git").args(["init", "--quiet"]).arg(&folder).status().expect("git runs");
        assert!(made.success());
        folder
    }

    pub(crate) fn create(&self, name: &str) -> Row {
        self.create_with(&CreateRequest::named(name))
    }

    /// Creates a session and waits until its agent has answered the boot prompt.
    pub(crate) fn create_with(&self, request: &CreateRequest) -> Row {
        let name = request.name.as_str();
        let report = self.the_loop.standing().create(request).expect("a report");
        let mut row = report.sessions.into_iter().next().expect("a row");
        assert!(report.ok, "{row:?}\n{}", self.look(name));
        self.shows(name, "heard nothing");
        if row.harness_session_id.is_empty() {
            assert_eq!(self.agent, Agent::OpenCode, "its conversation is known: {row:?}");
            // It answers slowly when the machine is busy; the next verb records it.
            row.harness_session_id = wait_for("its conversation", || {
                let id = self.control(name, ControlVerb::Start).harness_session_id;
                (!id.is_empty()).then_some(id)
            });
        }
        row
    }

    pub(crate) fn control(&self, name: &str, verb: ControlVerb) -> Row {
        let request = ControlRequest { name: name.to_owned(), verb };
        let report = self.the_loop.standing().control(&request).expect("a report");
        report.sessions.into_iter().next().expect("a row")
    }

    pub(crate) fn delete(&self, name: &str) -> Row {
        let report = self.the_loop.standing().delete(&DeleteRequest { name: name.to_owned() }).expect("a report");
        report.sessions.into_iter().next().expect("a row")
    }

    pub(crate) fn say(&self, name: &str, text: &str) -> Result<SayReceipt, Error> {
        let request = SayRequest { name: name.to_owned(), text: text.to_owned(), ..SayRequest::default() };
        self.the_loop.standing().say(&request)
    }

    /// The session's row, its state read from the whole screen.
    pub(crate) fn surveyed(&self, name: &str) -> Row {
        let rows = self.the_loop.standing().survey(1).expect("a survey");
        rows.into_iter().map(|(row, _)| row).find(|row| row.name == name).expect("a row")
    }

    /// The session's row as the list has it.
    pub(crate) fn listed(&self, name: &str) -> Row {
        self.the_loop.standing().get(name).expect("a row")
    }

    /// The session's row in the list of all.
    pub(crate) fn in_list(&self, name: &str) -> Row {
        let rows = self.the_loop.standing().list().expect("a list");
        rows.into_iter().find(|row| row.name == name).expect("a row")
    }

    pub(crate) fn record(&self, name: &str) -> Value {
        let text = fs::read_to_string(self.home.records().join(format!("{name}.json"))).expect("a record");
        serde_json::from_str(&text).expect("JSON")
    }

    /// Waits for text on a session's screen.
    pub(crate) fn shows(&self, name: &str, text: &str) {
        wait_for(&format!("{} to show {text:?}\n{}", self.agent.name(), self.look(name)), || {
            self.look(name).contains(text).then_some(())
        });
    }

    pub(crate) fn look(&self, name: &str) -> String {
        self.home.tmux().screen(&format!("loop-standing-{name}"))
    }

    /// Types as a person does, past the-loop.
    pub(crate) fn types(&self, name: &str, text: &str) {
        self.home.tmux().run(&["send-keys", "-t", &format!("=loop-standing-{name}:"), "-l", text]);
        // An agent takes Enter for a line break right after a burst of keys.
        wait_for("the words to stand there", || self.look(name).contains(text).then_some(()));
        thread::sleep(Duration::from_millis(300));
        self.presses_enter(name);
    }

    pub(crate) fn presses_enter(&self, name: &str) {
        self.presses("Enter", name);
    }

    /// Presses a key as a person does.
    pub(crate) fn presses(&self, key: &str, name: &str) {
        self.home.tmux().run(&["send-keys", "-t", &format!("=loop-standing-{name}:"), key]);
    }

    /// The files below HOME that hold a conversation.
    pub(crate) fn transcripts(&self, id: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut pending = vec![self.home.home()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    pending.push(path);
                } else if self.agent.keeps_in(&name, id) {
                    found.push(path);
                }
            }
        }
        found
    }

    /// Returns the last event of that name, with all its fields.
    pub(crate) fn event(&self, name: &str) -> Option<Value> {
        self.home.events().into_iter().rfind(|event| event["event"] == name)
    }
}
