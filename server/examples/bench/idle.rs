//! The service at rest: what it holds in memory.

use std::{fs, path::Path};

use testkit::{TestHome, TestService};

pub(crate) fn run(exe: &Path) {
    let home = TestHome::builder().exe(exe).build();
    let service = TestService::start(exe, &home);
    let status = fs::read_to_string(format!("/proc/{}/status", service.pid())).expect("it lives");
    let field = |key: &str| {
        let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
        line.split_ascii_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<f64>().ok()).unwrap_or_default()
            / 1024.0
    };
    println!("idle service: {:.1} MiB resident, {:.1} MiB of it its own", field("VmRSS"), field("RssAnon"));
}
