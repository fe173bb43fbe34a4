//! Under systemd: what it is told, and the socket it hands over. The other end here is the test's own.

use std::{
    net::TcpListener,
    os::{fd::OwnedFd, unix::net::UnixDatagram},
    process::{Command, Stdio},
};

use testkit::{CAP, Http, TestHome, TestService, wait_for};

use crate::app::THE_LOOP;

fn home() -> TestHome {
    TestHome::builder().exe(THE_LOOP).build()
}

/// The socket of somebody who wants to know how a service is.
fn listener(home: &TestHome) -> (UnixDatagram, std::path::PathBuf) {
    let path = home.path().join("notify.sock");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    socket.set_read_timeout(Some(CAP)).expect("a limit");
    (socket, path)
}

fn next(socket: &UnixDatagram) -> String {
    let mut bytes = [0; 4096];
    let read = socket.recv(&mut bytes).expect("a message");
    String::from_utf8_lossy(&bytes[..read]).into_owned()
}

#[test]
fn it_tells_that_it_is_ready_alive_and_about_to_end() {
    let home = home();
    let (socket, path) = listener(&home);
    let mut service = TestService::start_with(THE_LOOP, &home, |command| {
        command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "400000");
    });
    let ready = next(&socket);
    assert!(ready.contains("READY=1") && ready.contains(service.address().trim_end_matches("/#/standing")), "{ready}");
    for _ in 0..3 {
        assert_eq!(next(&socket).trim(), "WATCHDOG=1");
    }
    assert_eq!(service.stop().code(), Some(0));
    wait_for("the end to be told", || next(&socket).contains("STOPPING=1").then_some(()));
}

#[test]
fn a_watchdog_for_another_process_is_left_alone() {
    let home = home();
    let (socket, path) = listener(&home);
    let mut service = TestService::start_with(THE_LOOP, &home, |command| {
        command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "1000").env("WATCHDOG_PID", "1");
    });
    assert!(next(&socket).contains("READY=1"));
    service.stop();
    assert!(next(&socket).contains("STOPPING=1"), "nothing came between");
}

/// `the-loop serve` with a listening socket as its descriptor 3, as systemd hands it over.
fn with_socket(home: &TestHome, listener: TcpListener) -> Command {
    let mut shell = home.command("/bin/sh");
    let script = format!("exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec '{THE_LOOP}' serve");
    shell.args(["-c", &script]).stdin(Stdio::from(OwnedFd::from(listener)));
    shell
}

#[test]
fn a_socket_that_was_opened_for_it_is_the_one_it_serves() {
    let home = home();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let authority = listener.local_addr().expect("an address").to_string();
    let mut child = with_socket(&home, listener).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs");
    // The socket was there before the service: a request waits for it.
    let answer = Http::to(authority).get("/api/v1/health");
    assert_eq!(answer.status, 200, "{answer:?}");
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(i32::try_from(child.id()).expect("a pid fits")),
        nix::sys::signal::Signal::SIGTERM,
    )
    .expect("it lives");
    assert!(child.wait().expect("ended").success());
}

#[test]
fn a_socket_that_others_can_reach_must_be_meant() {
    let home = home();
    let listener = TcpListener::bind("0.0.0.0:0").expect("a port");
    let output = with_socket(&home, listener).output().expect("runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("service.exposed"), "{output:?}");
}
