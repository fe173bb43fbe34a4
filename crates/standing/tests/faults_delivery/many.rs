//! A stop of many sessions at once: looks are shared among them, and nothing that one of them left is overlooked.

use std::collections::BTreeSet;

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use standing::{CreateRequest, Outcome};
use testkit::wait_for;

use crate::stage::{begin, faulty, home, id_of, living};

/// Which of a session's processes leave its process group or its terminal session.
const CHILDREN: [&str; 4] = ["fork", "setsid", "double-fork", "ignore-term"];

#[test]
fn a_stop_of_many_ends_what_each_of_them_left_wherever_it_went() {
    let home = home();
    let the_loop = home.the_loop();
    let names: Vec<String> = (0..24).map(|number| format!("s{number}")).collect();
    for (name, fault) in names.iter().zip(CHILDREN.iter().cycle()) {
        begin(&the_loop, &faulty(name, &[fault]));
    }
    begin(&the_loop, &CreateRequest::named("plain"));
    let ids: Vec<String> = names.iter().map(|name| id_of(&home, name)).collect();
    for (id, fault) in ids.iter().zip(CHILDREN.iter().cycle()).filter(|(_, fault)| **fault != "ignore-term") {
        wait_for(&format!("the child by {fault}"), || (living(id).len() > 1).then_some(()));
    }
    let report = the_loop.standing().stop_all().expect("a report");
    assert!(report.ok, "{report:#?}");
    assert!(report.sessions.iter().all(|row| row.outcome == Some(Outcome::Stopped)), "{report:#?}");
    assert_eq!(report.sessions.len(), 25);
    for (id, fault) in ids.iter().zip(CHILDREN.iter().cycle()) {
        assert_eq!(living(id), BTreeSet::new(), "what is left of one with {fault}");
    }
    assert!(home.tmux().sessions().is_empty());
}

#[test]
fn what_is_born_while_a_stop_is_at_work_is_ended_as_well() {
    let home = home();
    home.reconfigure(
        "/routing/harnesses/breeder",
        // Whenever it is asked to go it leaves a child of its own that is asked in vain, and another one behind that.
        serde_json::json!({"command": ["sh", "-c",
            "trap '(trap \"\" TERM; setsid sh -c \"trap \\\"\\\" TERM; sleep 600 & sleep 600\" &) ; exit 0' TERM; while :; do sleep 0.05; done"],
            "newArgs": [], "sessionId": "none"}),
    );
    let the_loop = home.the_loop();
    for name in ["a", "b", "c"] {
        let request = CreateRequest { harness: "breeder".to_owned(), ..CreateRequest::named(name) };
        begin(&the_loop, &request);
    }
    let ids = ["a", "b", "c"].map(|name| id_of(&home, name));
    let report = the_loop.standing().stop_all().expect("a report");
    assert!(report.ok, "{report:#?}");
    for id in &ids {
        let left = living(id);
        for pid in &left {
            let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
        }
        assert_eq!(left, BTreeSet::new(), "what was born last is left");
    }
}
