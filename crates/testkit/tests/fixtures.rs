//! The fixtures keep their promises: what they begin is gone after them, and what a test leaves is found.

use std::{
    panic::{self, AssertUnwindSafe},
    process::{Child, Command, Stdio},
};

use testkit::{PrivateTmux, Terminal, TestHome, assert_nothing_spawned, marked, wait_for};

/// A child that carries the home's marker, once it can be seen to.
fn marked_child(home: &TestHome) -> Child {
    let child = home.command("/bin/sleep").arg("600").stdin(Stdio::null()).spawn().expect("sleep runs");
    wait_for("the child to be itself", || {
        marked(home.marker()).iter().any(|(_, line)| line.contains("600")).then_some(())
    });
    child
}

fn panics<T>(act: impl FnOnce() -> T) -> Option<String> {
    let caught = panic::catch_unwind(AssertUnwindSafe(act)).err()?;
    Some(caught.downcast_ref::<String>().cloned().unwrap_or_default())
}

#[test]
fn a_private_tmux_is_gone_after_its_drop() {
    let tmux = PrivateTmux::new();
    let name = tmux.name().to_owned();
    assert_eq!(tmux.sessions(), Vec::<String>::new());
    tmux.start_foreign("one");
    assert_eq!(tmux.sessions(), ["one"]);
    wait_for("the screen", || tmux.screen("one").contains("foreign").then_some(()));
    drop(tmux);
    let left = Command::new("tmux").args(["-L", &name, "list-sessions"]).output().expect("tmux runs");
    assert!(!left.status.success());
}

#[test]
fn a_stopped_tmux_is_gone_as_well() {
    let tmux = PrivateTmux::new();
    tmux.start_foreign("one");
    let told = tmux.run(&["display-message", "-p", "#{pid}"]).stdout;
    let pid = String::from_utf8_lossy(&told).trim().to_owned();
    assert!(Command::new("kill").args(["-STOP", &pid]).status().expect("kill runs").success());
    drop(tmux);
    wait_for("the server to be gone", || (!std::path::Path::new(&format!("/proc/{pid}")).exists()).then_some(()));
}

#[test]
fn a_home_tells_of_a_process_left_behind_and_ends_it() {
    let home = TestHome::builder().build();
    let mut child = marked_child(&home);
    let told = panics(|| drop(home)).expect("a leak is no pass");
    assert!(told.contains("left behind") && told.contains("sleep 600"), "{told}");
    assert!(!child.wait().expect("it ended").success());
}

#[test]
fn a_spawn_is_noticed() {
    let home = TestHome::builder().build();
    assert_eq!(assert_nothing_spawned(&home, || 1), 1);
    let mut begun = Vec::new();
    let told =
        panics(|| assert_nothing_spawned(&home, || begun.push(marked_child(&home)))).expect("a spawn is no pass");
    assert!(told.contains("something was spawned"), "{told}");
    for mut child in begun {
        child.kill().expect("it lives");
        child.wait().expect("it ends");
    }
    let told = panics(|| assert_nothing_spawned(&home, || home.tmux().start_foreign("one")));
    assert!(told.is_some(), "a tmux session is a spawn");
}

#[test]
fn a_terminal_is_one() {
    let home = TestHome::builder().build();
    let terminal = Terminal::open(&home);
    terminal.type_line("test -t 0 && test -t 1 && echo \"it is: $HOME\"");
    let expected = format!("it is: {}", home.home().display());
    wait_for("the answer", || terminal.screen().contains(&expected).then_some(()));
}
