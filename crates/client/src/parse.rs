//! Parser of addresses.

use std::str::FromStr;

use crate::{Address, Error};

/// Default port of a service.
const PORT: u16 = 4114;

impl Address {
    /// Parses `http://HOST:PORT`, `HOST:PORT`, `HOST`, `unix:PATH` or an absolute path.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = |why: &str| Err(Error::Address { given: text.to_owned(), why: why.to_owned() });
        let given = text.trim();
        if let Some(path) = given.strip_prefix("unix:").or(given.starts_with('/').then_some(given)) {
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() { refuse("the path is missing") } else { Ok(Self::Unix(path.into())) };
        }
        let authority = match given.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some((scheme, _)) if scheme.eq_ignore_ascii_case("https") => {
                return refuse("the service speaks plain HTTP; use a tunnel to reach one behind a TLS proxy");
            }
            Some(_) => return refuse("the scheme must be `http` or `unix`"),
            None => given,
        };
        // `the-loop open` prints an address with a fragment after `#`, which is meant for the page only.
        let authority = authority.split_once('#').map_or(authority, |(authority, _)| authority);
        let authority = authority.strip_suffix('/').unwrap_or(authority);
        if authority.contains(['/', '?']) {
            return refuse("the address must end with the port");
        }
        let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, rest)) => (host, rest.strip_prefix(':')),
            None => authority.rsplit_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._:%".contains(c);
        if host.is_empty() || !host.chars().all(plain) {
            return refuse("the host is missing");
        }
        match port.map_or(Ok(PORT), str::parse) {
            Ok(port) if port > 0 => Ok(Self::Tcp { host: host.to_owned(), port }),
            _ => refuse("the port must be a number from 1 to 65535"),
        }
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_every_form() {
        for (text, shown) in [
            ("http://127.0.0.1:4114", "http://127.0.0.1:4114"),
            ("http://127.0.0.1:4114/", "http://127.0.0.1:4114"),
            ("http://127.0.0.1:5000/#/standing", "http://127.0.0.1:5000"),
            ("localhost", "http://localhost:4114"),
            ("localhost:80", "http://localhost:80"),
            ("[::1]:4114", "http://[::1]:4114"),
            ("http://[::1]", "http://[::1]:4114"),
            ("unix:/run/a b.sock", "unix:/run/a b.sock"),
            ("unix:///run/x.sock", "unix:/run/x.sock"),
            ("/run/x.sock", "unix:/run/x.sock"),
        ] {
            let address = Address::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(address.to_string(), shown);
            assert_eq!(Address::parse(shown).ok(), Some(address));
        }
        for bad in ["", "http://", "https://localhost", "localhost:0", "localhost:x", "localhost:70000", "unix:", "a b"]
        {
            assert!(Address::parse(bad).is_err(), "{bad:?} was taken");
        }
        for (bad, why) in [
            ("http://127.0.0.1:4310/foo", "end with the port"),
            ("127.0.0.1:4310/foo/", "end with the port"),
            ("http://127.0.0.1:4310/?a=b", "end with the port"),
            ("ftp://x", "`http` or `unix`"),
            ("HTTPS://x", "plain HTTP"),
        ] {
            let error = Address::parse(bad).expect_err(bad).to_string();
            assert!(error.contains(why), "{bad}: {error}");
        }
        assert_eq!(Address::parse("HTTP://localhost").ok(), Address::parse("localhost").ok());
    }
}
