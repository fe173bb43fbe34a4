//! Measures the REST list over kept-alive connections, beside `/health`, which only passes the guard; and the cost of
//! open streams.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use standing::CreateRequest;
use testkit::{TestHome, TestService};

/// Number of requests per figure, divided among the clients.
const REQUESTS: usize = 1000;
const STREAMS: usize = 50;

pub(crate) fn run(exe: &Path) {
    for sessions in [50, 500] {
        let home = TestHome::builder().exe(exe).set("/routing/tmux/resumeProbeSeconds", json!(0));
        let home = home.set("/service/stream/maxSubscribers", json!(STREAMS)).build();
        home.reconfigure("/routing/harnesses/sleeper", json!({"command": ["sleep"], "newArgs": ["600"]}));
        let the_loop = home.the_loop();
        for number in 0..sessions {
            let named = CreateRequest::named(format!("s{number}"));
            let request = CreateRequest { start: false, harness: "sleeper".to_owned(), ..named };
            the_loop.standing().create(&request).expect("created");
        }
        assert!(the_loop.standing().start_all().expect("a report").ok, "every session runs");
        let service = TestService::start(exe, &home);
        let list = "/api/v1/standing-sessions";
        figure(&service, "nobody watches", list, sessions, 1);
        let watched = begun(&service);
        for clients in [1, 50] {
            figure(&service, "watcher warm", list, sessions, clients);
            figure(&service, "beside it", "/health", sessions, clients);
        }
        drop(watched);
        println!("REST, {sessions} sessions: {} MB resident", resident(&service));
        let open: Vec<TcpStream> = (0..STREAMS).map(|_| begun(&service)).collect();
        println!("REST, {sessions} sessions, {STREAMS} streams: {} MB resident", resident(&service));
        drop(open);
    }
}

/// Measures the latency and the number of requests per second.
fn figure(service: &TestService, how: &str, path: &str, sessions: usize, clients: usize) {
    let begun = Instant::now();
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let clients: Vec<_> =
            (0..clients).map(|_| scope.spawn(|| requests(service, path, REQUESTS / clients))).collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    let took = begun.elapsed().as_secs_f64();
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1000.0;
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let each_second = times.len() as f64 / took;
    println!(
        "{path}, {how}, {sessions} sessions, {clients} client(s): p50 {:.2} ms, p99 {:.2} ms, {each_second:.0} requests/s",
        at(50),
        at(99)
    );
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

/// Opens a stream that has sent `resync`.
fn begun(service: &TestService) -> TcpStream {
    let stream = ask(service, "/api/v1/stream");
    let lines = BufReader::new(&stream).lines().map_while(Result::ok);
    assert!(lines.into_iter().any(|line| line == "event: resync"), "a stream did not begin");
    stream
}

fn ask(service: &TestService, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(service.http().authority()).expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", service.http().authority());
    stream.write_all(request.as_bytes()).expect("asked");
    stream
}

/// Returns the memory of the service, in megabytes.
fn resident(service: &TestService) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", service.pid())).expect("it lives");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") / 1000
}
