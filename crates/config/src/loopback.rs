//! Host names that a machine uses only for itself.

use std::net::IpAddr;

use super::Service;

impl Service {
    /// Lists the names in `service.allowedHosts` by which other machines may reach the service, through a proxy or a
    /// tunnel.
    pub fn hosts_beyond_loopback(&self) -> impl Iterator<Item = &str> {
        self.allowed_hosts.iter().map(String::as_str).filter(|name| !is_loopback(name))
    }
}

/// True if a host, with or without a port, names the machine itself: `localhost` and all below it, 127.0.0.0/8, `::1`.
pub fn is_loopback(authority: &str) -> bool {
    let host = host_of(authority.trim()).to_ascii_lowercase();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Returns the host of an authority, without its port. A bare IPv6 address has colons and no port.
fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, _)) if !host.contains(':') || host.ends_with(']') => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_the_machine_itself_is_known_from_any_other() {
        for own in
            ["localhost", "LOCALHOST:4115", "a.localhost", "127.0.0.1", "127.8.8.8:80", "::1", "[::1]", "[::1]:4114"]
        {
            assert!(is_loopback(own), "{own}");
        }
        for other in
            ["loop.example", "localhost.example", "127.0.0.1.nip.io", "192.168.0.2:80", "[::2]:1", "0.0.0.0", ""]
        {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
