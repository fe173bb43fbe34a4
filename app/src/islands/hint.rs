//! Text below the name field of a new session.

/// Text before anything is typed.
pub(super) const RULE: &str = "lower-case letters, digits and -, starting with a letter or digit";

/// Text below the name field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hint {
    /// Text for a person.
    pub(super) text: String,
    /// True if the name is invalid.
    pub(super) wrong: bool,
}
