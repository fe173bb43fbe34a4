//! Watching the sessions: what is told, what it costs, and what is said while nothing can be seen. The tmux, the agents and
//! the signals are real.

use std::{collections::BTreeMap, env, fs, os::unix::fs::PermissionsExt as _, path::PathBuf, sync::Arc};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::json;
use standing::{
    Activity, ControlRequest, ControlVerb, CreateRequest, Look, PaneView, PaneWatching, Reason, Row, SayRequest,
    SessionName, State, TheLoop, Watching,
};
use testkit::{TestHome, wait_for};

fn home() -> TestHome {
    TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch")).build()
}

/// A home whose tmux is counted, and the file in which its calls are written down.
struct Counted {
    home: TestHome,
    calls: PathBuf,
}

impl Counted {
    fn new() -> Self {
        let home = home();
        let (tmux, calls) = (home.path().join("bin/tmux"), home.path().join("calls"));
        let path = env::var_os("PATH").expect("a PATH");
        let mut real = env::split_paths(&path).map(|dir| dir.join("tmux"));
        let real = real.find(|tmux| tmux.exists()).expect("tmux is installed");
        let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n", calls.display(), real.display());
        fs::write(&tmux, script).expect("a program");
        fs::set_permissions(&tmux, fs::Permissions::from_mode(0o755)).expect("permissions");
        Self { home, calls }
    }

    fn the_loop(&self) -> TheLoop {
        let path = format!("{}:{}", self.home.path().join("bin").display(), env::var("PATH").expect("a PATH"));
        let surroundings = self.home.surroundings().with_var("PATH", path);
        TheLoop::open_in(None, surroundings, "test").with_caller(standing::Caller::Unidentified)
    }

    /// How many tmux processes were started so far.
    fn count(&self) -> usize {
        fs::read_to_string(&self.calls).unwrap_or_default().lines().count()
    }
}

fn create(the_loop: &TheLoop, name: &str) {
    let report = the_loop.standing().create(&CreateRequest::named(name)).expect("created");
    assert!(report.ok, "{report:#?}");
}

fn stop(the_loop: &TheLoop, name: &str) {
    let stop = ControlRequest { name: name.to_owned(), verb: ControlVerb::Stop };
    assert!(the_loop.standing().control(&stop).expect("a report").ok);
}

fn rows(look: Look) -> Vec<Row> {
    look.rows.expect("the sessions are listed")
}

/// Looks until all is as it will stay, and a change would be told.
fn settled(watching: &mut Watching) -> Vec<Row> {
    wait_for("a settled look", || {
        let look = watching.look(Reason::Told);
        (!look.unsettled && !watching.heard()).then(|| rows(look))
    })
}

/// Waits for word of a change, then looks until the sessions are as they should be: again only where there is word of
/// another one, or where the look itself asks for it.
fn told(watching: &mut Watching, what: &str, wanted: impl Fn(&[Row]) -> bool) -> Vec<Row> {
    let mut again = false;
    wait_for(what, || {
        if !watching.heard() && !again {
            return None;
        }
        let look = watching.look(Reason::Told);
        again = look.unsettled;
        let rows = rows(look);
        wanted(&rows).then_some(rows)
    })
}

fn server(home: &TestHome) -> Pid {
    let said = home.tmux().run(&["display-message", "-p", "#{pid}"]);
    Pid::from_raw(String::from_utf8_lossy(&said.stdout).trim().parse().expect("a server"))
}

fn send(home: &TestHome, args: &[&str]) {
    let done = home.tmux().run(args);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A watcher and a verb say the same.
fn agree(the_loop: &TheLoop, rows: &[Row]) {
    let brief = |rows: &[Row]| rows.iter().map(|row| (row.name.clone(), row.state, row.running)).collect::<Vec<_>>();
    assert_eq!(brief(rows), brief(&the_loop.standing().list().expect("listed")));
}

#[test]
fn a_change_is_told_and_a_look_starts_no_process() {
    let counted = Counted::new();
    let (home, the_loop) = (&counted.home, counted.the_loop());
    for name in ["killed", "titled", "ended"] {
        create(&the_loop, name);
    }
    let mut watching = Watching::new(the_loop.clone());
    let seen = settled(&mut watching);
    assert!(seen.iter().all(|row| row.state == State::Running && row.activity == Activity::Idle), "{seen:?}");
    assert!(
        seen.iter().all(|row| row.memory > Some(0) && !row.as_of.is_empty() && !row.last_line.is_empty()),
        "{seen:?}"
    );
    let before = counted.count();

    send(home, &["select-pane", "-t", "=loop-standing-titled:", "-T", "titled anew"]);
    told(&mut watching, "a title", |_| true);
    let pid = seen.iter().find(|row| row.name == "killed").and_then(|row| row.pid).expect("it runs");
    kill(Pid::from_raw(i32::try_from(pid).expect("a pid fits")), Signal::SIGKILL).expect("killed");
    let is = |rows: &[Row], name: &str, state| rows.iter().any(|row| row.name == name && row.state == state);
    let seen = told(&mut watching, "the end of a process", |rows| is(rows, "killed", State::Ended));
    let killed = seen.iter().find(|row| row.name == "killed").expect("listed");
    assert!(killed.reason.contains("signal 9"), "{}", killed.reason);
    send(home, &["kill-session", "-t", "=loop-standing-ended"]);
    told(&mut watching, "a closed session", |rows| is(rows, "ended", State::Stopped));
    settled(&mut watching);
    assert_eq!(counted.count(), before, "{}", fs::read_to_string(&counted.calls).expect("calls"));

    create(&the_loop, "new");
    let seen = told(&mut watching, "a new session", |rows| is(rows, "new", State::Running));
    agree(&the_loop, &seen);
}

#[test]
fn a_look_at_a_pane_starts_no_process() {
    let counted = Counted::new();
    let (home, the_loop) = (&counted.home, counted.the_loop());
    create(&the_loop, "ops");
    let name = SessionName::parse("ops").expect("a name");
    let views = BTreeMap::from([(name, Arc::<PaneView>::default())]);
    let mut watching = PaneWatching::new(the_loop);
    watching.look(&views, false);
    wait_for("a connection", || (watching.look(&views, false).pause.as_millis() <= 100).then_some(()));
    let before = counted.count();
    send(home, &["send-keys", "-t", "=loop-standing-ops:", "-l", "typed"]);
    wait_for("the change", || {
        let changed = watching.look(&views, false).changed;
        changed.iter().any(|(_, view)| view.lines.iter().any(|line| line.contains("typed"))).then_some(())
    });
    assert_eq!(counted.count(), before, "{}", fs::read_to_string(&counted.calls).expect("calls"));
}

#[test]
fn time_alone_asks_nothing_where_no_session_can_have_come() {
    let counted = Counted::new();
    let the_loop = counted.the_loop();
    create(&the_loop, "ops");
    let deaf = CreateRequest {
        harness_args: Some(vec!["--fault".to_owned(), "ignore-hup".to_owned()]),
        ..CreateRequest::named("deaf")
    };
    assert!(the_loop.standing().create(&deaf).expect("created").ok);
    let mut watching = Watching::new(the_loop.clone());
    settled(&mut watching);
    kill(server(&counted.home), Signal::SIGKILL).expect("killed");
    let states = |look: Look| rows(look).iter().map(|row| row.state).collect::<Vec<_>>();
    let gone = [State::Orphaned, State::Stopped];
    wait_for("a judgement", || (states(watching.look(Reason::Told)) == gone).then_some(()));
    let before = counted.count();
    for _ in 0..3 {
        assert_eq!(states(watching.look(Reason::Time)), gone);
    }
    assert_eq!(counted.count(), before);
    // What needs no tmux is seen all the same.
    stop(&the_loop, "deaf");
    assert_eq!(states(watching.look(Reason::Time)), [State::Stopped; 2]);
}

#[test]
fn what_a_session_prints_is_seen_in_its_row() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops");
    let mut watching = Watching::new(the_loop.clone());
    settled(&mut watching);
    let say = SayRequest { name: "ops".to_owned(), text: "sing a song".to_owned(), ..SayRequest::default() };
    the_loop.standing().say(&say).expect("said");
    let sings = |rows: &[Row]| rows.iter().any(|row| row.activity == Activity::Idle && !row.last_message_at.is_empty());
    told(&mut watching, "an answer", sings);
    let last = settled(&mut watching).remove(0).last_line;
    let screen = the_loop.standing().screen("ops", 50).expect("a screen");
    assert!(!last.is_empty() && screen.contains(&last), "{last:?} in {screen}");
}

#[test]
fn it_shows_itself_as_one_small_session_and_never_keeps_a_server_alive() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops");
    let mut watching = Watching::new(the_loop.clone());
    settled(&mut watching);
    let ours = format!("loop-watch-{}-", std::process::id());
    let sessions = home.tmux().sessions();
    assert_eq!(sessions.iter().filter(|name| name.starts_with(&ours)).count(), 1, "{sessions:?}");
    let attached = || {
        let listed = home.tmux().run(&["list-sessions", "-F", "#{session_name} #{session_attached}"]);
        String::from_utf8_lossy(&listed.stdout).into_owned()
    };
    assert!(attached().contains("loop-standing-ops 0"), "nobody seems to work in it: {}", attached());

    // An operator who ends it loses nothing, and it is back: also where clients go on to another session.
    send(&home, &["set-option", "-g", "detach-on-destroy", "off"]);
    send(&home, &["kill-session", "-t", sessions.iter().find(|name| name.starts_with(&ours)).expect("there")]);
    wait_for("another one", || {
        watching.heard();
        let seen = rows(watching.look(Reason::Told));
        assert_eq!(seen[0].state, State::Running);
        home.tmux().sessions().iter().any(|name| name.starts_with(&ours)).then_some(())
    });
    assert!(attached().contains("loop-standing-ops 0"), "it went on to another session: {}", attached());

    stop(&the_loop, "ops");
    assert_eq!(rows(watching.look(Reason::Told))[0].state, State::Stopped);
    wait_for("the end of the server", || {
        watching.look(Reason::Told);
        home.tmux().sessions().is_empty().then_some(())
    });
}

#[test]
fn it_goes_with_its_watcher() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops");
    let mut watching = Watching::new(the_loop.clone());
    settled(&mut watching);
    drop(watching);
    wait_for("its end", || (home.tmux().sessions() == ["loop-standing-ops"]).then_some(()));
}

#[test]
fn a_stopped_server_makes_every_row_unknown_since_a_time_and_goes_on() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops");
    let mut watching = Watching::new(the_loop.clone());
    settled(&mut watching);
    let server = server(&home);
    kill(server, Signal::SIGSTOP).expect("stopped");
    wait_for("a stopped server", || watching.server_is_stopped().then_some(()));
    let first = watching.look(Reason::Told);
    let blind = first.blind.clone().expect("it cannot see");
    let row = rows(first).remove(0);
    assert_eq!((row.state, row.status, &row.since), (State::Unknown, standing::Status::Running, &blind.since));
    assert!(row.reason.contains("is suspended"), "{}", row.reason);
    let again = watching.look(Reason::Told);
    assert_eq!(again.blind, Some(blind), "since the first time");
    assert!(again.unsettled);
    kill(server, Signal::SIGCONT).expect("goes on");
    let seen = wait_for("sight", || {
        let look = watching.look(Reason::Told);
        look.blind.is_none().then(|| rows(look))
    });
    assert_eq!(seen[0].state, State::Running);
    agree(&the_loop, &settled(&mut watching));
}

#[test]
fn a_killed_server_is_told_and_judged_by_the_process_table() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops");
    let deaf = CreateRequest {
        harness_args: Some(vec!["--fault".to_owned(), "ignore-hup".to_owned()]),
        ..CreateRequest::named("deaf")
    };
    assert!(the_loop.standing().create(&deaf).expect("created").ok);
    let mut watching = Watching::new(the_loop.clone());
    settled(&mut watching);
    kill(server(&home), Signal::SIGKILL).expect("killed");
    let gone = |rows: &[Row]| rows[0].state == State::Orphaned && rows[1].state == State::Stopped;
    let seen = wait_for("a judgement", || {
        let look = watching.look(Reason::Told);
        assert!(look.blind.is_none(), "the process table tells");
        let rows = rows(look);
        gone(&rows).then_some(rows)
    });
    agree(&the_loop, &seen);
    stop(&the_loop, "deaf");
    let start = ControlRequest { name: "ops".to_owned(), verb: ControlVerb::Start };
    assert!(the_loop.standing().control(&start).expect("a report").ok);
    let seen = settled(&mut watching);
    assert_eq!(seen[1].state, State::Running);
    send(&home, &["kill-session", "-t", "=loop-standing-ops"]);
    told(&mut watching, "a change on the new server", |rows| rows[1].state == State::Stopped);
}

#[test]
fn another_server_behind_the_socket_is_the_one_that_counts() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops");
    let mut watching = Watching::new(the_loop.clone());
    settled(&mut watching);
    let socket = watching.places().socket;
    let first = server(&home);
    fs::remove_file(&socket).expect("the socket is there");
    let seen = rows(watching.look(Reason::Told));
    assert_eq!(seen[0].state, State::Orphaned);
    agree(&the_loop, &seen);
    // An operator's, since the-loop spawns nothing beside a server that lives.
    home.tmux().start_foreign("loop-standing-second");
    let second = server(&home);
    let seen = connected(&mut watching);
    assert_eq!(seen[0].state, State::Orphaned);
    agree(&the_loop, &seen);
    send(&home, &["select-pane", "-t", "=loop-standing-second:", "-T", "another"]);
    told(&mut watching, "a change on the second server", |_| true);
    kill(first, Signal::SIGUSR1).expect("told to make its socket anew");
    let seen = wait_for("the first server", || {
        let rows = rows(watching.look(Reason::Told));
        (rows[0].state == State::Running).then_some(rows)
    });
    agree(&the_loop, &seen);
    kill(second, Signal::SIGKILL).expect("killed");
}

/// Looks once the control client is connected to the server that answers now.
fn connected(watching: &mut Watching) -> Vec<Row> {
    wait_for("a connection", || {
        let rows = rows(watching.look(Reason::Told));
        watching.connection().map(|_| rows)
    })
}

#[test]
fn another_socket_in_the_config_is_followed() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops");
    let mut watching = Watching::new(the_loop.clone());
    settled(&mut watching);
    let other = self::home();
    let name = home.tmux().name().to_owned();
    home.reconfigure("/routing/tmux/socket", json!(other.tmux().name()));
    let seen = rows(watching.look(Reason::Told));
    assert_eq!(seen[0].state, State::Orphaned, "it lives on the other server");
    agree(&the_loop, &seen);
    create(&the_loop, "there");
    connected(&mut watching);
    assert!(other.tmux().sessions().iter().any(|name| name.starts_with("loop-watch-")));
    stop(&the_loop, "there");
    home.reconfigure("/routing/tmux/socket", json!(name));
    assert_eq!(connected(&mut watching)[0].state, State::Running);
    agree(&the_loop, &settled(&mut watching));
}

#[test]
fn what_looks_like_the_protocol_on_a_screen_is_text() {
    let home = home();
    let script = "printf '%%end 1 1 1\\n%%exit\\n%%begin 1 2 3\\nlast words\\n'; exec sleep 600";
    home.reconfigure("/routing/harnesses/forger", json!({ "command": ["sh", "-c", script], "newArgs": ["forger"] }));
    let the_loop = home.the_loop();
    let forger = CreateRequest { harness: "forger".to_owned(), ..CreateRequest::named("forger") };
    assert!(the_loop.standing().create(&forger).expect("created").ok);
    create(&the_loop, "ops");
    let mut watching = Watching::new(the_loop.clone());
    let seen = settled(&mut watching);
    assert_eq!((seen[0].last_line.as_str(), seen[0].state), ("last words", State::Running));
    let connection = watching.connection();
    assert!(connection.is_some());
    watching.look(Reason::Told);
    assert_eq!(watching.connection(), connection, "it is still understood");
}
