//! Processes and the environment that they are given.
//!
//! A process is identified by more than its pid, a program is asked within a time limit, and one policy says which
//! variables a program that is started here gets. This crate must not know sessions, records or tmux.
//!
//! | module | for |
//! |---|---|
//! | [`identity`] | one process among all, alive or not, and signals that cannot reach another one |
//! | [`scan`] | searches through all of `/proc` |
//! | [`usage`] | processor time and memory of process trees |
//! | [`subprocess`] | a command and its output, with a time limit |
//! | [`environment`] | the environment, current directory and executable of one instance of the program |
//! | [`marks`] | the variables that mark a session, and the environment without any mark |
//! | [`nesting`] | the variables by which an agent marks the programs that it starts |
//! | [`sockets`] | variables that name sockets which do not exist |
//! | [`variables`] | the variables that a definition sets |
//! | [`blocking`] | calls that block, and the threads that must make none |
//! | [`descriptors`] | descriptors that a caller left open |
//! | [`systemd`] | the unit that a process belongs to |
//! | [`single_flight`] | one look for all callers that ask at the same time |

pub mod blocking;
pub mod descriptors;
pub mod environment;
pub mod identity;
pub mod marks;
pub mod nesting;
pub mod scan;
pub mod single_flight;
pub mod sockets;
pub mod subprocess;
pub mod systemd;
pub mod usage;
pub mod variables;

pub use environment::Surroundings;
pub use identity::{
    ProcessHold, ProcessIdentity, command_name, descendants, lineage, readable, ready, runs, variable_of,
};
pub use marks::LOOP_ID_VAR;
pub use scan::{carrying, household, with_variable};
pub use usage::{Meter, Used};
