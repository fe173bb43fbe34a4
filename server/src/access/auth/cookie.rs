//! Cookie: its expiry and a random value, sealed with the token, so that the service stores nothing. A new token
//! invalidates every cookie.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::{token::Token, unguessable};

/// Time for which a browser stays signed in.
pub(super) const LIFETIME: Duration = Duration::from_hours(30 * 24);

/// Number of bytes of the token in the cookie's name.
const NAME_BYTES: usize = 6;

/// Creates and checks cookies.
#[derive(Clone)]
pub(super) struct Sealed(Hmac<Sha256>);

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealed")
    }
}

impl Sealed {
    pub(super) fn by(token: &Token) -> Self {
        // A key of any length is accepted, so the other arm is never reached.
        Self(Hmac::new_from_slice(token.as_bytes()).unwrap_or_else(|_| Hmac::new(&[0; 64].into())))
    }

    /// Returns the cookie's name. Browsers send a cookie to every port of a host, so each service needs its own name:
    /// with one name, signing in to one service would sign the browser out of the other.
    pub(super) fn name(&self) -> String {
        let seal = self.0.clone().chain_update("the name of the cookie").finalize().into_bytes();
        seal.iter().take(NAME_BYTES).fold("the-loop-".to_owned(), |name, byte| name + &format!("{byte:02x}"))
    }

    /// Returns the value of a new cookie.
    pub(super) fn make(&self) -> String {
        self.until(now() + LIFETIME.as_secs())
    }

    fn until(&self, end: u64) -> String {
        let what = format!("{end}.{}", unguessable());
        let seal = self.0.clone().chain_update(&what).finalize().into_bytes();
        let seal = seal.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        format!("{what}.{seal}")
    }

    /// True if this service issued the value and it has not expired.
    pub(super) fn holds(&self, value: &str) -> bool {
        let Some((what, seal)) = value.rsplit_once('.') else { return false };
        let Some(seal) = bytes(seal) else { return false };
        // `verify_slice` compares in constant time.
        let sealed = self.0.clone().chain_update(what).verify_slice(&seal).is_ok();
        let end = what.split('.').next().and_then(|end| end.parse::<u64>().ok());
        sealed && end.is_some_and(|end| now() < end)
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    if !hex.is_ascii() || !hex.len().is_multiple_of(2) {
        return None;
    }
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok()).collect()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ours_hold_and_only_until_their_end() {
        let dir = tempfile::tempdir().expect("made");
        let other = tempfile::tempdir().expect("made");
        let sealed = Sealed::by(&Token::read_or_make(dir.path()).expect("made"));
        let another = Sealed::by(&Token::read_or_make(other.path()).expect("made"));
        let cookie = sealed.make();
        assert!(sealed.holds(&cookie));
        assert!(!another.holds(&cookie), "another token");
        assert_eq!(sealed.name(), Sealed::by(&Token::read_or_make(dir.path()).expect("read")).name());
        assert_ne!(sealed.name(), another.name(), "two services on one host keep their cookies apart");
        assert!(!sealed.holds(&sealed.until(now() - 1)), "ended");
        let longer = cookie.replacen(|c: char| c.is_ascii_digit(), "9", 1);
        assert!(longer == cookie || !sealed.holds(&longer), "changed");
        for nonsense in ["", ".", "a.b.c", "9999999999", &cookie[1..], "é.é"] {
            assert!(!sealed.holds(nonsense), "{nonsense:?}");
        }
    }
}
