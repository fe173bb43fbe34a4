//! The engine's pane watcher: what is published, how fast, and that it ends with its last subscriber.

use std::{sync::Arc, time::Duration};

use engine::Engine;
use standing::PaneView;
use testkit::TestHome;
use tokio::time::timeout;
use wire::{ControlRequest, ControlVerb, CreateRequest, StandingApi as _};

use crate::app::THE_LOOP;

const CAP: Duration = Duration::from_secs(20);

async fn created() -> (TestHome, Engine) {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let engine = Engine::new(home.the_loop());
    let create = CreateRequest { harness: "echoer".to_owned(), ..CreateRequest::named("ops") };
    assert!(engine.create(&create).await.expect("created").ok);
    (home, engine)
}

/// Waits for a view that contains a text.
async fn shown(pane: &mut engine::PaneSubscription, text: &str) -> Arc<PaneView> {
    let found = async {
        let mut view = pane.view();
        while !view.lines.iter().any(|line| line.contains(text)) {
            view = pane.changed().await.expect("the watcher works");
        }
        view
    };
    timeout(CAP, found).await.unwrap_or_else(|_| panic!("{text} in {:?}", pane.view()))
}

fn watchers(home: &TestHome) -> usize {
    home.tmux().sessions().iter().filter(|name| name.starts_with("loop-watch-")).count()
}

async fn until(what: &str, is: impl Fn() -> bool) {
    let wait = async {
        while !is() {
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
    };
    timeout(CAP, wait).await.unwrap_or_else(|_| panic!("timed out waiting for {what}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watched_pane_is_published_and_costs_nothing_without_a_subscriber() {
    let (home, engine) = created().await;
    let mut pane = engine.watch_pane("ops").await.expect("watched");
    let first = shown(&mut pane, "echoer is ready").await;
    assert!(first.version > 0 && first.alive);
    until("one client", || watchers(&home) == 1).await;
    let mut second = engine.watch_pane("ops").await.expect("watched");
    home.tmux().run(&["send-keys", "-t", "=loop-standing-ops:", "marmalade", "Enter"]);
    let (one, two) = (shown(&mut pane, "echo: marmalade").await, shown(&mut second, "echo: marmalade").await);
    assert!(Arc::ptr_eq(&one, &two), "both have the same view");
    assert_eq!(watchers(&home), 1, "one client for all of them");
    drop(pane);
    home.tmux().run(&["send-keys", "-t", "=loop-standing-ops:", "honey", "Enter"]);
    shown(&mut second, "echo: honey").await;
    drop(second);
    until("the end of its client", || watchers(&home) == 0).await;
    let again = engine.watch_pane("ops").await.expect("watched");
    assert!(again.view().lines.iter().any(|line| line.contains("honey")), "the first view is there at once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_and_a_start_are_published_and_the_end_of_the_service_ends_it() {
    let (_home, engine) = created().await;
    let mut pane = engine.watch_pane("ops").await.expect("watched");
    shown(&mut pane, "echoer is ready").await;
    let request = |verb| ControlRequest { name: "ops".to_owned(), verb };
    engine.control(&request(ControlVerb::Stop)).await.expect("stopped");
    let closed = timeout(CAP, async {
        loop {
            let view = pane.changed().await.expect("the watcher works");
            if !view.alive {
                break view;
            }
        }
    });
    let closed = closed.await.expect("its end");
    assert!(
        closed.lines.iter().any(|line| line.contains("echoer is ready")),
        "the last screen stays: {:?}",
        closed.lines
    );
    engine.control(&request(ControlVerb::Start)).await.expect("started");
    let mut view = pane.view();
    while !view.alive {
        view = timeout(CAP, pane.changed()).await.expect("a start").expect("the watcher works");
    }
    engine.close();
    timeout(CAP, async { while pane.changed().await.is_some() {} }).await.expect("the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pane_of_another_program_is_refused() {
    let (home, engine) = created().await;
    home.tmux().start_foreign("loop-standing-theirs");
    let refused = engine.watch_pane("theirs").await.expect_err("refused");
    assert!(refused.to_string().contains("not managed by the-loop"), "{refused}");
    assert!(engine.watch_pane("nothing").await.is_err());
}

/// Prints the delay of changes and the processor time of the process, for one and ten watched panes.
#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stderr, reason = "it prints a measurement")]
#[ignore = "a measurement: cargo test --release --package server --test surfaces measure_panes -- --ignored --nocapture"]
async fn measure_panes() {
    use std::time::Instant;
    let (home, engine) = created().await;
    for number in 1..10 {
        let name = format!("more-{number}");
        let create = CreateRequest { harness: "echoer".to_owned(), ..CreateRequest::named(&name) };
        assert!(engine.create(&create).await.expect("created").ok);
    }
    let mut pane = engine.watch_pane("ops").await.expect("watched");
    shown(&mut pane, "echoer is ready").await;
    let mut delays = Vec::new();
    for number in 0..100 {
        // Not in step with the watcher.
        tokio::time::sleep(Duration::from_millis(150 + number * 37 % 100)).await;
        let text = format!("number-{number}-");
        home.tmux().run(&["send-keys", "-t", "=loop-standing-ops:", &text, "Enter"]);
        let begun = Instant::now();
        shown(&mut pane, &format!("echo: {text}")).await;
        delays.push(begun.elapsed());
    }
    delays.sort();
    eprintln!("change to view: p50 {:?}, p95 {:?}, max {:?}", delays[50], delays[95], delays[99]);
    let mut more = Vec::new();
    for watched in [1, 10] {
        for number in 1..watched {
            more.push(engine.watch_pane(&format!("more-{number}")).await.expect("watched"));
        }
        for busy in [false, true] {
            let (before, begun) = (cpu(), Instant::now());
            while begun.elapsed() < Duration::from_secs(10) {
                if busy {
                    let lines = "x".repeat(100);
                    home.tmux().run(&["send-keys", "-t", "=loop-standing-ops:", &lines, "Enter"]);
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            let used = cpu() - before;
            eprintln!(
                "{watched} watched, busy {busy}: {:.2} % of a core",
                used * 100.0 / begun.elapsed().as_secs_f64()
            );
        }
    }
    drop((pane, more));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (before, begun) = (cpu(), Instant::now());
    tokio::time::sleep(Duration::from_secs(10)).await;
    eprintln!("none watched: {:.2} % of a core", (cpu() - before) * 100.0 / begun.elapsed().as_secs_f64());
}

/// Returns the processor time of this process in seconds.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("a process");
    let fields: Vec<&str> = stat.rsplit_once(") ").expect("fields").1.split(' ').collect();
    let ticks: u32 = [11, 12].iter().map(|&at: &usize| fields[at].parse::<u32>().expect("ticks")).sum();
    f64::from(ticks) / 100.0
}
