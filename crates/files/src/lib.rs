//! Files of a program whose processes share them: private, whole after any crash, and locked with a deadline.
//!
//! This is the only crate that says `flock`, `O_NOFOLLOW`, rename or fsync. It knows paths and bytes. It must not know
//! what is in a file, nor any other crate of the workspace.
//!
//! | module | for |
//! |---|---|
//! | [`folder`] | private folders: made, and checked before they are trusted |
//! | [`open`] | one way to open a file to read, and one to append to it |
//! | [`read`] | reads with a limit |
//! | [`write`] | atomic and durable writes, new files, rotation |
//! | [`replace`] | a change to a file that another program writes too |
//! | [`lock`] | locks on files, with one way to wait for them |
//! | [`name`] | locks by a name in the kernel, for a file system that has none |
//! | [`socket`] | Unix sockets that only this user can connect to |

mod error;
pub mod failpoint;
pub mod folder;
pub mod lock;
pub mod name;
pub mod open;
pub mod read;
pub mod replace;
pub mod socket;
mod wait;
pub mod write;

pub use error::{Error, is_unsupported};
