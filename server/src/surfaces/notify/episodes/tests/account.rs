//! Problems of an account, which its sessions share.

use wire::{Block, Blocked, Row};

use super::{Stage, idle, notify, time};

fn limited(name: &str, since: u64, until: u64) -> Row {
    let mut row = Row { harness: "claude".to_owned(), ..idle(name) };
    row.set_blocked(Some(Blocked {
        kind: Block::Limited,
        since: time(since),
        until: Some(time(until)),
        evidence: "its transcript says: limit".to_owned(),
    }));
    row
}

#[test]
fn a_limit_of_an_account_rings_once_for_all_its_sessions() {
    const NOON: u64 = 3_600_000;
    let mut stage = Stage::new(&[notify("a")]);
    stage.shows(0, &[limited("a", 0, NOON), idle("b"), idle("c")], 5_000);
    assert_eq!(stage.rings, [(0, "a limited".to_owned())]);
    // Others reach it, and the first one is stopped.
    stage.shows(5_001, &[limited("a", 0, NOON), limited("b", 4_000, NOON), idle("c")], 60_000);
    stage.shows(60_001, &[limited("b", 4_000, NOON), limited("c", 50_000, NOON)], 600_000);
    stage.restart();
    stage.shows(600_001, &[limited("c", 50_000, NOON)], 700_000);
    assert_eq!(stage.counts(), (1, 0), "{:?}", stage.rings);
    stage.shows(700_001, &[idle("b"), idle("c")], 710_000);
    assert_eq!(stage.counts(), (1, 1));
    stage.shows(710_001, &[limited("c", 705_000, 2 * NOON)], 720_000);
    assert_eq!(stage.counts(), (2, 1), "the next limit");
}

#[test]
fn another_limit_of_the_same_account_is_another_episode() {
    let mut stage = Stage::new(&[notify("a")]);
    let (first, second) = (limited("a", 0, 3_600_000), limited("b", 1_000, 7_200_000));
    stage.shows(0, &[first, second], 10_000);
    assert_eq!(stage.counts(), (2, 0), "two accounts of one harness");
}
