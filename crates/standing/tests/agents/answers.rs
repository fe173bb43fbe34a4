//! Answers of the real agents: 8 writers ask 50 questions of one busy session, while it is interrupted, moved to another
//! conversation and killed. Each writer gets the answer to its own question, or none.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use standing::{ControlVerb, Error, SayRequest, TurnFollower};
use testkit::wait_within;
use wire::{Activity, Turn, TurnState, Verdict};

use crate::{agent::Agent, stage::Stage};

const QUESTIONS: usize = 50;
const WRITERS: usize = 8;
const PATIENCE: Duration = Duration::from_mins(5);

struct Asking {
    stage: Stage,
    /// Held by a writer while it sends, and by a person while they type: both use the same input box.
    keyboard: Mutex<()>,
    answered: AtomicUsize,
}

pub(crate) fn each_its_own(agent: Agent) {
    let stage = Stage::new(agent);
    stage.create("ops");
    stage.model.answer_only_news(Duration::from_millis(400));
    let asking = Asking { stage, keyboard: Mutex::new(()), answered: AtomicUsize::new(0) };
    let begun = Instant::now();
    let turns: BTreeMap<String, Turn> = thread::scope(|threads| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                threads.spawn({
                    let asking = &asking;
                    move || asking.write(writer)
                })
            })
            .collect();
        asking.interfere();
        writers.into_iter().flat_map(|writer| writer.join().expect("no panic")).collect()
    });
    assert_eq!(turns.len(), QUESTIONS);
    let mut count = BTreeMap::<&str, usize>::new();
    let ids: BTreeMap<&str, &str> =
        turns.iter().map(|(mark, turn)| (turn.message_id.as_str(), mark.as_str())).collect();
    for (mark, turn) in &turns {
        *count.entry(turn.state.as_str()).or_default() += 1;
        if turn.state != TurnState::Answered {
            assert!(turn.answer.is_empty() && !turn.reason.is_empty(), "{mark}: {turn:?}");
            continue;
        }
        // Its own words are in the answer, and otherwise only those of messages that were read with it, or of messages
        // that got no answer before.
        let heard: Vec<&str> = turn.answer.trim_start_matches("heard ").split(", ").collect();
        let with: Vec<&str> = turn.shared_with.iter().filter_map(|id| ids.get(id.as_str()).copied()).collect();
        let own = |heard: &str| heard == mark || with.contains(&heard);
        assert!(heard.iter().any(|heard| own(heard)), "{mark}: {turn:?}");
        for other in heard.iter().filter(|heard| !own(heard)) {
            let of = turns.get(*other);
            let same = of.is_some_and(|of| of.answer == turn.answer || of.state != TurnState::Answered);
            assert!(same, "{mark} got the answer to {other}: {turn:?} {of:?}");
        }
        if !turn.shared_with.is_empty() {
            *count.entry("shared").or_default() += 1;
        }
    }
    println!("{}: {QUESTIONS} questions in {:?}: {count:?}", agent.name(), begun.elapsed());
    assert!(count["answered"] >= QUESTIONS / 2, "{count:?}");
    assert!(
        count.get("lost-track").is_some_and(|&lost| lost > 0),
        "a kill in the middle of a turn costs one: {count:?}"
    );
}

impl Asking {
    fn write(&self, writer: usize) -> Vec<(String, Turn)> {
        let numbers = (writer..QUESTIONS).step_by(WRITERS);
        numbers
            .map(|number| {
                let mark = format!("mark-q{number}");
                let turn = self.ask(&mark);
                self.answered.fetch_add(1, Ordering::SeqCst);
                (mark, turn)
            })
            .collect()
    }

    /// Asks once, and again while the session cannot take the message.
    fn ask(&self, mark: &str) -> Turn {
        let mut request = SayRequest { name: "ops".to_owned(), text: mark.to_owned(), ..SayRequest::default() };
        let id = wait_within(PATIENCE, "a message to be taken", || {
            let _keyboard = self.keyboard.lock().expect("no panic");
            match self.stage.the_loop.standing().say(&request) {
                Ok(receipt) => (receipt.verdict != Verdict::NotDelivered).then_some(receipt.message_id),
                // An interrupt may put the last message back into the box.
                Err(Error::UnsentText { .. }) => {
                    request.force = true;
                    None
                }
                Err(Error::NotRunning { .. } | Error::OutOfReach { .. } | Error::Waiting { .. }) => None,
                Err(error) => panic!("{mark}: {error}"),
            }
        });
        let mut follower = TurnFollower::new("ops").expect("a name");
        let ids = [id];
        wait_within(PATIENCE, "the end of a turn", || {
            let row = if follower.needs_row() { self.stage.the_loop.standing().get("ops").ok() } else { None };
            let turn =
                self.stage.the_loop.standing().turns(&mut follower, &ids, row.as_ref()).expect("a look").pop()?;
            thread::sleep(Duration::from_millis(100));
            (!turn.state.is_open()).then_some(turn)
        })
    }

    /// Interrupts, moves and kills the agent, once each, while it works.
    fn interfere(&self) {
        let after = |number: usize| {
            let answered = || self.answered.load(Ordering::SeqCst) >= number;
            wait_within(PATIENCE, "answers", || answered().then_some(()));
            let busy = || self.stage.surveyed("ops").activity == Activity::Busy;
            wait_within(PATIENCE, "it to work", || busy().then_some(()));
        };
        after(8);
        {
            let _keyboard = self.keyboard.lock().expect("no panic");
            self.stage.home.tmux().run(&["send-keys", "-t", "=loop-standing-ops:", "Escape"]);
        }
        after(16);
        {
            let _keyboard = self.keyboard.lock().expect("no panic");
            let (command, question) = self.stage.agent.new_conversation().expect("asked of those that tell");
            // It works on the messages before.
            let idle = || self.stage.surveyed("ops").activity == Activity::Idle;
            wait_within(PATIENCE, "it to rest", || idle().then_some(()));
            self.stage.types("ops", command);
            if let Some(question) = question {
                self.stage.shows("ops", question);
                self.stage.presses_enter("ops");
            }
        }
        after(26);
        {
            let _keyboard = self.keyboard.lock().expect("no panic");
            let id = self.stage.record("ops")["loopId"].as_str().expect("an id").to_owned();
            for (pid, _) in testkit::marked(&format!("THE_LOOP_ID={id}")) {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
            let ended = || !self.stage.listed("ops").running;
            wait_within(PATIENCE, "its end", || ended().then_some(()));
            self.stage.control("ops", ControlVerb::Start);
        }
        after(36);
        self.stage.control("ops", ControlVerb::Restart);
    }
}
