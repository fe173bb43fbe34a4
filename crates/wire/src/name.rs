//! Names and references, parsed once at the boundary and valid from then on.
//!
//! A standing session is addressed as `standing:<name>`, a work item as `github:OWNER/REPO#N`. No string matches both
//! grammars, so an event of a ticket can never be routed into a standing session.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Prefix of the tmux sessions that the-loop manages, before the name.
pub const TMUX_PREFIX: &str = "loop-standing-";

/// Length limit of a name, in characters: it becomes part of a tmux session name and of a file name.
const MAX_LEN: usize = 40;

/// Name of a standing session: `^[a-z0-9][a-z0-9-]{0,39}$`, matched on the whole string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionName(String);

/// Error for a string that is not a [`SessionName`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidName {
    /// The string is empty.
    Empty,
    /// More than 40 characters; contains their number.
    TooLong(usize),
    /// A character that is not allowed at its position.
    Character(char),
}

impl SessionName {
    /// Parses a name. Nothing is trimmed, so a trailing newline is refused.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let Some(first) = text.chars().next() else { return Err(InvalidName::Empty) };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        if !plain(first) {
            return Err(InvalidName::Character(first));
        }
        if let Some(bad) = text.chars().find(|&c| !plain(c) && c != '-') {
            return Err(InvalidName::Character(bad));
        }
        if text.len() > MAX_LEN {
            return Err(InvalidName::TooLong(text.len()));
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of its tmux session: `loop-standing-<name>`.
    pub fn tmux_session(&self) -> String {
        format!("{TMUX_PREFIX}{}", self.0)
    }

    /// Returns the reference that other parts of the-loop use: `standing:<name>`.
    pub fn standing_ref(&self) -> StandingRef {
        StandingRef(self.clone())
    }
}

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a session name is required")?,
            Self::TooLong(found) => write!(f, "a session name has at most {MAX_LEN} characters, this one has {found}")?,
            // Not `{c:?}`: the WebAssembly build has no debug formatting, and no room for its tables.
            Self::Character(c) if c.is_control() => write!(f, "control characters are not allowed in a session name")?,
            Self::Character(c) => write!(f, "'{c}' is not allowed here in a session name")?,
        }
        write!(f, ": use lower-case letters, digits and `-`, starting with a letter or digit")
    }
}

impl std::error::Error for InvalidName {}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SessionName {
    type Err = InvalidName;
    fn from_str(text: &str) -> Result<Self, InvalidName> {
        Self::parse(text)
    }
}

impl AsRef<str> for SessionName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Serialize for SessionName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SessionName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

/// Error for a string that does not match the grammar of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRef {
    /// Expected form, for people.
    pub expected: &'static str,
}

impl fmt::Display for InvalidRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl std::error::Error for InvalidRef {}

/// Reference `standing:<name>`. This type is the only parser of that prefix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StandingRef(SessionName);

impl StandingRef {
    const EXPECTED: InvalidRef = InvalidRef { expected: "`standing:<name>`" };

    /// Parses `standing:<name>`.
    pub fn parse(text: &str) -> Result<Self, InvalidRef> {
        let name = text.strip_prefix("standing:").ok_or(Self::EXPECTED)?;
        SessionName::parse(name).map(Self).map_err(|_| Self::EXPECTED)
    }

    /// Returns the session that it names.
    pub fn name(&self) -> &SessionName {
        &self.0
    }
}

impl fmt::Display for StandingRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "standing:{}", self.0)
    }
}

/// Reference to a ticket, `github:OWNER/REPO#N`. It exists only to distinguish tickets from a [`StandingRef`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkItemRef {
    /// Owner of the repository.
    pub owner: String,
    /// Name of the repository.
    pub repo: String,
    /// Number of the issue or pull request, from 1.
    pub number: u64,
}

impl WorkItemRef {
    const EXPECTED: InvalidRef = InvalidRef { expected: "`github:OWNER/REPO#N`" };

    /// Parses `github:OWNER/REPO#N`.
    pub fn parse(text: &str) -> Result<Self, InvalidRef> {
        let rest = text.strip_prefix("github:").ok_or(Self::EXPECTED)?;
        let (owner, rest) = rest.split_once('/').ok_or(Self::EXPECTED)?;
        let (repo, number) = rest.split_once('#').ok_or(Self::EXPECTED)?;
        let word = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
        if !word(owner) || !word(repo) || !digits {
            return Err(Self::EXPECTED);
        }
        let number = number.parse().map_err(|_| Self::EXPECTED)?;
        Ok(Self { owner: owner.to_owned(), repo: repo.to_owned(), number })
    }
}

impl fmt::Display for WorkItemRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "github:{}/{}#{}", self.owner, self.repo, self.number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_matched_whole() {
        for good in ["a", "0", "supervisor", "x-2", "a-", &"a".repeat(40)] {
            assert_eq!(SessionName::parse(good).map(|n| n.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "-a", "Sup", "a b", "a\n", "\na", "a.b", "a:b", "é", "a_b", &"a".repeat(41)] {
            assert!(SessionName::parse(bad).is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn refs_read_back_what_they_print() {
        let standing = StandingRef::parse("standing:ops").expect("valid");
        assert_eq!(standing.to_string(), "standing:ops");
        let item = WorkItemRef::parse("github:o/r.s#12").expect("valid");
        assert_eq!(item.to_string(), "github:o/r.s#12");
        for bad in ["github:o/r#0", "github:o/r#", "github:/r#1", "github:o#1", "o/r#1", "github:o/r#+1"] {
            assert!(WorkItemRef::parse(bad).is_err(), "{bad:?} was taken");
        }
    }

    proptest! {
        #[test]
        fn no_string_is_both(text in "(standing:|github:)?[a-z0-9/#:-]{0,20}") {
            prop_assert!(StandingRef::parse(&text).is_err() || WorkItemRef::parse(&text).is_err());
        }

        #[test]
        fn every_standing_ref_is_no_work_item(name in "[a-z0-9][a-z0-9-]{0,39}") {
            let text = format!("standing:{name}");
            prop_assert!(StandingRef::parse(&text).is_ok());
            prop_assert!(WorkItemRef::parse(&text).is_err());
        }

        #[test]
        fn parsing_agrees_with_the_pattern(text in ".{0,45}") {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            let by_hand = text.chars().count() <= 40
                && text.chars().next().is_some_and(plain)
                && text.chars().all(|c| plain(c) || c == '-');
            prop_assert_eq!(SessionName::parse(&text).is_ok(), by_hand);
        }
    }
}
