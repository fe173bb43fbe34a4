//! Files shared by several processes of a program: private, whole after any crash, and locked with a timeout.
//!
//! This is the only crate that uses `flock`, `O_NOFOLLOW`, rename or fsync. It handles paths and bytes. It must not
//! depend on the contents of a file, nor on any other crate of the workspace.
//!
//! | module | for |
//! |---|---|
//! | [`folder`] | private folders: created, and checked before they are trusted |
//! | [`open`] | one way to open a file for reading, and one for appending |
//! | [`read`] | reads with a limit |
//! | [`write`] | atomic and durable writes, new files, rotation |
//! | [`replace`] | changes of a file that another program writes too |
//! | [`lock`] | locks on files, with one way to wait for them |
//! | [`name`] | kernel locks by name, for a file system without locks |
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
