//! Processes and their environment.
//!
//! A process is identified by more than its pid, a program is queried within a time limit, and one policy decides the
//! variables of a program that is started here. This crate must not know sessions, records or tmux.
//!
//! | module | for |
//! |---|---|
//! | [`identity`] | identity and liveness of a process, and signals that cannot reach another one |
//! | [`scan`] | searches through all of `/proc` |
//! | [`usage`] | processor time and memory of process trees |
//! | [`subprocess`] | a command and its output, with a time limit |
//! | [`environment`] | the environment, current directory and executable of one instance of the program |
//! | [`marks`] | the variables that mark a session, and the environment without any mark |
//! | [`nesting`] | the variables by which an agent marks the programs that it starts |
//! | [`sockets`] | variables that name missing sockets |
//! | [`variables`] | the variables that a definition sets |
//! | [`blocking`] | calls that block, and the threads that must not make them |
//! | [`descriptors`] | descriptors that a caller left open |
//! | [`systemd`] | the unit that a process belongs to |
//! | [`clock`] | wall-clock times in their written form |
//! | [`single_flight`] | one call shared by all concurrent callers |

pub mod blocking;
pub mod clock;
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
