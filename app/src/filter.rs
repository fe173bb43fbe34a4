//! The filter language of the list: `state:idle dir:~/src harness:codex since:>2h words`.
//!
//! The server and the browser use the same code, so both select the same sessions. It does no I/O and has no state.

/// Facts of a session that a filter compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts<'a> {
    /// Name of the session.
    pub name: &'a str,
    /// Word of its state, as the chips show it.
    pub state: &'a str,
    /// Harness.
    pub harness: &'a str,
    /// Directory as it is shown, with `~` for the home directory.
    pub directory: &'a str,
    /// Directory as an absolute path.
    pub path: &'a str,
    /// `declared` or `created`.
    pub source: &'a str,
    /// Start of its state, in seconds since 1970; `None` if unknown.
    pub since: Option<u64>,
    /// Description and last line.
    pub texts: [&'a str; 2],
}

/// A parsed filter. An empty filter matches every session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    /// A key with a value, in lower case.
    Is(Key, String),
    /// The state has lasted for more (true) or less (false) than so many seconds.
    Lasted(bool, u64),
    /// A word in any of the facts, in lower case.
    Word(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    State,
    Directory,
    Harness,
    Source,
    Name,
}

impl Key {
    fn parse(key: &str) -> Option<Self> {
        match key {
            "state" => Some(Self::State),
            "dir" | "directory" => Some(Self::Directory),
            "harness" => Some(Self::Harness),
            "source" => Some(Self::Source),
            "name" => Some(Self::Name),
            _ => None,
        }
    }

    fn matches(self, value: &str, facts: &Facts<'_>) -> bool {
        match self {
            // A state of two words is one value: `state:not-started`.
            Self::State => has(&facts.state.replace(' ', "-"), value),
            Self::Directory => has(facts.directory, value) || has(facts.path, value),
            Self::Harness => facts.harness.eq_ignore_ascii_case(value),
            Self::Source => facts.source.starts_with(value),
            Self::Name => has(facts.name, value),
        }
    }
}

impl Filter {
    /// Parses a filter. A term that is not understood is a plain word.
    pub fn parse(text: &str) -> Self {
        Self(terms(text).map(term).collect())
    }

    /// True if every session matches.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if a session matches: one of the values of each key, and every word. `now` is in seconds since 1970.
    pub fn matches(&self, facts: &Facts<'_>, now: u64) -> bool {
        self.0.iter().all(|term| match term {
            Term::Is(key, _) => {
                let mut values = self.0.iter().filter_map(|other| match other {
                    Term::Is(same, value) if same == key => Some(value),
                    _ => None,
                });
                values.any(|value| key.matches(value, facts))
            }
            Term::Lasted(more, seconds) => {
                facts.since.is_some_and(|since| (now.saturating_sub(since) > *seconds) == *more)
            }
            Term::Word(word) => {
                let [about, line] = facts.texts;
                [facts.name, facts.state, facts.harness, facts.directory, facts.path, about, line]
                    .iter()
                    .any(|fact| has(fact, word))
            }
        })
    }

    /// True if the filter selects this state by name.
    pub fn selects(&self, state: &str) -> bool {
        let state = state.replace(' ', "-");
        self.0.iter().any(|term| matches!(term, Term::Is(Key::State, value) if *value == state))
    }
}

/// Returns a filter's text with a state added, or removed if it was selected.
pub fn toggled(text: &str, state: &str) -> String {
    let wanted = ["state:", &state.replace(' ', "-")].concat();
    let mut kept: Vec<&str> = terms(text).filter(|term| !term.eq_ignore_ascii_case(&wanted)).collect();
    if kept.len() == terms(text).count() {
        kept.push(&wanted);
    }
    kept.join(" ")
}

/// Splits a text at its spaces, except inside quotation marks.
fn terms(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |letter: char| {
        quoted ^= letter == '"';
        letter.is_whitespace() && !quoted
    })
    .filter(|term| !term.is_empty())
}

fn term(term: &str) -> Term {
    let plain = lower(&term.replace('"', ""));
    match plain.split_once(':') {
        Some(("since", value)) => lasted(value).unwrap_or(Term::Word(plain)),
        Some((key, value)) if !value.is_empty() => match Key::parse(key) {
            Some(key) => Term::Is(key, value.to_owned()),
            None => Term::Word(plain),
        },
        _ => Term::Word(plain),
    }
}

/// Parses `>2h`, `<10m` and the like.
fn lasted(value: &str) -> Option<Term> {
    let (more, span) = match value.as_bytes().first()? {
        b'>' => (true, &value[1..]),
        b'<' => (false, &value[1..]),
        _ => (true, value),
    };
    let digits = span.bytes().take_while(u8::is_ascii_digit).count();
    let unit = match span[digits..].trim_start() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    let count: u64 = span[..digits].parse().ok()?;
    Some(Term::Lasted(more, count.saturating_mul(unit)))
}

/// Returns a text in lower case. The browser has the tables for that already.
fn lower(text: &str) -> String {
    #[cfg(feature = "hydrate")]
    return String::from(web_sys::js_sys::JsString::from(text).to_lower_case());
    #[cfg(not(feature = "hydrate"))]
    text.to_lowercase()
}

/// True if a text contains a word, in whatever case.
fn has(text: &str, word: &str) -> bool {
    if text.is_ascii() {
        let (text, word) = (text.as_bytes(), word.as_bytes());
        return word.is_empty() || text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    }
    lower(text).contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_000_000;

    fn facts() -> Facts<'static> {
        Facts {
            name: "api-migration",
            state: "not started",
            harness: "claude",
            directory: "~/src/api",
            path: "/home/u/src/api",
            source: "created",
            since: Some(NOW - 7_300),
            texts: ["Moves the v1 handlers", "ÜBER night"],
        }
    }

    fn matches(filter: &str) -> bool {
        Filter::parse(filter).matches(&facts(), NOW)
    }

    #[test]
    fn all_keys_and_all_words_must_match() {
        for filter in [
            "",
            "  ",
            "migration",
            "state:not-started",
            "STATE:Not-Started",
            "state:idle state:not-started",
            "dir:~/src",
            "dir:/home/u",
            "harness:claude v1 HANDLERS",
            "source:created",
            "since:>2h",
            "since:2h",
            "since:<1d",
            "\"v1 handlers\"",
            "über",
            "name:api",
        ] {
            assert!(matches(filter), "{filter}");
        }
        for filter in [
            "zzz",
            "state:idle",
            "migration zzz",
            "dir:/src/web",
            "harness:cla",
            "source:declared",
            "since:<2h",
            "since:>3h",
            "\"handlers v1\"",
        ] {
            assert!(!matches(filter), "{filter}");
        }
    }

    #[test]
    fn a_term_that_is_not_understood_is_a_word() {
        let with = |text| Facts { texts: [text, ""], ..facts() };
        assert!(Filter::parse("note:done").matches(&with("note:done today"), NOW));
        assert!(Filter::parse("since:soon").matches(&with("since:soon"), NOW));
        assert!(Filter::parse("state:").matches(&with("state: x"), NOW));
        assert!(!Filter::parse("since:>2h").matches(&Facts { since: None, ..facts() }, NOW));
    }

    #[test]
    fn a_state_is_toggled_in_the_text() {
        assert_eq!(toggled("", "idle"), "state:idle");
        assert_eq!(toggled("dir:x state:idle", "not started"), "dir:x state:idle state:not-started");
        assert_eq!(toggled("state:idle \"a b\"", "idle"), "\"a b\"");
        assert!(Filter::parse("state:not-started").selects("not started"));
        assert!(!Filter::parse("not started").selects("not started"));
    }
}
