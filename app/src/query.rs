//! What the address of the page says: which sessions to show, and what is open.

use form_urlencoded::{Serializer, parse};

use crate::serverfns::Back;

/// The query of the page's address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub(crate) filter: Filter,
    /// The form for a new session is open.
    pub(crate) new: bool,
    /// The session whose deletion is to be confirmed; not yet checked.
    pub(crate) confirm: Option<String>,
    /// A notice on the board.
    pub(crate) notice: Option<String>,
}

/// Which sessions to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Part of a name or of a state; empty for all.
    pub(crate) text: String,
    pub(crate) kind: Kind,
}

/// Where a session's definition comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    All,
    Declared,
    Created,
}

impl Kind {
    /// In the address.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Declared => "declared",
            Self::Created => "created",
        }
    }

    fn parse(text: &str) -> Self {
        match text {
            "declared" => Self::Declared,
            "created" => Self::Created,
            _ => Self::All,
        }
    }
}

impl Filter {
    /// Whether a session is shown: `words` is everything it can be found by.
    pub(crate) fn takes(&self, declared: bool, words: &str) -> bool {
        let kind = match self.kind {
            Kind::All => true,
            Kind::Declared => declared,
            Kind::Created => !declared,
        };
        let needle = self.text.trim().to_lowercase();
        kind && words.to_lowercase().contains(&needle)
    }

    /// As hidden fields carry it through a form.
    pub(crate) fn back(&self) -> Back {
        Back { q: self.text.clone(), show: self.kind.as_str().to_owned() }
    }
}

impl From<Back> for Filter {
    fn from(back: Back) -> Self {
        Self { text: back.q, kind: Kind::parse(&back.show) }
    }
}

impl Query {
    /// Reads the part of an address after its `?`. What is not understood is left out.
    pub fn parse(query: &str) -> Self {
        let mut found = Self::default();
        for (key, value) in parse(query.as_bytes()) {
            match &*key {
                "q" => found.filter.text = value.into_owned(),
                "show" => found.filter.kind = Kind::parse(&value),
                "new" => found.new = true,
                "confirm" => found.confirm = Some(value.into_owned()),
                "notice" => found.notice = Some(value.into_owned()),
                _ => {}
            }
        }
        found
    }

    /// The page with the same sessions shown and nothing open.
    pub(crate) fn plain(filter: &Filter) -> Self {
        Self { filter: filter.clone(), ..Self::default() }
    }

    /// The address of the page in this state.
    pub(crate) fn address(&self) -> String {
        let mut query = Serializer::new(String::new());
        if !self.filter.text.is_empty() {
            query.append_pair("q", &self.filter.text);
        }
        if self.filter.kind != Kind::All {
            query.append_pair("show", self.filter.kind.as_str());
        }
        if self.new {
            query.append_key_only("new");
        }
        if let Some(name) = &self.confirm {
            query.append_pair("confirm", name);
        }
        if let Some(id) = &self.notice {
            query.append_pair("notice", id);
        }
        let query = query.finish();
        if query.is_empty() { "/".to_owned() } else { format!("/?{query}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back_as_it_was_written() {
        let query = Query {
            filter: Filter { text: "a&b=ü \n<".to_owned(), kind: Kind::Created },
            new: true,
            confirm: Some("x".to_owned()),
            notice: Some("1f".to_owned()),
        };
        let address = query.address();
        assert!(address.is_ascii(), "{address}");
        assert_eq!(Query::parse(address.strip_prefix("/?").expect("a query")), query);
        assert_eq!(Query::default().address(), "/");
    }

    #[test]
    fn the_filter_looks_at_source_and_words() {
        let filter = Filter { text: " IDLE".to_owned(), kind: Kind::Declared };
        assert!(filter.takes(true, "supervisor idle"));
        assert!(!filter.takes(false, "supervisor idle"));
        assert!(!filter.takes(true, "supervisor working"));
        assert!(Filter::default().takes(false, ""));
    }
}
