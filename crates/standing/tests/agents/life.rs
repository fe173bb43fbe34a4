//! The whole life of a session, over and over, each time from an empty HOME.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    time::Instant,
};

use standing::{ControlVerb, Outcome, SayReceipt};
use wire::{Activity, Evidence, Verdict};

use crate::{
    agent::Agent,
    stage::{Stage, wait_for},
};

/// How long each part of a life took, in milliseconds.
#[derive(Default)]
struct Figures {
    started: Vec<u128>,
    said: Vec<u128>,
    stopped: Vec<u128>,
    resumed: Vec<u128>,
    /// How often each verdict was given, with its evidence.
    verdicts: BTreeMap<String, u32>,
}

pub(crate) fn rounds(agent: Agent) {
    let rounds = env::var("THE_LOOP_TEST_AGENTS_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| agent.rounds());
    let (mut figures, mut refused) = (Figures::default(), BTreeSet::new());
    for round in 1..=rounds {
        let stage = Stage::new(agent);
        life(&stage, round, &mut figures);
        refused.append(&mut stage.model.refused());
    }
    let (_, version) = agent.package();
    println!(
        "{} {version}: {rounds} of {rounds} lives; milliseconds, least/median/most: start {}, say {}, stop {}, resume {}",
        agent.name(),
        spread(&mut figures.started),
        spread(&mut figures.said),
        spread(&mut figures.stopped),
        spread(&mut figures.resumed),
    );
    println!("{} {version}: verdicts {:?}", agent.name(), figures.verdicts);
    println!("{} {version}: wanted to reach, and did not: {refused:?}", agent.name());
}

fn life(stage: &Stage, round: u32, figures: &mut Figures) {
    let (first, second) = (format!("mark-{round}-first"), format!("mark-{round}-second"));

    let begun = Instant::now();
    let row = stage.create("ops");
    figures.started.push(begun.elapsed().as_millis());
    assert_eq!(row.outcome, Some(Outcome::Started), "{row:?}");
    assert_eq!(stage.event("workspace.trust_failed"), None);
    let conversation = row.harness_session_id;
    wait_for("it to rest", || (stage.surveyed("ops").activity == Activity::Idle).then_some(()));

    let begun = Instant::now();
    let receipt = stage.say("ops", &format!("{first}\nand a second line")).expect("said");
    figures.said.push(begun.elapsed().as_millis());
    judge(stage, &receipt, figures);
    stage.shows("ops", &format!("heard {first}"));

    let begun = Instant::now();
    let row = stage.control("ops", ControlVerb::Stop);
    figures.stopped.push(begun.elapsed().as_millis());
    assert_eq!(row.outcome, Some(Outcome::Stopped), "{row:?}");
    assert_eq!(row.harness_session_id, conversation);
    let transcripts = stage.transcripts(&conversation);
    let kept = transcripts.iter().any(|path| fs::read(path).is_ok_and(|bytes| holds(&bytes, &first)));
    assert!(kept, "the words are kept: {transcripts:?}");

    let begun = Instant::now();
    let row = stage.control("ops", ControlVerb::Start);
    figures.resumed.push(begun.elapsed().as_millis());
    assert_eq!(
        (row.outcome, row.harness_session_id.as_str()),
        (Some(Outcome::Resumed), conversation.as_str()),
        "{row:?}"
    );
    stage.shows("ops", &first);
    let receipt = stage.say("ops", &second).expect("said");
    judge(stage, &receipt, figures);
    stage.shows("ops", &format!("heard {first}, {second}"));
    assert_eq!(stage.listed("ops").harness_session_id, conversation);

    let row = stage.delete("ops");
    assert_eq!(row.outcome, Some(Outcome::Deleted), "{row:?}");
    assert!(stage.home.tmux().sessions().is_empty());
}

/// Checks the receipt of a message. The caller sees from the agent's answer that the message arrived. Which evidence
/// comes first depends on the agent, but every agent that writes its turns to a file must give some.
fn judge(stage: &Stage, receipt: &SayReceipt, figures: &mut Figures) {
    assert!(receipt.delivered, "{receipt:?}");
    if stage.agent.has_transcripts() {
        assert_eq!(receipt.verdict, Verdict::Submitted, "{receipt:?}");
        assert_ne!(receipt.evidence, Evidence::None, "{receipt:?}");
    }
    let said = format!("{:?} by {:?}", receipt.verdict, receipt.evidence);
    *figures.verdicts.entry(said).or_default() += 1;
}

fn holds(bytes: &[u8], words: &str) -> bool {
    bytes.windows(words.len()).any(|window| window == words.as_bytes())
}

fn spread(figures: &mut [u128]) -> String {
    figures.sort_unstable();
    let at = |index: usize| figures.get(index).copied().unwrap_or_default();
    format!("{}/{}/{}", at(0), at(figures.len() / 2), at(figures.len().saturating_sub(1)))
}
