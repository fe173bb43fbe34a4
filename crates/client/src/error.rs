//! Why a call brought no answer, or a refusal.

use std::{io, path::PathBuf, time::Duration};

use wire::{Problem, Refusal};

use crate::Address;

/// Why a call brought no answer, or a refusal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The service refused, or would have; the text says why and what to do.
    #[error("{}", .0.detail)]
    Refused(Box<Problem>),
    /// Nobody answers there.
    #[error("no service answers at `{address}` ({source}): `the-loop status` says whether one runs")]
    Unreachable {
        /// Where.
        address: Address,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The service took longer than was to be waited; what was asked for may still happen.
    #[error("`{address}` did not answer within {} s: what was asked for may still be under way", waited.as_secs())]
    Patience {
        /// Where.
        address: Address,
        /// How long was waited.
        waited: Duration,
    },
    /// The service took the connection and did not answer a look.
    #[error(
        "`{address}` did not answer within {} s: it hangs, or is very busy; `the-loop restart --service-only` starts it \
         anew, and the sessions go on",
        waited.as_secs()
    )]
    Silent {
        /// Where.
        address: Address,
        /// How long was waited.
        waited: Duration,
    },
    /// What answers there is no service of the-loop, or one that this version does not understand.
    #[error("the answer is not understood ({0}): is it a service of the-loop, of this version?")]
    Answer(String),
    /// What was given is no address.
    #[error("`{given}` is no address of a service ({why}): `http://127.0.0.1:4114`, or `unix:` and a path")]
    Address {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: String,
    },
    /// The token cannot be read.
    #[error("{}: the token cannot be read: {source}", path.display())]
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

    fn exit_code(&self) -> u8 {
        match self {
            Self::Refused(problem) => problem.code.exit_code(),
            Self::Address { .. } => 2,
            _ => 1,
        }
    }
}
