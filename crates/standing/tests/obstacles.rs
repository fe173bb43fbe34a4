//! Obstacles of a session: each is named in every view, none is called busy or idle, and each ends as it should.

use serde_json::json;
use standing::{Activity, Block, ControlRequest, ControlVerb, CreateRequest, Row, SayRequest, TheLoop};
use testkit::{TestHome, wait_for};

struct Stage {
    the_loop: TheLoop,
    home: TestHome,
}

impl Stage {
    fn new() -> Self {
        let home = TestHome::builder()
            .exe(env!("CARGO_BIN_EXE_loop-launch"))
            .set("/routing/defaultHarness", json!("demo"))
            .set("/routing/tmux/resumeProbeSeconds", json!(0.2))
            .build();
        let stage = Self { the_loop: home.the_loop(), home };
        let report = stage.the_loop.standing().create(&CreateRequest::named("ops")).expect("a report");
        assert!(report.ok, "{report:?}");
        stage
    }

    fn say(&self, text: &str) {
        let request = SayRequest { name: "ops".to_owned(), text: text.to_owned(), ..SayRequest::default() };
        self.the_loop.standing().say(&request).expect("said");
    }

    /// Returns the row of the session in each view.
    fn views(&self) -> Vec<Row> {
        let standing = self.the_loop.standing();
        let listed = standing.list().expect("a list").into_iter();
        let surveyed = standing.survey(1).expect("a survey").into_iter().map(|(row, _)| row);
        listed.chain(surveyed).chain([standing.get("ops").expect("a row")]).collect()
    }

    fn wait_until(&self, what: &str, is: impl Fn(&Row) -> bool) {
        wait_for(what, || self.views().iter().all(&is).then_some(()));
    }

    fn control(&self, verb: ControlVerb) {
        let request = ControlRequest { name: "ops".to_owned(), verb };
        assert!(self.the_loop.standing().control(&request).expect("a report").ok);
    }
}

fn kind(row: &Row) -> Option<Block> {
    row.blocked.as_ref().map(|blocked| blocked.kind)
}

#[test]
fn every_view_names_an_obstacle_until_the_next_answer() {
    let stage = Stage::new();
    for &block in Block::ALL.iter().filter(|&&block| block != Block::Stalled) {
        stage.say(&format!("fail {}", block.as_str()));
        stage.wait_until(block.as_str(), |row| kind(row) == Some(block));
        for row in stage.views() {
            assert_eq!((row.activity, row.label()), (Activity::Unknown, block.label()), "{row:?}");
            let blocked = row.blocked.expect("blocked");
            assert_eq!(blocked.evidence, format!("its transcript says: the turn failed: {}", block.as_str()));
            assert!(!blocked.since.is_empty() && blocked.until.is_none(), "{blocked:?}");
        }
        stage.say("go on");
        stage.wait_until("an end", |row| row.blocked.is_none() && row.activity == Activity::Idle);
    }
}

#[test]
fn a_limit_ends_at_its_reset() {
    let stage = Stage::new();
    stage.say("fail limited 3600");
    stage.wait_until("a limit", |row| kind(row) == Some(Block::Limited));
    let until = stage.views().remove(0).blocked.and_then(|blocked| blocked.until).expect("known");
    let ends: jiff::Timestamp = until.parse().expect("a time");
    let left = ends.duration_since(jiff::Timestamp::now()).as_secs();
    assert!((3590..=3600).contains(&left), "{left}");
    stage.say("fail limited 2");
    stage.wait_until("its end", |row| row.blocked.is_none() && row.activity == Activity::Idle);
}

#[test]
fn a_new_process_has_only_the_obstacles_of_its_account_and_conversation() {
    let stage = Stage::new();
    for (failure, stays) in [
        ("limited 3600", true),
        ("no-credit", true),
        ("context-full", true),
        ("overloaded", false),
        ("refused", false),
        ("logged-out", false),
    ] {
        stage.say(&format!("fail {failure}"));
        stage.wait_until(failure, |row| row.blocked.is_some());
        // A time is recorded in seconds: the start must be in a later one than the failure.
        let failed = stage.views().remove(0).blocked.expect("blocked").since;
        wait_for("the next second", || (jiff::Timestamp::now().strftime("%FT%TZ").to_string() > failed).then_some(()));
        stage.control(ControlVerb::Restart);
        stage.wait_until("a screen", |row| row.running && (row.blocked.is_some() || row.activity == Activity::Idle));
        for row in stage.views() {
            assert_eq!(row.blocked.is_some(), stays, "{failure}: {row:?}");
        }
        stage.say("go on");
        stage.wait_until("an end", |row| row.blocked.is_none());
    }
}

#[test]
fn silence_is_an_obstacle_only_while_it_works_and_only_if_configured() {
    let stage = Stage::new();
    let args = Some(["--fault", "busy=600000"].map(str::to_owned).to_vec());
    let request = CreateRequest { harness_args: args, ..CreateRequest::named("slow") };
    assert!(stage.the_loop.standing().create(&request).expect("a report").ok);
    let row = || stage.the_loop.standing().get("slow").expect("a row");
    wait_for("work", || (row().activity == Activity::Busy).then_some(()));
    stage.home.reconfigure("/routing/stalledAfter", json!(0));
    assert_eq!(kind(&row()), None);
    stage.home.reconfigure("/routing/stalledAfter", json!(0.5));
    wait_for("a stalled session", || (kind(&row()) == Some(Block::Stalled)).then_some(()));
    assert_eq!(kind(&stage.the_loop.standing().get("ops").expect("a row")), None, "it waits for a message");
}

#[test]
fn the_state_is_explained_by_its_sources() {
    let stage = Stage::new();
    stage.wait_until("idle", |row| row.activity == Activity::Idle);
    let explained = stage.the_loop.standing().explain("ops").expect("explained");
    assert_eq!(explained.decided_by, Some(wire::Source::Screen), "{explained:?}");
    let sources: Vec<wire::Source> = explained.witnesses.iter().map(|witness| witness.source).collect();
    for source in [wire::Source::Tmux, wire::Source::Screen, wire::Source::Title, wire::Source::Transcript] {
        assert!(sources.contains(&source), "{explained:?}");
    }
    stage.say("fail no-credit");
    stage.wait_until("an obstacle", |row| row.blocked.is_some());
    let explained = stage.the_loop.standing().explain("ops").expect("explained");
    assert_eq!((explained.decided_by, explained.label.as_str()), (None, "no credit"));
    assert!(explained.why.contains("the turn failed"), "{explained:?}");
    stage.control(ControlVerb::Stop);
    let explained = stage.the_loop.standing().explain("ops").expect("explained");
    assert_eq!((explained.decided_by, explained.label.as_str()), (Some(wire::Source::Tmux), "stopped"));
    assert!(stage.the_loop.standing().explain("other").is_err());
}
