//! Why a call brought no answer, or a refusal.

use std::{io, path::PathBuf, time::Duration};

use wire::{Problem, Refusal, Remedy};

use crate::Address;

/// Why a call brought no answer, or a refusal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The service refused, or would have; the text says why and what to do.
    #[error("{}", .0.detail)]
    Refused(Box<Problem>),
    /// Nobody answers there.
    #[error("could not reach a service at `{address}` ({source})")]
    Unreachable {
        /// Where.
        address: Address,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The service took longer than was to be waited; what was asked for may still happen.
    #[error("`{address}` did not answer within {} s; the request may still be in progress", waited.as_secs())]
    Patience {
        /// Where.
        address: Address,
        /// How long was waited.
        waited: Duration,
    },
    /// The service took the connection and did not answer a look.
    #[error("`{address}` did not answer within {} s", waited.as_secs())]
    Silent {
        /// Where.
        address: Address,
        /// How long was waited.
        waited: Duration,
    },
    /// What answers there is no service of the-loop, or one that this version does not understand.
    #[error("unexpected answer ({0}): check that the address is a service of the-loop in this version")]
    Answer(String),
    /// What was given is no address.
    #[error("invalid service address `{given}` ({why}): use `http://127.0.0.1:4114`, or `unix:` and a path")]
    Address {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: String,
    },
    /// The token cannot be read.
    #[error("{}: could not read the token: {source}", path.display())]
    Token {
        /// Its file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

impl Refusal for Error {
    fn problem(&self) -> Option<Problem> {
        match self {
            Self::Refused(problem) => Some((**problem).clone()),
            _ => None,
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Refused(problem) => problem.remedies.clone(),
            Self::Unreachable { .. } => vec![Remedy::Status],
            Self::Silent { .. } => vec![Remedy::RestartService],
            Self::Patience { .. } | Self::Answer(_) | Self::Address { .. } | Self::Token { .. } => Vec::new(),
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Refused(problem) => problem.code.exit_code(),
            Self::Address { .. } => 2,
            _ => 1,
        }
    }
}
