//! Measures the REST list over kept-alive connections, beside `/health`, which only passes the guard.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use standing::{CreateRequest, TheLoop};
use testkit::{TestHome, TestHomeBuilder, TestService};

use crate::table::{Aim, Table};

/// Number of requests per figure, divided among the clients.
const REQUESTS: usize = 1000;

pub(crate) fn run(exe: &Path, table: &mut Table) {
    let list = "/api/v1/standing-sessions";
    for sessions in [50, 500] {
        let home = sleepers(TestHome::builder().exe(exe).set("/routing/tmux/resumeProbeSeconds", json!(0)));
        drop(start_sleepers(&home, 0, sessions));
        let service = TestService::start(exe, &home);
        let cold = figure(&service, list, 1);
        println!("REST list, {sessions} sessions, without a watcher: p50 {:.2} ms, p99 {:.2} ms", cold.p50, cold.p99);
        let watched = begun(&service, "/api/v1/stream", "event: resync");
        for clients in [1, 50] {
            let (listed, health) = (figure(&service, list, clients), figure(&service, "/health", clients));
            let measured = |figure: &Figure| format!("p50 {:.2}, p99 {:.2} ms", figure.p50, figure.p99);
            let (value, aim) = match (sessions, clients) {
                (500, 1) => (listed.p50, Aim::Most(2.0, "ms (p50)")),
                (500, _) => (listed.p99, Aim::Most(20.0, "ms (p99)")),
                _ => (listed.p50, Aim::None),
            };
            let what = format!("REST list, {sessions} sessions, watcher warm, {clients} clients");
            table.row(&what, value, &measured(&listed), &format!("/health: {}", measured(&health)), &aim);
        }
        drop(watched);
    }
}

/// Builds a home in which `sleeper` is a harness that only sleeps.
pub(crate) fn sleepers(builder: TestHomeBuilder) -> TestHome {
    builder.set("/routing/harnesses/sleeper", json!({"command": ["sleep"], "newArgs": ["6000"]})).build()
}

/// Creates the sleeping sessions with these numbers, and starts all sessions.
pub(crate) fn start_sleepers(home: &TestHome, from: usize, to: usize) -> TheLoop {
    let the_loop = home.the_loop();
    for number in from..to {
        let named = CreateRequest::named(format!("s{number}"));
        let request = CreateRequest { start: false, harness: "sleeper".to_owned(), ..named };
        the_loop.standing().create(&request).expect("created");
    }
    assert!(the_loop.standing().start_all().expect("a report").ok, "every session runs");
    the_loop
}

/// Latency in milliseconds.
struct Figure {
    p50: f64,
    p99: f64,
}

/// Measures the latency of a path.
fn figure(service: &TestService, path: &str, clients: usize) -> Figure {
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let clients: Vec<_> =
            (0..clients).map(|_| scope.spawn(|| requests(service, path, REQUESTS / clients))).collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1000.0;
    Figure { p50: at(50), p99: at(99) }
}

/// Sends requests one after the other over one connection.
fn requests(service: &TestService, path: &str, count: usize) -> Vec<Duration> {
    let mut stream = BufReader::new(TcpStream::connect(service.http().authority()).expect("it listens"));
    stream.get_ref().set_nodelay(true).expect("an option");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", service.http().authority());
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let begun = Instant::now();
        stream.get_mut().write_all(request.as_bytes()).expect("asked");
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).expect("answered");
            let line = line.trim_end().to_ascii_lowercase();
            assert!(!line.starts_with("http/") || line.contains(" 200"), "{line}");
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).expect("all of it");
        times.push(begun.elapsed());
    }
    times
}

/// Opens a stream and waits for the line that shows that it has begun.
pub(crate) fn begun(service: &TestService, path: &str, first: &str) -> TcpStream {
    let mut stream = TcpStream::connect(service.http().authority()).expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", service.http().authority());
    stream.write_all(request.as_bytes()).expect("asked");
    let lines = BufReader::new(&stream).lines().map_while(Result::ok);
    assert!(lines.into_iter().any(|line| line == first), "{path} did not begin");
    stream
}
