//! Checks the targets of notifications: reachable, and no secret in plain text.

use std::{
    net::{TcpStream, ToSocketAddrs as _},
    path::Path,
    time::Duration,
};

use reqwest::Url;
use standing::{
    Check, Finding, TheLoop,
    config::{Notify, NotifyTarget, Settings, is_loopback},
};

use super::{
    http::{is_own, parse},
    target::described,
};

/// Timeout of a connection attempt.
const CONNECT: Duration = Duration::from_secs(3);

/// Returns the problems of the targets. Connects to each, and sends nothing.
pub(crate) fn check(the_loop: &TheLoop) -> Vec<Finding> {
    let config = the_loop.config();
    let settings = &config.settings;
    let mut findings = Vec::new();
    for (at, notify) in settings.notify.iter().enumerate() {
        let place = format!("notify[{at}] ({})", described(&notify.to));
        findings.extend(target(the_loop, notify, &place));
    }
    findings.extend(public_url(settings, &config.path.file().display().to_string()));
    findings
}

fn target(the_loop: &TheLoop, notify: &Notify, place: &str) -> Vec<Finding> {
    let hazard = |what: String, remedy: &str| Finding::hazard(Check::Notify, place, what, remedy);
    let (url, has_token) = match &notify.to {
        NotifyTarget::Ntfy { url, token } => (url, token.is_some()),
        // The key of a webhook is not sent.
        NotifyTarget::Webhook { url, .. } => (url, false),
        NotifyTarget::Command { argv, dir, .. } => {
            let program = argv.first().map_or("", String::as_str);
            let is_missing = !is_found(program, dir, the_loop);
            let remedy = "install the program, or correct `to.command.argv`";
            return is_missing
                .then(|| hazard(format!("the program `{program}` was not found"), remedy))
                .into_iter()
                .collect();
        }
    };
    let Ok(url) = parse(url) else {
        return vec![hazard("its address is not a valid URL".to_owned(), "correct `url`")];
    };
    let mut findings = Vec::new();
    if url.scheme() == "http" && !is_own(&url) {
        let what = if has_token {
            "it is sent without TLS to another machine: prompts, answer links and the token can be read on the way"
        } else {
            "it is sent without TLS to another machine: prompts and answer links can be read on the way"
        };
        findings.push(hazard(what.to_owned(), "use an `https://` address"));
    }
    if let Err(why) = reached(&url) {
        findings.push(hazard(
            format!("could not connect: {why}"),
            "start that server, or correct `url`; then run `the-loop notify test`",
        ));
    }
    findings
}

/// True if a program is a file on the path.
fn is_found(program: &str, dir: &Path, the_loop: &TheLoop) -> bool {
    if program.contains('/') {
        return dir.join(program).is_file();
    }
    let path = the_loop.surroundings().var("PATH").unwrap_or_default();
    std::env::split_paths(path).any(|folder| folder.join(program).is_file())
}

fn reached(url: &Url) -> Result<(), String> {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let port = url.port_or_known_default().unwrap_or(443);
    let addresses = (host, port).to_socket_addrs().map_err(|error| error.to_string())?;
    let mut last = "its host has no address".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(_) => return Ok(()),
            Err(error) => last = error.to_string(),
        }
    }
    Err(last)
}

/// Checks that the address of the answer links leads here.
fn public_url(settings: &Settings, place: &str) -> Option<Finding> {
    let service = &settings.service;
    if settings.notify.is_empty() || service.public_url.is_empty() {
        return None;
    }
    let url = Url::parse(&service.public_url).ok()?;
    let host = url.host_str()?.to_ascii_lowercase();
    let known = service.allowed_hosts.iter().any(|name| {
        let name = name.trim().to_ascii_lowercase();
        name == host || name.strip_prefix(&host).is_some_and(|port| port.starts_with(':'))
    });
    (!known && !is_loopback(&host)).then(|| {
        let what = format!("`service.publicUrl` names {host}, which the service does not answer to: answer links fail");
        Finding::hazard(
            Check::Notify,
            place,
            what,
            format!("add `{host}` to `service.allowedHosts`, with `service.auth.mode: token`"),
        )
    })
}
