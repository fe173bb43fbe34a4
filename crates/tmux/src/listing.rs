//! Listing of every managed session: a single `list-panes -a`, whatever their number.

use std::collections::BTreeMap;

use wire::{SessionName, TMUX_PREFIX};

use super::{Answer, Tmux};

/// Pane of a managed session, as tmux lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pane {
    /// tmux pane id, `%N`: constant for the life of its server, whatever is split, selected or renamed.
    pub id: String,
    /// `@loop_id` of the session; empty if it has none.
    pub session_loop_id: String,
    /// `@loop_pane` of the pane: only the spawned pane has it.
    pub pane_loop_id: String,
    /// `@loop_root` of the session: the state folder it belongs to; empty if it has none.
    pub root: String,
    /// Process of the pane: the harness, since the launcher execs it.
    pub pid: u32,
    /// True once its process has ended and the pane is retained.
    pub dead: bool,
    /// Exit status of a dead pane, if it is known yet.
    pub exit_status: Option<i32>,
    /// Signal that ended a dead pane's process, if one did.
    pub exit_signal: Option<i32>,
    /// Time of a dead pane's end, in seconds since 1970; `None` if tmux does not tell it.
    pub ended_at: Option<i64>,
    /// Process of the server.
    pub server_pid: u32,
    /// Path of the server's socket.
    pub socket: String,
    /// Time of its window's last output, in seconds since 1970.
    pub shown_at: u64,
    /// Title exactly as its program set it.
    pub title: String,
}

impl Pane {
    /// True if the pane's program has ended and the cause is known.
    pub fn is_told(&self) -> bool {
        self.dead && (self.exit_status.is_some() || self.exit_signal.is_some())
    }
}

/// Panes of every managed session, by session name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panes {
    by_session: BTreeMap<SessionName, Vec<Pane>>,
    /// True if there was no server to query. A deleted socket looks the same.
    pub no_server: bool,
}

impl Panes {
    /// Returns the panes of one session; none if it does not exist.
    pub fn of(&self, name: &SessionName) -> &[Pane] {
        self.by_session.get(name).map_or(&[], Vec::as_slice)
    }

    /// Creates a listing that holds only the panes of one session.
    pub fn holding(name: &SessionName, panes: &[Pane]) -> Self {
        Self { by_session: BTreeMap::from([(name.clone(), panes.to_vec())]), no_server: false }
    }

    /// Iterates over every managed session with its panes.
    pub fn sessions(&self) -> impl Iterator<Item = (&SessionName, &[Pane])> {
        self.by_session.iter().map(|(name, panes)| (name, panes.as_slice()))
    }

    /// Finds the pane of an id.
    pub fn with_id(&self, id: &str) -> Option<&Pane> {
        self.by_session.values().flatten().find(|pane| pane.id == id)
    }

    /// True if any listed pane fits the condition.
    pub fn any(&self, like: impl Fn(&Pane) -> bool) -> bool {
        self.by_session.values().flatten().any(like)
    }
}

/// Listed fields. `#{@loop_pane}` of a pane falls back to its window's and session's option of that name, which
/// the-loop never sets.
const FIELDS: [&str; 14] = [
    "session_name",
    "pane_id",
    "@loop_id",
    "@loop_pane",
    "@loop_root",
    "pane_pid",
    "pane_dead",
    "pane_dead_status",
    "pane_dead_signal",
    "pane_dead_time",
    "pid",
    "socket_path",
    "window_activity",
    "pane_title",
];

impl Tmux {
    /// Lists every pane of every managed session.
    pub fn panes(&self) -> Answer<Panes> {
        // A line counts only if it begins with a mark that no title or option can know.
        let mark = uuid::Uuid::new_v4().simple().to_string();
        let format = FIELDS.iter().fold(mark.clone(), |format, field| format!("{format}\t#{{{field}}}"));
        let output = match self.call_until(&["list-panes", "-a", "-F", &format], |output| !output.server_ended()) {
            Answer::Said(output) => output,
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        if output.status.success() {
            return Answer::Said(Panes { by_session: parse(&output.stdout, &mark), no_server: false });
        }
        if output.no_session() {
            return Answer::Said(Panes::default());
        }
        if output.no_server() {
            return Answer::Said(Panes { no_server: true, ..Panes::default() });
        }
        Answer::Silent(output.silence())
    }
}

fn parse(stdout: &[u8], mark: &str) -> BTreeMap<SessionName, Vec<Pane>> {
    let mut by_session: BTreeMap<SessionName, Vec<Pane>> = BTreeMap::new();
    for line in String::from_utf8_lossy(stdout).lines() {
        if let Some((name, pane)) = parse_line(line, mark) {
            by_session.entry(name).or_default().push(pane);
        }
    }
    by_session
}

fn parse_line(line: &str, mark: &str) -> Option<(SessionName, Pane)> {
    let mut fields = line.strip_prefix(mark)?.strip_prefix('\t')?.splitn(FIELDS.len(), '\t');
    let mut next = || fields.next();
    let name = SessionName::parse(next()?.strip_prefix(TMUX_PREFIX)?).ok()?;
    let pane = Pane {
        id: next()?.to_owned(),
        session_loop_id: next()?.to_owned(),
        pane_loop_id: next()?.to_owned(),
        root: next()?.to_owned(),
        pid: next()?.parse().ok()?,
        dead: next()? == "1",
        exit_status: next()?.parse().ok(),
        exit_signal: next()?.parse().ok(),
        ended_at: next()?.parse().ok(),
        server_pid: next()?.parse().ok()?,
        socket: next()?.to_owned(),
        shown_at: next()?.parse().unwrap_or_default(),
        title: next()?.to_owned(),
    };
    Some((name, pane))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_marked_lines_of_our_own_names_count() {
        let text = "M\tloop-standing-a\t%1\tid\tid\t/r\t10\t0\t\t\t\t5\t/s\t9\ttitle\twith tab\n\
                    loop-standing-b\t%2\t\t\t\t11\t0\t\t\t\t5\t/s\t9\tforged\n\
                    M\tloop-standing-B\t%3\t\t\t\t12\t0\t\t\t\t5\t/s\t9\tnot a name\n\
                    M\tother\t%4\t\t\t\t13\t0\t\t\t\t5\t/s\t9\t\n\
                    M\tloop-standing-a\t%5\tid\t\t/r\t14\t1\t\t9\t\t5\t/s\t9\t\n";
        let found = parse(text.as_bytes(), "M");
        assert_eq!(found.len(), 1);
        let panes = &found[&SessionName::parse("a").expect("valid")];
        assert_eq!(panes[0].title, "title\twith tab");
        assert_eq!((panes[1].dead, panes[1].exit_status, panes[1].exit_signal), (true, None, Some(9)));
    }

    proptest! {
        #[test]
        fn any_answer_is_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut text = b"M\tloop-standing-a\t".to_vec();
            text.extend(&bytes);
            parse(&text, "M");
            parse(&bytes, "");
        }

        /// A title, an option or a torn line of one pane hides no other pane and is never taken for one.
        #[test]
        fn no_line_takes_another_along(
            strange in proptest::collection::vec("\\PC{0,40}|[\t\r\u{1b}a-zM%0-9-]{0,60}", 0..6),
            title in "[^\n]{0,40}",
        ) {
            let whole = |name: &str| format!("M\tloop-standing-{name}\t%1\tid\tid\t/r\t10\t0\t\t\t\t5\t/s\t9\t{title}\n");
            let text = format!("{}{}\n{}", whole("a"), strange.join("\n"), whole("b"));
            let found = parse(text.as_bytes(), "M");
            for name in ["a", "b"] {
                let name = SessionName::parse(name).expect("valid");
                prop_assert!(found.get(&name).is_some_and(|panes| panes.iter().any(|pane| pane.pid == 10)), "{text:?}");
            }
            // A line without the mark of this answer is not a pane.
            let marks = strange.iter().filter(|line| line.starts_with("M\t")).count();
            prop_assert!(found.values().map(Vec::len).sum::<usize>() <= 2 + marks, "{text:?}");
        }
    }
}
