//! Errors of a call to a service.

use std::{io, path::PathBuf, time::Duration};

use wire::{Problem, Refusal, Remedy};

use crate::Address;

/// Error of a call to a service.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The service refused, or would have; the text says why and what to do.
    #[error("{}", .0.detail)]
    Refused(Box<Problem>),
    /// No service answers at the address.
    #[error("could not reach a service at `{address}` ({source})")]
    Unreachable {
        /// Address of the service.
        address: Address,
        /// Cause.
        #[source]
        source: io::Error,
    },
    /// The service did not answer a verb in time. The verb may still happen.
    #[error("`{address}` did not answer within {} s; the request may still be in progress", waited.as_secs())]
    Patience {
        /// Address of the service.
        address: Address,
        /// Time that the call waited.
        waited: Duration,
    },
    /// The service accepted the connection and did not answer a read in time.
    #[error("`{address}` did not answer within {} s", waited.as_secs())]
    Silent {
        /// Address of the service.
        address: Address,
        /// Time that the call waited.
        waited: Duration,
    },
    /// The answer is not from a service of the-loop, or from a version that this client does not understand.
    #[error("unexpected answer ({0}): check that the address is a service of the-loop in this version")]
    Answer(String),
    /// The given text is not an address.
    #[error("invalid service address `{given}` ({why}): use `http://127.0.0.1:4114`, or `unix:` and a path")]
    Address {
        /// Text that was given.
        given: String,
        /// Reason why it is invalid.
        why: String,
    },
    /// The token could not be read.
    #[error("{}: could not read the token: {source}", path.display())]
    Token {
        /// File of the token.
        path: PathBuf,
        /// Cause.
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
