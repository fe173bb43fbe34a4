//! Host names that the service accepts, and origins whose pages may call it.

use std::net::Ipv6Addr;

use standing::config::{AuthMode, Service};

/// Accepted host names and origins, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Own names of the service, with its port.
    own: Vec<String>,
    /// Names of `service.allowedHosts`, which a proxy may serve with TLS. A name without a port matches every port,
    /// since the port of a proxy or a tunnel is not known.
    allowed: Vec<String>,
    /// Allowed origins besides the service's own.
    origins: Vec<String>,
}

impl Access {
    /// Returns the access rules of a service that listens as `host` on `port`.
    pub fn new(settings: &Service, host: &str, port: u16) -> Self {
        let mut own = Vec::new();
        for name in ["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned(), bracketed(host)] {
            own.push(format!("{name}:{port}"));
            if port == 80 {
                own.push(name);
            }
        }
        own.dedup();
        let allowed = settings.allowed_hosts.iter().map(|name| bracketed(name.trim())).collect();
        let origins =
            settings.cors_allow_origins.iter().map(|o| o.trim_end_matches('/').to_ascii_lowercase()).collect();
        Self { own, allowed, origins }
    }

    /// True if the service accepts this `Host`, port included.
    pub(crate) fn answers_to(&self, authority: &str) -> bool {
        self.own.iter().any(|own| own.eq_ignore_ascii_case(authority)) || self.is_allowed(authority)
    }

    fn is_allowed(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let host = without_port(&authority);
        self.allowed.iter().any(|name| *name == authority || name == host)
    }

    /// True if a page of `origin` may call the service under the name `authority`.
    pub(crate) fn lets_in(&self, origin: &str, authority: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        if self.origins.contains(&origin) {
            return true;
        }
        match origin.split_once("://") {
            Some(("http", of)) => of.eq_ignore_ascii_case(authority),
            Some(("https", of)) => of.eq_ignore_ascii_case(authority) && self.is_allowed(of),
            _ => false,
        }
    }

    /// True if `origin` is in the list of allowed origins.
    pub(crate) fn names(&self, origin: &str) -> bool {
        self.origins.contains(&origin.to_ascii_lowercase())
    }

    /// Returns the list of allowed origins.
    pub(crate) fn origins(&self) -> impl Iterator<Item = &str> {
        self.origins.iter().map(String::as_str)
    }

    /// Returns every accepted host name. Requests over the Unix socket need none, and clients send this one.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = String> {
        self.own.iter().chain(&self.allowed).cloned().chain(["localhost".to_owned()])
    }

    /// Returns every origin that may call the service under one of its names, and the listed origins.
    pub(crate) fn all_origins(&self) -> impl Iterator<Item = String> {
        let own = self.own.iter().map(|name| format!("http://{name}"));
        let any_port = |name: &String| if has_port(name) { name.clone() } else { format!("{name}:*") };
        let allowed = self.allowed.iter().map(any_port);
        let allowed = allowed.flat_map(|name| [format!("http://{name}"), format!("https://{name}")]);
        own.chain(allowed).chain(self.origins.iter().cloned())
    }

    /// Returns the first name of the service, for texts that contain its address.
    pub(crate) fn first_name(&self) -> &str {
        self.own.first().map_or("127.0.0.1", String::as_str)
    }
}

/// Returns the reason why the settings would accept unauthenticated people, if they do: a proxy or a tunnel that serves
/// a name to others connects as the service's own user.
pub(crate) fn vouches_too_far(settings: &Service) -> Option<String> {
    let names: Vec<String> = settings.hosts_beyond_loopback().map(|name| format!("`{name}`")).collect();
    (settings.auth_mode == AuthMode::SameUser && !names.is_empty()).then(|| {
        format!(
            "`service.allowedHosts` contains {}, which other machines can reach, and `service.auth.mode` is \
             `same-user`: a proxy or tunnel that does not mark forwarded requests gives everyone your access",
            names.join(", ")
        )
    })
}

/// Formats a host for an address: an IPv6 address gets brackets.
pub(crate) fn bracketed(host: &str) -> String {
    let host = host.to_ascii_lowercase();
    if host.parse::<Ipv6Addr>().is_ok() { format!("[{host}]") } else { host }
}

fn has_port(authority: &str) -> bool {
    let after_address = authority.rsplit_once(']').map_or(authority, |(_, rest)| rest);
    after_address.contains(':')
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, _)) if has_port(authority) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(hosts: &[&str], origins: &[&str], host: &str, port: u16) -> Access {
        let own = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let settings = Service { allowed_hosts: own(hosts), cors_allow_origins: own(origins), ..Service::default() };
        Access::new(&settings, host, port)
    }

    #[test]
    fn its_own_names_need_the_port() {
        let access = access(&[], &[], "127.0.0.1", 4114);
        for good in ["127.0.0.1:4114", "localhost:4114", "LOCALHOST:4114", "[::1]:4114"] {
            assert!(access.answers_to(good), "{good}");
        }
        for bad in ["127.0.0.1", "localhost", "localhost:80", "evil:4114", "127.0.0.1.evil:4114", "localhost.:4114", ""]
        {
            assert!(!access.answers_to(bad), "{bad}");
        }
    }

    #[test]
    fn a_default_port_may_be_left_out() {
        assert!(access(&[], &[], "127.0.0.1", 80).answers_to("localhost"));
    }

    #[test]
    fn allowed_hosts_with_and_without_a_port() {
        let access = access(&["Loop.example", "other.example:8443", "::2"], &[], "0.0.0.0", 4114);
        for good in ["loop.example", "loop.example:4114", "LOOP.example:8443", "other.example:8443", "[::2]:4114"] {
            assert!(access.answers_to(good), "{good}");
        }
        for bad in ["other.example", "other.example:4114", "a.loop.example", "loop.example.evil:4114", "[::3]:4114"] {
            assert!(!access.answers_to(bad), "{bad}");
        }
    }

    #[test]
    fn an_origin_is_its_own_or_named() {
        let access = access(&["loop.example"], &["https://Dash.example/"], "127.0.0.1", 4114);
        assert!(access.lets_in("http://localhost:4114", "localhost:4114"));
        assert!(access.lets_in("https://dash.example", "localhost:4114"));
        assert!(access.lets_in("https://loop.example", "loop.example"));
        assert!(access.lets_in("https://loop.example:8443", "loop.example:8443"));
        assert!(!access.lets_in("http://loop.example:3000", "loop.example:4114"), "another service of that host");
        for bad in ["null", "https://localhost:4114", "http://localhost:3000", "http://127.0.0.1:4114", "file://", ""] {
            assert!(!access.lets_in(bad, "localhost:4114"), "{bad}");
        }
    }
}
