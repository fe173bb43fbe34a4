//! Details of a session, for its page.

use std::path::PathBuf;

/// Facts about a session that its row does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Config file.
    pub config_file: PathBuf,
    /// Line of its entry in the config file, if it is declared.
    pub declared_at: Option<usize>,
    /// Part of the-loop that created it, such as `cli` or `service`; empty if unknown.
    pub created_by: String,
    /// Arguments of its harness.
    pub harness_args: Vec<String>,
    /// Ids of its earlier conversations, newest last.
    pub former_conversations: Vec<String>,
}
