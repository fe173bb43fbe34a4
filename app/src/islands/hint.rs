//! Text below the name field of a new session.

/// Text before anything is typed.
pub(crate) const RULE: &str = "lower-case letters, digits and -, starting with a letter or digit; at most 40";
