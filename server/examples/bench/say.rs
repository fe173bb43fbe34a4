//! Measures a message, from the call to its bytes in the pane and to the receipt, beside the naive three calls.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use standing::{CreateRequest, SayRequest, TheLoop};
use testkit::TestHome;

use crate::{in_turn, line, median, timed};

const ROUNDS: usize = 21;

pub(crate) fn run(exe: &Path) {
    let home = TestHome::builder().exe(exe).build();
    let got = home.path().join("got");
    let catcher = json!({"command": ["sh", "-c", format!("exec cat > {}", got.display())], "newArgs": []});
    home.reconfigure("/routing/harnesses/catcher", catcher);
    let the_loop = home.the_loop();
    let request = CreateRequest { harness: "catcher".to_owned(), ..CreateRequest::named("catcher") };
    assert!(the_loop.standing().create(&request).expect("created").ok);
    let ours = || until_bytes(&got, || said(&the_loop, "catcher", "hello there"));
    let bare = || until_bytes(&got, || naive(&home, "loop-standing-catcher", "hello there"));
    let (ours, bare) = in_turn(ROUNDS, ours, bare);
    line("say, call to bytes in the pane", ours, "load-buffer, paste-buffer, send-keys", bare);

    assert!(the_loop.standing().create(&CreateRequest::named("agent")).expect("created").ok);
    let small = median((0..ROUNDS).map(|_| timed(|| said(&the_loop, "agent", "hello there"))).collect());
    println!("say, call to receipt `submitted` (window 150 ms) {small:>7.2} ms");
    let text = "a line of a long message\n".repeat(40_000);
    let large = median((0..5).map(|_| timed(|| said(&the_loop, "agent", &text))).collect());
    println!("say, {} kB, call to receipt `submitted`     {large:>7.2} ms", text.len() / 1000);
}

fn said(the_loop: &TheLoop, name: &str, text: &str) {
    let request = SayRequest { name: name.to_owned(), text: text.to_owned(), ..SayRequest::default() };
    assert!(the_loop.standing().say(&request).expect("said").delivered);
}

fn naive(home: &TestHome, session: &str, text: &str) {
    let file = home.path().join("naive");
    fs::write(&file, text).expect("written");
    let target = format!("={session}:");
    let file = file.to_str().expect("UTF-8");
    for args in [
        vec!["load-buffer", file],
        vec!["paste-buffer", "-p", "-t", &target],
        vec!["send-keys", "-t", &target, "Enter"],
    ] {
        let mut command = Command::new("tmux");
        assert!(command.arg("-L").arg(home.tmux().name()).args(args).status().expect("tmux runs").success());
    }
}

/// Measures from the call until the pane's program has written new output. The call itself continues meanwhile.
fn until_bytes(got: &PathBuf, call: impl FnOnce() + Send) -> Duration {
    let len = || fs::metadata(got).map_or(0, |meta| meta.len());
    let before = len();
    thread::scope(|threads| {
        let begun = Instant::now();
        let calling = threads.spawn(call);
        while len() == before {
            thread::sleep(Duration::from_micros(100));
        }
        let took = begun.elapsed();
        calling.join().expect("the call ends");
        // The rest of the output must not count for the next round.
        let mut last = len();
        loop {
            thread::sleep(Duration::from_millis(20));
            let now = len();
            if now == last {
                return took;
            }
            last = now;
        }
    })
}
