//! Query of the address of the Events page: filter, and place of the page.

use std::fmt::Display;

use ::standing::timeline::{Cursor, Kinds, TimelineQuery};
use form_urlencoded::{Serializer, parse};
use wire::SessionName;

use super::time;

/// Query of the Events page's address, as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventsQuery {
    pub(super) session: String,
    pub(super) kind: String,
    pub(super) surface: String,
    pub(super) since: String,
    pub(super) until: String,
    before: String,
}

/// Errors in the fields of the filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mistakes {
    pub(super) session: Option<String>,
    pub(super) since: Option<String>,
    pub(super) until: Option<String>,
}

impl Mistakes {
    pub(super) fn any(&self) -> bool {
        *self != Self::default()
    }
}

impl EventsQuery {
    /// Parses the part of an address after its `?`. Unknown parts are ignored.
    pub fn parse(query: &str) -> Self {
        let mut found = Self::default();
        for (key, value) in parse(query.as_bytes()) {
            let value = value.trim().to_owned();
            match &*key {
                "session" => found.session = value,
                "kind" => found.kind = value,
                "surface" => found.surface = value,
                "since" => found.since = value,
                "until" => found.until = value,
                "before" => found.before = value,
                _ => {}
            }
        }
        found
    }

    /// Returns the query for the core, and the mistakes in it. A field with a mistake filters nothing.
    pub(super) fn for_core(&self) -> (TimelineQuery, Mistakes) {
        let mut mistakes = Mistakes::default();
        let query = TimelineQuery {
            session: valid(&self.session, SessionName::parse, &mut mistakes.session),
            kinds: Kinds::parse(&self.kind),
            surface: self.surface.clone(),
            since: valid(&self.since, time::parse, &mut mistakes.since),
            until: valid(&self.until, time::parse, &mut mistakes.until),
            before: self.before.parse().ok(),
            ..TimelineQuery::default()
        };
        (query, mistakes)
    }

    /// True if the page is not the newest one.
    pub(super) fn is_older(&self) -> bool {
        !self.before.is_empty()
    }

    /// True if there is a filter.
    pub(super) fn filters(&self) -> bool {
        let fields = [&self.session, &self.kind, &self.surface, &self.since, &self.until];
        fields.iter().any(|field| !field.is_empty())
    }

    /// Returns the address of the newest page with this filter, or of an earlier one.
    pub(super) fn address(&self, before: Option<Cursor>) -> String {
        let before = before.map(|cursor| cursor.to_string()).unwrap_or_default();
        address(
            "/events",
            &[
                ("session", &self.session),
                ("kind", &self.kind),
                ("surface", &self.surface),
                ("since", &self.since),
                ("until", &self.until),
                ("before", &before),
            ],
        )
    }
}

/// Returns an address with the parts that are not empty.
pub(super) fn address(path: &str, parts: &[(&str, &str)]) -> String {
    let mut query = Serializer::new(String::new());
    for (key, value) in parts.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(key, value);
    }
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

fn valid<T, E: Display>(text: &str, read: impl Fn(&str) -> Result<T, E>, mistake: &mut Option<String>) -> Option<T> {
    if text.is_empty() {
        return None;
    }
    read(text).map_err(|error| *mistake = Some(error.to_string())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back_and_a_mistake_is_named_under_its_field() {
        let query = EventsQuery::parse("session=ops&kind=messages&surface=cli&since=2h&until=&before=7.1&more=1");
        let (core, mistakes) = query.for_core();
        assert!(!mistakes.any(), "{mistakes:?}");
        assert_eq!((core.kinds, core.surface.as_str()), (Kinds::Messages, "cli"));
        assert!(core.since.is_some() && core.until.is_none() && query.is_older() && query.filters());
        assert_eq!(query.address(core.before), "/events?session=ops&kind=messages&surface=cli&since=2h&before=7.1");
        assert_eq!(EventsQuery::default().address(None), "/events");

        let (core, mistakes) = EventsQuery::parse("session=No+Name&since=yesterday&before=nowhere").for_core();
        assert!(mistakes.session.is_some() && mistakes.since.is_some() && mistakes.until.is_none());
        assert_eq!(core, TimelineQuery::default());
    }
}
