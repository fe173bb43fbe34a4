//! Page of a timeline: the log, read backwards, and the kept messages that have no line in it.

use std::io;

use jiff::Timestamp;

use super::{Cursor, Entry, TimelineQuery, texts::Texts};
use crate::{
    events::{Earlier, EventReader},
    messages::Messages,
};

/// Bytes of the log that are searched for one page. A page with few matches ends there, and the next page continues.
pub(super) const SEARCHED: u64 = 16 * 1024 * 1024;

/// Bytes per read of the log: small at first, since most pages end within the first one.
const BITES: [u64; 3] = [32 * 1024, 128 * 1024, 512 * 1024];

/// Bytes of the log after a page that are looked at again. Writers of several processes may swap lines that were written
/// within a moment.
const OVERLAP: u64 = 8 * 1024;

/// Part of the log that was searched for a page.
struct Searched {
    /// Matching entries, newest first, each with the position of its line.
    found: Vec<(u64, Entry)>,
    /// Position before which the next page continues.
    next: u64,
    /// Time of the oldest line; `None` if the log ends here, and earlier entries have no line.
    oldest: Option<Timestamp>,
}

/// Reads a page, and the place of the page before it. `searched` is the number of bytes of the log after which a page
/// ends.
pub(super) fn read(
    log: &EventReader,
    messages: &Messages,
    query: &TimelineQuery,
    end: u64,
    searched: u64,
) -> io::Result<(Vec<Entry>, Option<Cursor>)> {
    let mut texts = Texts::new(messages);
    let from = query.before.map_or(end, |cursor| cursor.position);
    if query.before.is_some() {
        for (_, line) in log.before(from.saturating_add(OVERLAP).min(end), OVERLAP)?.lines {
            if line.id > from
                && let Some(entry) = line.value().and_then(|value| Entry::of_event(line.id, value))
            {
                texts.note(&entry);
            }
        }
    }
    let searched = search(log, query, from, searched, &mut texts)?;
    let loose = loose(query, &searched, &mut texts);
    Ok(merge(query, from, searched, loose, &mut texts))
}

/// Searches the log backwards until the page is full, the log or the wanted time ends, or enough was searched.
fn search(
    log: &EventReader,
    query: &TimelineQuery,
    from: u64,
    most: u64,
    texts: &mut Texts<'_>,
) -> io::Result<Searched> {
    let mut searched = Searched { found: Vec::new(), next: from, oldest: None };
    let (mut bites, mut total) = (BITES.into_iter(), 0);
    let mut bite = BITES[0];
    loop {
        bite = bites.next().unwrap_or(bite);
        let Earlier { lines, next, end } = log.before(searched.next, bite)?;
        total += searched.next.saturating_sub(next);
        searched.next = next;
        let mut past = false;
        for (start, line) in lines {
            let about = query.session.as_ref().is_none_or(|name| line.text.contains(name.as_str()));
            // The time of the oldest line of a read is needed, whatever it is about.
            if !about && start != next {
                continue;
            }
            let Some(entry) = line.value().and_then(|value| Entry::of_event(line.id, value)) else { continue };
            searched.oldest = Some(entry.at);
            past |= query.since.is_some_and(|since| entry.at < since);
            texts.note(&entry);
            if query.takes(&entry) {
                searched.found.push((start, entry));
            }
        }
        if end || past {
            searched.oldest = None;
            return Ok(searched);
        }
        if searched.found.len() > query.limit() || total >= most {
            return Ok(searched);
        }
    }
}

/// Returns the kept messages of this page that have no line in the log, newest first.
fn loose(query: &TimelineQuery, searched: &Searched, texts: &mut Texts<'_>) -> Vec<Entry> {
    let Some(session) = &query.session else { return Vec::new() };
    let mut loose = texts.without_line(session);
    loose.retain(|entry| {
        query.takes(entry)
            && query.before.is_none_or(|cursor| entry.at < cursor.at)
            && searched.oldest.is_none_or(|oldest| entry.at >= oldest)
    });
    loose
}

/// Merges both by time, up to the limit of the page.
fn merge(
    query: &TimelineQuery,
    from: u64,
    searched: Searched,
    loose: Vec<Entry>,
    texts: &mut Texts<'_>,
) -> (Vec<Entry>, Option<Cursor>) {
    let Searched { found, next, oldest } = searched;
    let (mut found, mut loose) = (found.into_iter().peekable(), loose.into_iter().peekable());
    let mut entries: Vec<Entry> = Vec::new();
    let mut position = from;
    while entries.len() < query.limit() {
        let from_log = match (found.peek(), loose.peek()) {
            (Some((_, logged)), Some(kept)) => logged.at >= kept.at,
            (logged, _) => logged.is_some(),
        };
        let entry = if from_log {
            found.next().map(|(start, entry)| {
                position = start;
                texts.complete(entry)
            })
        } else {
            loose.next()
        };
        let Some(entry) = entry else { break };
        entries.push(entry);
    }
    let full = found.peek().is_some() || loose.peek().is_some();
    let older = if full {
        entries.last().map(|last| Cursor { position, at: last.at })
    } else {
        oldest.map(|at| Cursor { position: next, at })
    };
    (entries, older)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use serde_json::json;
    use wire::{SessionName, Verdict};

    use super::{super::Kinds, *};
    use crate::messages::Kept;

    fn time(second: usize) -> String {
        format!("2026-05-08T{:02}:{:02}:{:02}.000Z", second / 3600, second / 60 % 60, second % 60)
    }

    fn line(second: usize, event: &str, session: &str, id: &str) -> String {
        let value = json!({ "ts": time(second), "source": "cli", "event": event, "level": "info", "pid": 1,
            "standing": session, "message_id": id, "verdict": "queued" });
        format!("{value}\n")
    }

    fn name(text: &str) -> SessionName {
        SessionName::parse(text).expect("a name")
    }

    /// Log and kept messages of a test.
    struct Fixture {
        dir: tempfile::TempDir,
        log: String,
    }

    impl Fixture {
        fn new() -> Self {
            Self { dir: tempfile::tempdir().expect("made"), log: String::new() }
        }

        fn messages(&self) -> Messages {
            Messages::in_folder(self.dir.path().join("messages"))
        }

        fn keep(&self, second: usize, id: &str, text: &str) {
            let kept = Kept { at: time(second), message_id: id.to_owned(), ..Kept::new("cli", "me", text) };
            self.messages().keep(&name("ops"), Kept { verdict: Verdict::Submitted, ..kept });
        }

        fn path(&self) -> std::path::PathBuf {
            self.dir.path().join("events.jsonl")
        }

        /// Reads all pages of a query, each searched up to so many bytes.
        fn pages(&self, query: &TimelineQuery, searched: u64) -> Vec<Vec<Entry>> {
            fs::write(self.path(), &self.log).expect("written");
            let log = EventReader::new(self.path());
            let (mut query, mut pages) = (query.clone(), Vec::new());
            loop {
                let end = log.end().expect("asked");
                let (entries, older) = read(&log, &self.messages(), &query, end, searched).expect("read");
                assert!(entries.len() <= query.limit());
                pages.push(entries);
                let Some(older) = older else { return pages };
                assert_ne!(query.before, Some(older), "it moves on");
                query.before = Some(older.to_string().parse().expect("a place"));
            }
        }
    }

    fn ids(pages: &[Vec<Entry>]) -> Vec<&str> {
        pages.iter().flatten().map(|entry| entry.message_id.as_str()).collect()
    }

    #[test]
    fn log_and_kept_messages_are_merged_by_time_and_each_is_on_one_page() {
        let mut fixture = Fixture::new();
        for second in 0..40 {
            let (session, id) = (if second % 3 == 0 { "other" } else { "ops" }, format!("m{second}"));
            fixture.log += &line(second, "standing.said", session, &id);
            if second % 4 == 1 && session == "ops" {
                fixture.keep(second, &id, "with a line in the log");
            }
        }
        // Older than the log, between its lines, and newer.
        fixture.log.insert_str(0, &line(0, "standing.created", "ops", ""));
        let between = "2026-05-08T00:00:20.500Z".to_owned();
        let kept = Kept { at: between, message_id: "between".to_owned(), ..Kept::new("cli", "me", "loose") };
        fixture.messages().keep(&name("ops"), kept);
        fixture.keep(50, "newest", "loose");
        let mut expected: Vec<String> =
            (0..40).filter(|second| second % 3 != 0).map(|second| format!("m{second}")).collect();
        expected.insert(expected.iter().position(|id| id == "m22").expect("there"), "between".to_owned());
        expected.insert(0, String::new());
        expected.push("newest".to_owned());
        expected.reverse();
        for (limit, searched) in [(1, SEARCHED), (7, SEARCHED), (500, SEARCHED), (500, 1), (3, 1)] {
            let query = TimelineQuery { limit, ..TimelineQuery::of(name("ops")) };
            let pages = fixture.pages(&query, searched);
            assert_eq!(ids(&pages), expected, "pages of {limit}, {searched} bytes searched");
        }
        let all = fixture.pages(&TimelineQuery { limit: 500, ..TimelineQuery::default() }, SEARCHED);
        assert_eq!(ids(&all).len(), 41, "the log of every session, without what only a session's messages tell");
        let text = all[0].iter().find(|entry| entry.message_id == "m1").expect("there").text.as_deref();
        assert_eq!(text, Some("with a line in the log"));
    }

    #[test]
    fn lines_that_two_writers_swapped_are_told_once() {
        let mut fixture = Fixture::new();
        // The line of the kept message was written after a later one.
        for (second, id) in [(1, "a"), (3, "c"), (2, "b"), (4, "d")] {
            fixture.log += &line(second, "standing.said", "ops", id);
            fixture.keep(second, id, "kept");
        }
        for limit in 1..5 {
            let query = TimelineQuery { limit, ..TimelineQuery::of(name("ops")) };
            let mut found = ids(&fixture.pages(&query, SEARCHED)).join("");
            assert_eq!(found.len(), 4, "pages of {limit}: {found}");
            found = found.chars().rev().collect();
            assert_eq!(found, "acbd", "in the order of the log");
        }
    }

    #[test]
    fn only_what_matches_is_read_and_a_later_verdict_counts() {
        let mut fixture = Fixture::new();
        fixture.log += &line(10, "standing.said", "ops", "a");
        fixture.log += &line(20, "standing.said", "ops", "b");
        fixture.log += &line(30, "standing.started", "ops", "");
        fixture.log += &line(40, "standing.taken_up", "ops", "a");
        fixture.log +=
            "{\"ts\":\"2026-05-08T00:00:41.000Z\",\"event\":\"api.request\",\"level\":\"debug\"}\n{\"torn\n[]\n";
        fixture.log += &line(50, "standing.stop_failed", "other", "").replace("info", "error").replace("cli", "page");
        let read = |query: &TimelineQuery| fixture.pages(query, SEARCHED).concat();
        let events = |query: &TimelineQuery| read(query).into_iter().map(|entry| entry.event).collect::<Vec<_>>();
        let all = TimelineQuery::default();
        let messages = read(&TimelineQuery { kinds: Kinds::Messages, ..all.clone() });
        let verdicts: Vec<_> = messages.iter().map(|entry| entry.verdict).collect();
        assert_eq!(verdicts, [Some(Verdict::Queued), Some(Verdict::Submitted)]);
        assert_eq!(events(&all).len(), 5, "neither details nor torn lines");
        assert_eq!(events(&TimelineQuery { kinds: Kinds::Failures, ..all.clone() }), ["standing.stop_failed"]);
        assert_eq!(events(&TimelineQuery { surface: "page".to_owned(), ..all.clone() }), ["standing.stop_failed"]);
        assert_eq!(
            events(&TimelineQuery { kinds: Kinds::Lifecycle, ..TimelineQuery::of(name("ops")) }),
            ["standing.started"]
        );
        let at = |second| time(second).parse().ok();
        let span = TimelineQuery { since: at(20), until: at(30), ..all };
        assert_eq!(events(&span), ["standing.started", "standing.said"]);
    }

    #[test]
    fn a_page_is_searched_in_a_bounded_part_of_the_log() {
        let mut fixture = Fixture::new();
        fixture.log += &line(0, "standing.said", "ops", "first");
        for second in 0..5000 {
            fixture.log += &line(second, "standing.said", "other", "no");
        }
        let query = TimelineQuery::of(name("ops"));
        let pages = fixture.pages(&query, 100_000);
        let found: Vec<usize> = pages.iter().map(Vec::len).collect();
        assert!(found.len() > 3 && found[..found.len() - 1].iter().all(|&entries| entries == 0), "{found:?}");
        assert_eq!(ids(&pages), ["first"]);
        assert!(Path::new(&fixture.path()).metadata().expect("there").len() > 500_000);
    }
}
