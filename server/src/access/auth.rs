//! Authentication, by `service.auth.mode`: the service's own user, holders of the token, or everyone.
//!
//! The token is a private file and never reaches a browser. `the-loop open` leaves a one-time code, and the page
//! exchanges it for a cookie that no script can read. Tokens, codes and cookies are never logged.

mod code;
mod cookie;
mod token;

use axum::http::{HeaderMap, header};
use standing::config::{AuthMode, Settings};

pub(crate) use code::leave as leave_code;
use cookie::Sealed;
use token::Token;

use super::{Peer, forwarded};

/// Callers that are accepted.
#[derive(Clone, Debug)]
pub(crate) enum Auth {
    /// Processes of the service's own user, and of root.
    SameUser,
    /// Clients with the token, or with a cookie obtained by it.
    Token(Box<Keys>),
    /// All clients that can connect.
    Everyone,
}

/// Secrets that token mode checks against.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    token: Token,
    seal: Sealed,
    codes: std::path::PathBuf,
}

impl Auth {
    /// Reads the token of token mode, and creates it on the first start.
    pub(crate) fn new(settings: &Settings) -> Result<Self, standing::Error> {
        Ok(match settings.service.auth_mode {
            AuthMode::SameUser => Self::SameUser,
            AuthMode::None => Self::Everyone,
            AuthMode::Token => {
                let local = settings.state_root.join("local");
                let token = Token::read_or_make(&local)?;
                Self::Token(Box::new(Keys { seal: Sealed::by(&token), token, codes: code::folder(&local) }))
            }
        })
    }

    /// Rejects forwarded requests where the kernel identifies the caller. The kernel knows the process at the other end
    /// of the connection, and a forwarder is not the original caller.
    pub(crate) fn vouched(&self, headers: &HeaderMap) -> Result<(), String> {
        match (self, forwarded::header(headers)) {
            (Self::SameUser, Some(name)) => Err(format!(
                "the header `{name}` shows that this request was forwarded, so its sender cannot be identified: set \
                 `service.auth.mode: token`, or call the service without a proxy or tunnel that adds this header"
            )),
            _ => Ok(()),
        }
    }

    /// Authorises a request; the error is a remedy for the caller.
    pub(crate) fn admit(&self, peer: Peer, headers: &HeaderMap) -> Result<(), &'static str> {
        match self {
            Self::Everyone => Ok(()),
            Self::SameUser => self.admit_peer(peer),
            // The kernel identifies the peer of the Unix socket, but not the client that this peer forwards for.
            Self::Token(_) if peer.is_local_socket() && peer.is_us() && forwarded::header(headers).is_none() => Ok(()),
            Self::Token(keys) => keys.admit(headers),
        }
    }

    /// Authorises a connection by its peer, before it has sent anything.
    pub(crate) fn admit_peer(&self, peer: Peer) -> Result<(), &'static str> {
        match self {
            Self::SameUser if !peer.is_us() => {
                Err("this service accepts only processes of the user it runs as: call it as that user, or set \
                     `service.auth.mode: token`")
            }
            Self::SameUser | Self::Token(_) | Self::Everyone => Ok(()),
        }
    }

    /// Exchanges a one-time code for the value of a `Set-Cookie` header.
    pub(crate) fn sign_in(&self, code: &str) -> Option<String> {
        let Self::Token(keys) = self else { return None };
        code::take(&keys.codes, code).then(|| {
            let age = cookie::LIFETIME.as_secs();
            let (name, value) = (keys.seal.name(), keys.seal.make());
            format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict")
        })
    }
}

impl Keys {
    fn admit(&self, headers: &HeaderMap) -> Result<(), &'static str> {
        if let Some(value) = headers.get(header::AUTHORIZATION) {
            let bearer = value.to_str().ok().and_then(|text| text.split_once(' '));
            return match bearer {
                // Scheme names are case-insensitive.
                Some((scheme, given)) if scheme.eq_ignore_ascii_case("bearer") && self.token.is(given.trim()) => Ok(()),
                _ => Err("wrong token: use the one in `local/service.token` in the state directory"),
            };
        }
        let own = self.seal.name();
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let ours = cookies
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(name, value)| name == own && self.seal.holds(value));
        if ours {
            return Ok(());
        }
        Err("a token is required: in a browser, open the address that `the-loop open` prints; in a program, send \
             `Authorization: Bearer` with the content of `local/service.token` in the state directory")
    }
}

/// Generates 244 random bits, in hexadecimal.
fn unguessable() -> String {
    format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple())
}
