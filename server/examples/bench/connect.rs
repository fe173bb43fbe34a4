//! Measures new connections per second, alone and beside 15,000 open sockets of other processes.

use std::{
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Resource, getrlimit, setrlimit};
use testkit::{Http, TestHome, TestService};

const SOCKETS: usize = 15_000;
const CLIENTS: usize = 4;
const LONG: Duration = Duration::from_secs(5);

pub(crate) fn run(exe: &Path) {
    let home = TestHome::builder().exe(exe).build();
    let service = TestService::start(exe, &home);
    println!("new connections, {CLIENTS} client(s): {:.0} in a second", each_second(&service.http()));
    // Applies to this process only: the service is already running.
    let mut limits = getrlimit(Resource::Nofile);
    limits.current = limits.maximum;
    setrlimit(Resource::Nofile, limits).expect("up to its maximum");
    let others = sockets();
    println!(
        "new connections, {CLIENTS} client(s), beside {} sockets: {:.0} in a second",
        others.len() + 1,
        each_second(&service.http())
    );
}

/// Opens two sockets per connection: both ends are here.
fn sockets() -> Vec<TcpStream> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let mut open = Vec::with_capacity(SOCKETS);
    while open.len() < SOCKETS {
        open.push(TcpStream::connect(address).expect("connected"));
        open.push(listener.accept().expect("accepted").0);
    }
    open
}

#[expect(clippy::cast_precision_loss, reason = "some thousands")]
fn each_second(http: &Http) -> f64 {
    let begun = Instant::now();
    let count: usize = thread::scope(|threads| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                threads.spawn(|| {
                    let mut count = 0;
                    while begun.elapsed() < LONG {
                        assert_eq!(http.get("/health").status, 200);
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().expect("a client")).sum()
    });
    count as f64 / begun.elapsed().as_secs_f64()
}
