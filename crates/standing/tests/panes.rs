//! Captures of panes: colours, history, dead panes, and watching them without a process for each look. The tmux and the
//! programs in it are real.

use std::{collections::BTreeMap, sync::Arc};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::json;
use standing::{
    ControlRequest, ControlVerb, CreateRequest, Error, PaneView, PaneWatching, SCROLLBACK, SessionName, TheLoop,
};
use testkit::{TestHome, wait_for};

fn home() -> TestHome {
    TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch")).build()
}

/// Creates a session that runs a shell script.
fn run(home: &TestHome, the_loop: &TheLoop, name: &str, script: &str) {
    let harness = json!({ "command": ["sh", "-c", script], "newArgs": [name] });
    home.reconfigure(&format!("/routing/harnesses/{name}"), harness);
    let create = CreateRequest { harness: name.to_owned(), ..CreateRequest::named(name) };
    let report = the_loop.standing().create(&create).expect("created");
    assert!(report.ok, "{report:#?}");
}

fn view(the_loop: &TheLoop, name: &str) -> PaneView {
    the_loop.standing().pane(name).expect("it is shown").expect("a pane")
}

/// Waits until the screen of a session contains a line.
fn line(the_loop: &TheLoop, name: &str, line: &str) -> PaneView {
    wait_for(line, || {
        let view = view(the_loop, name);
        view.lines.iter().any(|shown| &**shown == line).then_some(view)
    })
}

/// Sessions to look at, of which nothing is known yet.
fn names(names: &[&str]) -> BTreeMap<SessionName, Arc<PaneView>> {
    names.iter().map(|name| (SessionName::parse(name).expect("a name"), Arc::default())).collect()
}

/// Looks until a view of the session is as it should be.
fn seen(watching: &mut PaneWatching, name: &str, what: &str, wanted: impl Fn(&PaneView) -> bool) -> Arc<PaneView> {
    wait_for(what, || {
        let look = watching.look(&names(&[name]), false);
        look.changed.into_iter().map(|(_, view)| view).find(|view| wanted(view))
    })
}

fn has(view: &PaneView, text: &str) -> bool {
    view.lines.iter().any(|line| line.contains(text))
}

fn server(home: &TestHome) -> Pid {
    let said = home.tmux().run(&["display-message", "-p", "#{pid}"]);
    Pid::from_raw(String::from_utf8_lossy(&said.stdout).trim().parse().expect("a server"))
}

fn size(home: &TestHome, name: &str) -> String {
    let format = "#{pane_width} #{pane_height} #{session_attached}";
    let said = home.tmux().run(&["display-message", "-p", "-t", &format!("=loop-standing-{name}:"), format]);
    String::from_utf8_lossy(&said.stdout).trim().to_owned()
}

fn control(the_loop: &TheLoop, name: &str, verb: ControlVerb) {
    let request = ControlRequest { name: name.to_owned(), verb };
    assert!(the_loop.standing().control(&request).expect("a report").ok);
}

#[test]
fn a_screen_is_captured_with_its_colours_and_true_size() {
    let (home, script) =
        (home(), r"printf '\033[1;31mred\nstill\033[0m \033[48;5;22mwide\033[K\033[0m 日本\nend\n'; sleep 600");
    let the_loop = home.the_loop();
    run(&home, &the_loop, "painter", script);
    let view = line(&the_loop, "painter", "end");
    let green = &*view.lines[1];
    assert_eq!(&*view.lines[0], "\u{1b}[0;1;31mred");
    assert!(green.starts_with("\u{1b}[0;1;31mstill\u{1b}[0m \u{1b}[0;48;5;22mwide"), "{green:?}");
    assert!(green.contains("日本"), "{green:?}");
    assert_eq!((view.first, view.lines.len(), view.alive, view.alternate), (0, 3, true, false));
    assert_eq!(size(&home, "painter"), format!("{} {} 0", view.cols, view.rows));
}

#[test]
fn a_dead_pane_keeps_its_last_screen_without_the_line_of_tmux() {
    let home = home();
    let the_loop = home.the_loop();
    run(&home, &the_loop, "short", "sleep 1; printf 'first\\nlast words\\n'; exit 3");
    // tmux writes its own line, and scrolls for it, a moment after it reports the end.
    let ended = |view: &PaneView| !view.alive && view.lines.len() == 2;
    let view = wait_for("its end", || Some(view(&the_loop, "short")).filter(ended));
    assert_eq!(view.lines.iter().map(|line| &**line).collect::<Vec<_>>(), ["first", "last words"]);
}

#[test]
fn the_history_is_read_in_pages_and_its_lines_keep_their_numbers() {
    let home = home();
    let the_loop = home.the_loop();
    run(&home, &the_loop, "counter", "i=1; while [ $i -le 1200 ]; do echo line-$i; i=$((i+1)); done; sleep 600");
    let view = line(&the_loop, "counter", "line-1200");
    assert_eq!(&*view.lines[0], format!("line-{}", view.first + 1));
    let (mut before, mut found) = (view.first, Vec::new());
    while before > 0 {
        let page = the_loop.standing().scrollback("counter", before).expect("read").expect("a pane");
        assert_eq!(page.first + page.lines.len(), before);
        assert!(page.lines.len() == SCROLLBACK || page.first == 0);
        found.splice(0..0, page.lines);
        before = page.first;
    }
    let all = found.iter().chain(&view.lines).map(ToString::to_string);
    assert_eq!(all.collect::<Vec<_>>(), (1..=1200).map(|number| format!("line-{number}")).collect::<Vec<_>>());
    let beyond = the_loop.standing().scrollback("counter", 1_000_000).expect("read").expect("a pane");
    assert_eq!(beyond.first + beyond.lines.len(), view.first);
}

#[test]
fn only_the_pane_of_a_managed_session_is_shown() {
    let home = home();
    let the_loop = home.the_loop();
    run(&home, &the_loop, "ours", "echo ours; exec sleep 600");
    line(&the_loop, "ours", "ours");
    home.tmux().start_foreign("loop-standing-theirs");
    let standing = the_loop.standing();
    assert!(matches!(standing.pane("theirs"), Err(Error::NotShown { .. })));
    assert!(matches!(standing.scrollback("theirs", 9), Err(Error::NotShown { .. })));
    assert!(matches!(standing.pane("nothing"), Err(Error::Unknown { .. })));
    assert!(matches!(standing.pane("No name"), Err(Error::InvalidName(_))));
    let respawned = home.tmux().run(&["respawn-pane", "-k", "-t", "=loop-standing-ours:", "echo other; sleep 600"]);
    assert!(respawned.status.success());
    wait_for("another program", || matches!(standing.pane("ours"), Err(Error::NotShown { .. })).then_some(()));
}

#[test]
fn a_change_is_seen_through_one_client_without_an_effect_on_the_session() {
    let home = home();
    let the_loop = home.the_loop();
    let script = "while IFS= read -r line; do printf '\\033[32mgot %s\\033[0m\\n' \"$line\"; done";
    run(&home, &the_loop, "reader", script);
    let before = size(&home, "reader");
    let mut watching = PaneWatching::new(the_loop.clone());
    seen(&mut watching, "reader", "its screen", |view| view.alive);
    home.tmux().run(&["send-keys", "-t", "=loop-standing-reader:", "one", "Enter"]);
    let first = seen(&mut watching, "reader", "a change", |view| has(view, "\u{1b}[0;32mgot one"));
    home.tmux().run(&["send-keys", "-t", "=loop-standing-reader:", "two", "Enter"]);
    let second = seen(&mut watching, "reader", "another change", |view| has(view, "got two"));
    assert!(second.version > first.version);
    let at = first.lines.iter().position(|line| line.contains("got one")).expect("shown");
    assert!(Arc::ptr_eq(&first.lines[at], &second.lines[at]), "an unchanged line is shared");
    let settled = wait_for("a quiet look", || {
        Some(watching.look(&names(&["reader"]), false)).filter(|look| look.changed.is_empty())
    });
    assert!(settled.pause.as_millis() <= 100, "{settled:?}");
    assert_eq!(size(&home, "reader"), before, "its size, and no client is attached");
    let ours = format!("loop-watch-{}-", std::process::id());
    assert_eq!(home.tmux().sessions().iter().filter(|name| name.starts_with(&ours)).count(), 1);
    drop(watching);
    wait_for("the end of its client", || (home.tmux().sessions() == ["loop-standing-reader"]).then_some(()));
}

#[test]
fn a_stop_and_a_start_are_followed() {
    let home = home();
    let the_loop = home.the_loop();
    run(&home, &the_loop, "ops", "echo ready; exec sleep 600");
    let mut watching = PaneWatching::new(the_loop.clone());
    let first = seen(&mut watching, "ops", "its screen", |view| has(view, "ready"));
    control(&the_loop, "ops", ControlVerb::Stop);
    let closed = seen(&mut watching, "ops", "its end", |view| !view.alive);
    assert_eq!(closed.lines, first.lines, "the last screen stays");
    wait_for("the end of the server", || {
        watching.look(&names(&["ops"]), false);
        home.tmux().sessions().is_empty().then_some(())
    });
    control(&the_loop, "ops", ControlVerb::Start);
    let look = watching.look(&names(&["ops"]), true);
    assert!(look.changed.iter().any(|(_, view)| view.alive), "found at once after a verb: {look:?}");
}

#[test]
fn a_stopped_server_is_not_asked_and_a_killed_one_is_gone() {
    let home = home();
    let the_loop = home.the_loop();
    run(&home, &the_loop, "ops", "echo ready; exec sleep 600");
    let mut watching = PaneWatching::new(the_loop.clone());
    seen(&mut watching, "ops", "its screen", |view| has(view, "ready"));
    let stopped = server(&home);
    kill(stopped, Signal::SIGSTOP).expect("stopped");
    let look = wait_for("a slow look", || {
        Some(watching.look(&names(&["ops"]), false)).filter(|look| look.pause.as_millis() >= 1000)
    });
    assert!(look.changed.is_empty(), "nothing is known: {look:?}");
    kill(stopped, Signal::SIGCONT).expect("goes on");
    home.tmux().run(&["resize-window", "-t", "=loop-standing-ops:", "-x", "61", "-y", "17"]);
    seen(&mut watching, "ops", "another size", |view| (view.cols, view.rows) == (61, 17));
    kill(stopped, Signal::SIGKILL).expect("killed");
    let closed = seen(&mut watching, "ops", "its end", |view| !view.alive);
    assert!(has(&closed, "ready"), "{closed:?}");
    wait_for("the end of its process", || {
        let row = the_loop.standing().get("ops").expect("a row");
        (row.state == standing::State::Stopped).then_some(())
    });
    control(&the_loop, "ops", ControlVerb::Start);
    seen(&mut watching, "ops", "the pane on the new server", |view| view.alive);
}
