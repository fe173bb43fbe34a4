//! Text of an outcome or state, with its remedies as data: each surface shows the remedies in its own form.

use wire::Remedy;

use crate::Error;

/// Cause, and what helps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Detail {
    pub(crate) cause: String,
    /// The most likely first.
    pub(crate) remedies: Vec<Remedy>,
}

impl Detail {
    pub(crate) fn new(cause: impl Into<String>, remedies: impl Into<Vec<Remedy>>) -> Self {
        Self { cause: cause.into(), remedies: remedies.into() }
    }

    /// Joins several notes. Their remedies are in the same order.
    pub(crate) fn of(notes: impl IntoIterator<Item = Self>) -> Self {
        notes.into_iter().reduce(Self::and).unwrap_or_default()
    }

    /// Appends a note.
    #[must_use]
    pub(crate) fn and(mut self, note: impl Into<Self>) -> Self {
        let note = note.into();
        self.cause = join(&self.cause, &note.cause);
        for remedy in note.remedies {
            if !self.remedies.contains(&remedy) {
                self.remedies.push(remedy);
            }
        }
        self
    }

    /// Returns the cause, followed by the remedies as text.
    pub(crate) fn text(&self) -> String {
        wire::with_remedies(&self.cause, &self.remedies)
    }
}

impl From<String> for Detail {
    fn from(cause: String) -> Self {
        Self { cause, remedies: Vec::new() }
    }
}

impl From<&str> for Detail {
    fn from(cause: &str) -> Self {
        cause.to_owned().into()
    }
}

impl From<&Error> for Detail {
    fn from(error: &Error) -> Self {
        Self { cause: error.to_string(), remedies: error.remedies() }
    }
}

/// Joins two notes, of which either may be empty.
pub(crate) fn join(first: &str, second: &str) -> String {
    match (first.is_empty(), second.is_empty()) {
        (true, _) => second.to_owned(),
        (_, true) => first.to_owned(),
        _ => format!("{first}; {second}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_joined_and_a_remedy_is_named_once() {
        let doctor = || Detail::new("one", [Remedy::Doctor]);
        let whole = Detail::of([doctor(), "two".into(), doctor()]);
        assert_eq!(whole, Detail::new("one; two; one", [Remedy::Doctor]));
        assert_eq!(whole.text(), "one; two; one; check this machine with `the-loop doctor`");
        assert_eq!(Detail::of([]).text(), "");
    }
}
