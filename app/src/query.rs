//! Query of the page's address: the sessions to show, and the open parts.

use form_urlencoded::{Serializer, parse};

use crate::serverfns::Back;

/// Query of the page's address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub(crate) filter: Filter,
    /// True if the form for a new session is open.
    pub(crate) new: bool,
    /// Session whose deletion must be confirmed; not yet checked.
    pub(crate) confirm: Option<String>,
    /// ID of a notice on the board.
    pub(crate) notice: Option<String>,
}

/// Filter of the sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Part of a name or of a state; empty for all.
    pub(crate) text: String,
    pub(crate) kind: Kind,
}

/// Origin of a session's definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    All,
    Declared,
    Created,
}

impl Kind {
    /// Returns the value in the address.
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
    /// True if a session matches: `words` is the text that is searched.
    pub(crate) fn takes(&self, declared: bool, words: &str) -> bool {
        let kind = match self.kind {
            Kind::All => true,
            Kind::Declared => declared,
            Kind::Created => !declared,
        };
        let needle = self.text.trim().to_lowercase();
        kind && words.to_lowercase().contains(&needle)
    }

    /// Returns the filter as hidden fields of a form.
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
    /// Parses the part of an address after its `?`. Unknown parts are ignored.
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

    /// Returns the page with the same filter and nothing open.
    pub(crate) fn plain(filter: &Filter) -> Self {
        Self { filter: filter.clone(), ..Self::default() }
    }

    /// Returns the address of the page in this state.
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
