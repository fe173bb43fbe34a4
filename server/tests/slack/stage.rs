//! A home in which Slack is on, with the stand-in that it talks to.

use std::{fs, path::PathBuf, process::Output, time::Duration};

use serde_json::{Value, json};
use server::slack::{Hosting, Timing, host};
use standing::{CreateRequest, TheLoop};
use testkit::{Http, StubSlack, TestHome, TestHomeBuilder, TestService, wait_for};

/// The built binary.
pub(crate) const THE_LOOP: &str = env!("CARGO_BIN_EXE_the-loop");

/// May speak.
pub(crate) const ANN: &str = "U0ANN";
/// May speak as well.
pub(crate) const BOB: &str = "U0BOB";
/// May not.
pub(crate) const EVE: &str = "U0EVE";

const SESSIONS: &str = "/api/v1/standing-sessions";

/// A home and the stand-in. Dropped in that order: the sessions go first.
pub(crate) struct Stage {
    pub(crate) home: TestHome,
    pub(crate) slack: StubSlack,
}

impl Stage {
    /// Socket Mode, the channel set, ANN and BOB allowed.
    pub(crate) fn builder() -> TestHomeBuilder {
        TestHome::builder()
            .exe(THE_LOOP)
            .set("/channels/slack/enabled", json!(true))
            .set("/channels/slack/channel", json!("#ops"))
            .set("/channels/slack/authorizedUsers", json!([ANN, BOB]))
            .set("/channels/slack/read/mode", json!("socket"))
    }

    pub(crate) fn new() -> Self {
        Self::of(Self::builder())
    }

    /// With sessions declared, all of them in Slack.
    pub(crate) fn declaring(names: &[&str]) -> Self {
        Self::of(names.iter().fold(Self::builder(), |builder, name| {
            builder.declare(json!({ "name": name, "slack": { "enabled": true } }))
        }))
    }

    pub(crate) fn of(builder: TestHomeBuilder) -> Self {
        Self { home: builder.build(), slack: StubSlack::start() }
    }

    /// The service, with the tokens in its environment.
    pub(crate) fn serve(&self) -> TestService {
        TestService::start_with(THE_LOOP, &self.home, |command| {
            command.envs(self.slack.vars()).env("THE_LOOP_LOG", "debug");
        })
    }

    /// The service, once it hears.
    pub(crate) fn hearing(&self) -> TestService {
        let service = self.serve();
        self.until_it_hears();
        service
    }

    pub(crate) fn until_it_hears(&self) {
        wait_for("the service to hear", || (self.status()["hearing"] == "connected").then_some(()));
    }

    /// An instance in this process, with the tokens in its surroundings.
    pub(crate) fn instance(&self) -> TheLoop {
        let vars = self.slack.vars().into_iter();
        let surroundings = vars.fold(self.home.surroundings(), |all, (key, value)| all.with_var(key, value));
        TheLoop::open_in(None, surroundings, "test")
    }

    /// The listener in this process, in a hurry.
    pub(crate) fn listen(&self, timing: Timing) -> Listener {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let hosting = runtime.block_on(async { host(&self.instance().into(), timing) });
        Listener { runtime: Some(runtime), hosting: Some(hosting) }
    }

    /// A session that runs and is announced; its thread.
    pub(crate) fn session(&self, name: &str) -> String {
        let request = CreateRequest { slack_enabled: true, ..CreateRequest::named(name) };
        let report = self.instance().standing().create(&request).expect("created");
        assert!(report.ok, "{report:#?}");
        self.thread(name)
    }

    /// The words of the turns that a session was given.
    pub(crate) fn words(&self, name: &str) -> Vec<String> {
        let words = |turn: &String| turn.split_once("\n\n").map_or(String::new(), |(_, words)| words.to_owned());
        self.turns(name).iter().map(words).collect()
    }

    /// A command with the tokens in its environment.
    pub(crate) fn the_loop(&self, args: &[&str]) -> Output {
        self.home.command(THE_LOOP).args(args).envs(self.slack.vars()).output().expect("the binary runs")
    }

    /// The listener's status as it is written down.
    pub(crate) fn status(&self) -> Value {
        self.kept("slack.status.json")
    }

    /// A file of `<state.root>/channels`.
    pub(crate) fn kept(&self, file: &str) -> Value {
        let text = fs::read_to_string(self.channels().join(file)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    pub(crate) fn channels(&self) -> PathBuf {
        self.home.project().join(".the-loop/channels")
    }

    /// The thread of a session, once it is bound.
    pub(crate) fn thread(&self, name: &str) -> String {
        wait_for(&format!("`{name}` to be announced"), || {
            let text = fs::read_to_string(self.home.records().join(format!("{name}.json"))).ok()?;
            let record: Value = serde_json::from_str(&text).ok()?;
            record["slackThread"].as_str().filter(|thread| !thread.is_empty()).map(str::to_owned)
        })
    }

    /// Waits for words in a session's pane.
    pub(crate) fn shows(&self, name: &str, words: &str) {
        let session = format!("loop-standing-{name}");
        wait_for(&format!("`{words}` in the pane of `{name}`"), || {
            self.home.tmux().screen(&session).contains(words).then_some(())
        });
    }

    /// Waits for marks on a message.
    pub(crate) fn marked(&self, ts: &str, mark: &str) {
        wait_for(&format!("the mark `{mark}`"), || self.slack.reactions(ts).iter().any(|m| m == mark).then_some(()));
    }

    /// Waits for words of the app in a thread.
    pub(crate) fn told(&self, thread: &str, words: &str) -> String {
        wait_for(&format!("`{words}` in the thread"), || {
            self.slack.said_in(thread).into_iter().find(|said| said.contains(words))
        })
    }

    /// The events of a name.
    pub(crate) fn events(&self, name: &str) -> Vec<Value> {
        self.home.events().into_iter().filter(|event| event["event"] == name).collect()
    }

    /// Waits for an event with such a field.
    pub(crate) fn event(&self, name: &str, field: &str, value: &str) -> Value {
        wait_for(&format!("an event `{name}` with {field} {value}"), || {
            self.events(name).into_iter().find(|event| event[field] == value)
        })
    }

    /// The turns that a session was given, by its transcript, without the first one.
    pub(crate) fn turns(&self, name: &str) -> Vec<String> {
        transcripts(&self.home, name)
    }
}

/// Returns the messages that a session received, from the transcript of the built-in agent.
fn transcripts(home: &TestHome, name: &str) -> Vec<String> {
    let text = fs::read_to_string(home.records().join(format!("{name}.json"))).expect("a record");
    let record: Value = serde_json::from_str(&text).expect("JSON");
    let id = record["harnessSessionId"].as_str().expect("an id").to_owned();
    let mut found = Vec::new();
    collect(&home.home(), &id, &mut found);
    let Some(path) = found.pop() else { return Vec::new() };
    let text = fs::read_to_string(path).unwrap_or_default();
    let turns = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let words = turns.filter(|turn| turn["type"] == "user").filter_map(|turn| Some(turn["text"].as_str()?.to_owned()));
    words.filter(|text| text.starts_with("[the-loop]")).map(|text| testkit::without_id(&text)).collect()
}

fn collect(dir: &std::path::Path, id: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, id, found);
        } else if path.file_name().is_some_and(|name| name.to_string_lossy().contains(id)) {
            found.push(path);
        }
    }
}

/// A pace for tests.
pub(crate) fn hurried() -> Timing {
    let ms = Duration::from_millis;
    Timing {
        look: ms(100),
        gather: ms(25),
        ping: ms(100),
        // A machine that is busy with eight of these at once answers in its own time.
        dead: ms(3000),
        hello: ms(3000),
        sweep: ms(60_000),
        deaf: ms(300),
        pauses: (ms(20), ms(200)),
        mending: ms(300),
        patience: ms(10_000),
        poll: Some(ms(100)),
    }
}

/// The listener in this process. Dropping it ends it as the service does.
pub(crate) struct Listener {
    runtime: Option<tokio::runtime::Runtime>,
    hosting: Option<Hosting>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let (Some(runtime), Some(hosting)) = (self.runtime.take(), self.hosting.take()) {
            runtime.block_on(hosting.end());
            runtime.shutdown_timeout(Duration::from_secs(10));
        }
    }
}

/// A verb over REST that must succeed.
#[track_caller]
pub(crate) fn done(http: &Http, verb: &str, body: &Value) -> Value {
    let answer = http.post(&format!("{SESSIONS}/{verb}"), body);
    assert_eq!(answer.status, 200, "{verb} {body}: {answer:?}");
    let report = answer.json();
    assert_eq!(report["ok"], true, "{report:#}");
    report
}

/// Returns the request that creates a session with Slack enabled.
pub(crate) fn in_slack(name: &str) -> Value {
    json!({ "name": name, "harness": "demo", "slackEnabled": true })
}
