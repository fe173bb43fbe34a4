//! Measures exactly-once delivery: eight writers in two processes send 1000 messages of 5 KB to one session. Counts the
//! messages that arrive whole and in order, beside the three obvious calls.

use std::{
    env, fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Instant,
};

use serde_json::Value;
use standing::{CreateRequest, SayRequest, Surroundings, TheLoop};
use testkit::TestHome;

const WRITERS: usize = 8;
const EACH: usize = 125;
const SIZE: usize = 5 * 1024;

/// First argument of this program when it is one of the two processes; the second is its first writer.
pub(crate) const WRITER: &str = "writers-from";

pub(crate) fn run(exe: &Path) {
    let begun = Instant::now();
    let home = ready(exe);
    let me = env::current_exe().expect("this program");
    let mut processes: Vec<_> = [0, WRITERS / 2]
        .iter()
        .map(|first| {
            let mut command = home.command(&me);
            command.args([WRITER, &first.to_string()]).env("THE_LOOP_BIN", exe).spawn().expect("it starts")
        })
        .collect();
    assert!(processes.iter_mut().all(|process| process.wait().expect("it ends").success()));
    told("say", &home, begun);

    let begun = Instant::now();
    let home = ready(exe);
    thread::scope(|writers| {
        for writer in 0..WRITERS {
            let home = &home;
            writers.spawn(move || (0..EACH).for_each(|number| naive(home, &body(writer, number))));
        }
    });
    // This is the last message in the pane's input.
    say(&home.the_loop(), WRITERS, "the end");
    told("load-buffer, paste-buffer, send-keys", &home, begun);
}

/// Runs one of the two processes.
pub(crate) fn writers(exe: &Path, first: usize) {
    let the_loop = TheLoop::open_in(None, Surroundings::of_process().with_exe(exe), "bench");
    thread::scope(|writers| {
        for writer in first..first + WRITERS / 2 {
            let the_loop = &the_loop;
            writers.spawn(move || (0..EACH).for_each(|number| say(the_loop, writer, &body(writer, number))));
        }
    });
}

fn ready(exe: &Path) -> TestHome {
    let home = TestHome::builder().exe(exe).build();
    assert!(home.the_loop().standing().create(&CreateRequest::named("x")).expect("created").ok);
    say(&home.the_loop(), WRITERS, "are you up?");
    home
}

fn say(the_loop: &TheLoop, writer: usize, text: &str) {
    let actor = format!("writer-{writer}");
    let request = SayRequest { name: "x".to_owned(), text: text.to_owned(), actor, ..SayRequest::default() };
    the_loop.standing().say(&request).expect("said");
}

fn naive(home: &TestHome, text: &str) {
    let call = |args: &[&str], input: &str| {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", home.tmux().name()]).args(args).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = tmux.spawn().expect("tmux runs");
        // A reader that does not read has ended already, and reports that itself.
        let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
        child.wait().expect("it ends");
    };
    call(&["load-buffer", "-b", "message", "-"], text);
    call(&["paste-buffer", "-p", "-b", "message", "-t", "=loop-standing-x:"], "");
    call(&["send-keys", "-t", "=loop-standing-x:", "Enter"], "");
}

/// Returns a message of several lines that contains its writer, its number and its end.
fn body(writer: usize, number: usize) -> String {
    let (begin, end) = (format!("begin {writer}/{number}\n"), format!("end {writer}/{number}"));
    let line = format!("writer {writer}, message {number}: so that a torn one is seen\n");
    let lines = (SIZE - begin.len() - end.len()) / line.len();
    format!("{begin}{}{end}", line.repeat(lines))
}

/// Prints the messages that arrived, from the agent's own log.
fn told(what: &str, home: &TestHome, begun: Instant) {
    let mut whole = vec![Vec::new(); WRITERS];
    let mut turns = 0;
    for turn in submitted(home) {
        let text = turn.split_once("\n\n").map_or(turn.as_str(), |(_, text)| text);
        let known = (0..WRITERS).flat_map(|writer| (0..EACH).map(move |number| (writer, number)));
        turns += usize::from(text.contains("so that a torn one is seen"));
        if let Some((writer, number)) = known.into_iter().find(|&(writer, number)| text == body(writer, number)) {
            whole[writer].push(number);
        }
    }
    let arrived: usize = whole.iter().map(Vec::len).sum();
    let in_order = whole.iter().filter(|numbers| numbers.is_sorted() && numbers.len() == EACH).count();
    println!(
        "{} messages of 5 KB, {WRITERS} writers, by {what}: {arrived} whole in {turns} turns, {in_order} writers with \
         all in order, {:.0} s",
        WRITERS * EACH,
        begun.elapsed().as_secs_f64()
    );
}

fn submitted(home: &TestHome) -> Vec<String> {
    let projects = fs::read_dir(home.home().join(".the-loop-demo/projects")).expect("conversations");
    let files = projects.flatten().flat_map(|project| fs::read_dir(project.path()).expect("a folder").flatten());
    let text: String = files.map(|file| fs::read_to_string(file.path()).expect("a conversation")).collect();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter(|line| line["type"] == "user")
        .map(|line| line["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}
