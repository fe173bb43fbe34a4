//! Rows 4 and 5: many at once, in several processes, want the same.

use serde_json::json;
use standing::{CreateRequest, Outcome, ProblemCode};

use crate::{
    actor::{Actor, Answer, Order},
    scene::{builder, harness, harnesses, home, record, request, rounds},
};

/// Has both processes do these at once, and gathers all answers.
fn at_once(one: &mut Actor, other: &mut Actor, orders: &[Vec<Order>; 2]) -> Vec<Answer> {
    one.send(&orders[0]);
    other.send(&orders[1]);
    let mut answers = one.answers().expect("it answers");
    answers.extend(other.answers().expect("it answers"));
    answers
}

#[test]
fn row_04_of_twenty_starts_at_once_one_spawns_and_the_others_find_it_running() {
    let home = home();
    let the_loop = home.the_loop();
    let (mut cli, mut service) = (Actor::start(&home), Actor::start(&home));
    Order::Create(CreateRequest { start: false, ..request(&home, "x") }).done_by(&the_loop);
    for round in 0..rounds(8, 200) {
        let starts = || vec![Order::Start("x".to_owned()); 10];
        let answers = at_once(&mut cli, &mut service, &[starts(), starts()]);
        let outcomes: Vec<_> = answers.iter().map(Answer::outcome).collect();
        let spawned = |outcome: &&Option<Outcome>| matches!(outcome, Some(Outcome::Started | Outcome::Resumed));
        assert_eq!(outcomes.iter().filter(spawned).count(), 1, "round {round}: {answers:?}");
        let found = outcomes.iter().filter(|outcome| **outcome == Some(Outcome::AlreadyRunning)).count();
        assert_eq!(found, 19, "round {round}: {answers:?}");
        harness(&home, "x");
        assert_eq!(home.tmux().sessions().len(), 1);
        assert_eq!(Order::Stop("x".to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Stopped));
    }
}

#[test]
fn row_05_of_ten_creates_at_once_one_wins_and_keeps_its_record() {
    let home = home();
    let the_loop = home.the_loop();
    let (mut cli, mut service) = (Actor::start(&home), Actor::start(&home));
    for round in 0..rounds(4, 50) {
        let creates = |who: &str| {
            let create = |number| CreateRequest { description: format!("{who} {number}"), ..request(&home, "x") };
            (0..5).map(|number| Order::Create(create(number))).collect()
        };
        let answers = at_once(&mut cli, &mut service, &[creates("cli"), creates("service")]);
        let won: Vec<_> = answers.iter().filter(|answer| answer.outcome() == Some(Outcome::Started)).collect();
        let lost = answers.iter().filter(|answer| answer.refusal() == Some(ProblemCode::NameTaken)).count();
        assert_eq!((won.len(), lost), (1, 9), "round {round}: {answers:?}");
        let Answer::Rows(rows) = won[0] else { panic!("{won:?}") };
        assert_eq!(record(&home, "x").expect("a record")["description"], rows[0].description.as_str());
        harness(&home, "x");
        Order::Delete("x".to_owned()).done_by(&the_loop);
    }
}

#[test]
fn row_05_the_clean_up_of_creates_that_fail_never_touches_the_one_that_wins() {
    let missing = json!({ "command": ["/nowhere/agent"] });
    let home = builder().set("/routing/harnesses/missing", missing).build();
    let the_loop = home.the_loop();
    let (mut cli, mut service) = (Actor::start(&home), Actor::start(&home));
    for round in 0..rounds(3, 50) {
        let fails = CreateRequest { harness: "missing".to_owned(), ..request(&home, "x") };
        let fails = CreateRequest { description: "fails".to_owned(), ..fails };
        let wins = CreateRequest { description: "wins".to_owned(), ..request(&home, "x") };
        let orders = || vec![Order::Create(fails.clone()), Order::Create(wins.clone()), Order::Create(fails.clone())];
        let answers = at_once(&mut cli, &mut service, &[orders(), orders()]);
        let won = answers.iter().filter(|answer| answer.outcome() == Some(Outcome::Started)).count();
        assert_eq!(won, 1, "round {round}: {answers:?}");
        assert_eq!(record(&home, "x").expect("a record")["description"], "wins", "round {round}: {answers:?}");
        harness(&home, "x");
        Order::Delete("x".to_owned()).done_by(&the_loop);
        assert_eq!(harnesses(&home, "x"), [] as [i32; 0]);
    }
}
