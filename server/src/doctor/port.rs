//! Checks that the service's port is available.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};

use standing::{Check, Finding, TheLoop};

use crate::{access::Listener, service::instance};

pub(super) fn check(the_loop: &TheLoop) -> Vec<Finding> {
    let config = the_loop.config();
    let settings = &config.settings.service;
    let runs = instance::running(&config.settings.state_root).is_ok_and(|holder| holder.is_some());
    // A running service has its port, whichever it is.
    if !settings.enabled || runs {
        return Vec::new();
    }
    let (host, port) = (settings.host.trim_start_matches('[').trim_end_matches(']'), settings.port);
    let own = (host, port).to_socket_addrs().into_iter().flatten();
    // A process that listens on all addresses listens on this one as well.
    let everywhere = [SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)), SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))];
    let Some(listener) = own.chain(everywhere).find_map(Listener::at) else { return Vec::new() };
    let place = format!("port {port} on {host}");
    let what = format!("in use by {listener}: the service cannot start there");
    let remedy = "stop that program, or choose another port with `service.port`";
    vec![Finding::hazard(Check::Port, place, what, remedy)]
}
