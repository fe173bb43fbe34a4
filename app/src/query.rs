//! Query of the page's address: the sessions to show, and the open parts.

use form_urlencoded::{Serializer, parse};
use wire::SessionName;

/// Query of the page's address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Filter, in the language of [`crate::filter`].
    pub(crate) filter: String,
    pub(crate) order: Order,
    /// Sessions whose rows are unfolded.
    pub(crate) open: Vec<String>,
    /// True if the stopped sessions are unfolded.
    pub(crate) stopped: bool,
    /// True if the page is not fetched again without scripts, since the reader writes.
    pub(crate) hold: bool,
    /// True if the form for a new session is open.
    pub(crate) new: bool,
    /// Verb that must be confirmed; its sessions are not yet checked.
    pub(crate) confirm: Option<Confirm>,
    /// ID of a notice on the board.
    pub(crate) notice: Option<String>,
}

/// Order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// By what the sessions need.
    #[default]
    Urgency,
    Directory,
    Harness,
    Name,
}

impl Order {
    /// All orders, in the order of their menu.
    pub(crate) const ALL: [Self; 4] = [Self::Urgency, Self::Directory, Self::Harness, Self::Name];

    /// Returns the value in the address.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Urgency => "urgency",
            Self::Directory => "directory",
            Self::Harness => "harness",
            Self::Name => "name",
        }
    }

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Urgency => "Urgency",
            Self::Directory => "Directory",
            Self::Harness => "Harness",
            Self::Name => "Name",
        }
    }

    fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|order| order.as_str() == text).unwrap_or_default()
    }
}

/// A verb on one or more sessions that is done only after a confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Confirm {
    pub(crate) verb: Verb,
    /// Names of the sessions.
    pub(crate) names: Vec<String>,
}

/// A verb that can be confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Start,
    Stop,
    Restart,
    Say,
    Delete,
}

impl Verb {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Restart => "restart",
            Self::Say => "say",
            Self::Delete => "delete",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Start, Self::Stop, Self::Restart, Self::Say, Self::Delete].into_iter().find(|verb| verb.as_str() == text)
    }
}

impl Query {
    /// Parses the part of an address after its `?`. Unknown parts are ignored.
    pub fn parse(query: &str) -> Self {
        let mut found = Self::default();
        let (mut verb, mut names) = (None, Vec::new());
        for (key, value) in parse(query.as_bytes()) {
            match &*key {
                "q" => found.filter = value.into_owned(),
                // The filter of earlier versions.
                "show" if matches!(&*value, "declared" | "created") => {
                    let terms = [found.filter.as_str(), " source:", &value].concat();
                    terms.trim().clone_into(&mut found.filter);
                }
                "order" => found.order = Order::parse(&value),
                "open" => found.open.push(value.into_owned()),
                "stopped" => found.stopped = true,
                "hold" => found.hold = true,
                "new" => found.new = true,
                "confirm" => verb = Verb::parse(&value),
                "name" => names.push(value.into_owned()),
                "notice" => found.notice = Some(value.into_owned()),
                _ => {}
            }
        }
        names.retain(|name| SessionName::parse(name).is_ok());
        names.sort_unstable();
        names.dedup();
        found.confirm = verb.filter(|_| !names.is_empty()).map(|verb| Confirm { verb, names });
        found
    }

    /// Returns the page with the same list and nothing open.
    pub(crate) fn plain(&self) -> Self {
        Self { new: false, confirm: None, notice: None, ..self.clone() }
    }

    /// Returns the page with this verb to be confirmed.
    pub(crate) fn confirming(&self, verb: Verb, names: Vec<String>) -> Self {
        Self { confirm: Some(Confirm { verb, names }), ..self.plain() }
    }

    /// Returns the address of the page in this state.
    pub(crate) fn address(&self) -> String {
        let mut query = Serializer::new(String::new());
        if !self.filter.is_empty() {
            query.append_pair("q", &self.filter);
        }
        if self.order != Order::Urgency {
            query.append_pair("order", self.order.as_str());
        }
        for name in &self.open {
            query.append_pair("open", name);
        }
        if self.stopped {
            query.append_key_only("stopped");
        }
        if self.hold {
            query.append_key_only("hold");
        }
        if self.new {
            query.append_key_only("new");
        }
        if let Some(Confirm { verb, names }) = &self.confirm {
            query.append_pair("confirm", verb.as_str());
            for name in names {
                query.append_pair("name", name);
            }
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
            filter: "a&b=ü \n<".to_owned(),
            order: Order::Harness,
            open: vec!["ops".to_owned()],
            stopped: true,
            hold: true,
            new: true,
            confirm: Some(Confirm { verb: Verb::Stop, names: vec!["a".to_owned(), "b".to_owned()] }),
            notice: Some("1f".to_owned()),
        };
        let address = query.address();
        assert!(address.is_ascii(), "{address}");
        assert_eq!(Query::parse(address.strip_prefix("/?").expect("a query")), query);
        assert_eq!(Query::default().address(), "/");
    }

    #[test]
    fn nothing_but_names_is_confirmed() {
        let confirm = |query: &str| Query::parse(query).confirm;
        assert_eq!(confirm("confirm=stop"), None);
        assert_eq!(confirm("confirm=explode&name=a"), None);
        assert_eq!(confirm("confirm=stop&name=%3Cb%3E"), None);
        let both = confirm("confirm=stop&name=b&name=a&name=b").expect("a verb");
        assert_eq!(both.names, ["a", "b"]);
    }

    #[test]
    fn an_address_of_an_earlier_version_keeps_its_meaning() {
        assert_eq!(Query::parse("q=ops&show=declared").filter, "ops source:declared");
        assert_eq!(Query::parse("show=created").filter, "source:created");
        assert_eq!(Query::parse("show=").filter, "");
    }
}
