//! Pictures of a pane: its screen or a part of its history, line by line, with colours and at its true width.
//!
//! Lines are numbered from the oldest one that tmux keeps. A line that scrolls from the screen into the history keeps
//! its number, until tmux drops the oldest lines of a full history.

mod lines;

use crate::{Answer, Pane, Tmux, call::Output};

/// Panes per invocation: tmux takes about 16,000 bytes of command.
const BATCH: usize = 50;

/// Number of attempts to read lines of a history that does not grow meanwhile.
const ATTEMPTS: u32 = 4;

/// Size and state of a pane at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Width in columns.
    pub cols: u16,
    /// Height in lines.
    pub rows: u16,
    /// Number of lines above the screen that tmux keeps.
    pub history: usize,
    /// True while the program uses the alternate screen, which has no history.
    pub alternate: bool,
    /// True once its process has ended and the pane is retained.
    pub dead: bool,
    /// Process of the pane.
    pub pid: u32,
    /// Time of its window's last output, in seconds since 1970.
    pub shown_at: u64,
    /// `@loop_pane` of the pane: the id of the spawn that it belongs to.
    pub loop_id: String,
}

/// Lines of a pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Size and state of the pane at that moment.
    pub facts: Facts,
    /// Number of the first line.
    pub first: usize,
    /// Lines with colour escape sequences. Each line begins in the default colours.
    pub lines: Vec<String>,
}

/// Listed fields, in the order of [`Facts`].
const FIELDS: [&str; 8] = [
    "pane_width",
    "pane_height",
    "history_size",
    "alternate_on",
    "pane_dead",
    "pane_pid",
    "window_activity",
    "@loop_pane",
];

impl Facts {
    /// True if the pane still runs the program that was listed in it.
    pub fn is_of(&self, pane: &Pane) -> bool {
        (self.pid, &self.loop_id) == (pane.pid, &pane.pane_loop_id)
    }
}

impl Tmux {
    /// Returns the facts of many panes, in their order, with few invocations; `None` for a pane that is gone.
    pub fn facts(&self, panes: &[&Pane]) -> Answer<Vec<Option<Facts>>> {
        let mut found = Vec::with_capacity(panes.len());
        for batch in panes.chunks(BATCH) {
            let (mark, format) = format();
            let mut args = Vec::new();
            for pane in batch {
                if !args.is_empty() {
                    args.push(";");
                }
                // A pane that is gone is not an error here: every field is empty then.
                args.extend(["display-message", "-p", "-t", &pane.id, &format]);
            }
            let output = match self.call(&args, b"") {
                Answer::Said(output) => output,
                Answer::Silent(silence) => return Answer::Silent(silence),
            };
            if !output.status.success() && !output.no_server() && !output.no_target() && !output.no_session() {
                return Answer::Silent(output.silence());
            }
            let said = String::from_utf8_lossy(&output.stdout);
            let mut facts = said.lines().filter_map(|line| line.strip_prefix(&mark)).map(parse);
            found.extend(batch.iter().map(|_| facts.next().flatten()));
        }
        Answer::Said(found)
    }

    /// Returns the screen of a pane, without blank lines at its end; `None` if the pane is gone. `last` are the facts
    /// that were read last.
    pub fn picture(&self, pane: &Pane, last: &Facts) -> Answer<Option<Picture>> {
        // tmux writes a line of its own into a dead pane, and scrolls away the top line for it.
        let above = usize::from(last.dead && !last.alternate && last.history > 0);
        let start = format!("-{above}");
        let captured = self.lines_of(pane, &["-S", if above > 0 { &start } else { "0" }]);
        captured.map(|captured| {
            let (facts, text) = captured?;
            let mut lines = lines::split(&text);
            if facts.dead && lines.last().is_some_and(|line| lines::plain(line).starts_with("Pane is dead")) {
                lines.pop();
            }
            while lines.last().is_some_and(|line| lines::plain(line).trim().is_empty()) {
                lines.pop();
            }
            Some(Picture { first: facts.history.saturating_sub(above), facts, lines })
        })
    }

    /// Returns up to `count` lines of a pane's history that are above the line with a number; `None` if the pane is
    /// gone.
    pub fn history(&self, pane: &Pane, before: usize, count: usize) -> Answer<Option<Picture>> {
        let mut attempts = ATTEMPTS;
        let mut known = match self.facts(&[pane]) {
            Answer::Said(mut facts) => facts.pop().flatten(),
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        loop {
            let Some(facts) = known else { return Answer::Said(None) };
            let end = before.min(facts.history);
            let first = end.saturating_sub(count);
            if first == end {
                return Answer::Said(Some(Picture { facts, first, lines: Vec::new() }));
            }
            // Counted from the top of the screen upwards.
            let above = |line: usize| format!("-{}", facts.history - line);
            let captured = self.lines_of(pane, &["-S", &above(first), "-E", &above(end - 1)]);
            let (now, text) = match captured {
                Answer::Silent(silence) => return Answer::Silent(silence),
                Answer::Said(None) => return Answer::Said(None),
                Answer::Said(Some(captured)) => captured,
            };
            attempts -= 1;
            if now.history == facts.history || attempts == 0 {
                return Answer::Said(Some(Picture { facts: now, first, lines: lines::split(&text) }));
            }
            known = Some(now);
        }
    }

    /// Returns the facts of a pane and captured lines, of the same moment; `None` if the pane is gone.
    fn lines_of(&self, pane: &Pane, range: &[&str]) -> Answer<Option<(Facts, String)>> {
        let (mark, format) = format();
        let mut args = vec!["display-message", "-p", "-t", &pane.id, &format, ";"];
        // Spaces at the end of a line may have a background.
        args.extend(["capture-pane", "-e", "-N", "-p", "-t", &pane.id]);
        args.extend_from_slice(range);
        match self.call(&args, b"") {
            Answer::Said(output) => read(&output, &mark),
            Answer::Silent(silence) => Answer::Silent(silence),
        }
    }
}

fn read(output: &Output, mark: &str) -> Answer<Option<(Facts, String)>> {
    if output.no_server() || output.no_target() || output.no_session() {
        return Answer::Said(None);
    }
    if !output.status.success() {
        return Answer::Silent(output.silence());
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let (facts, text) = said.split_once('\n').unwrap_or_default();
    Answer::Said(facts.strip_prefix(mark).and_then(parse).map(|facts| (facts, text.to_owned())))
}

/// Returns a mark that no option of a pane can know, and a format that begins with it.
fn format() -> (String, String) {
    let mark = uuid::Uuid::new_v4().simple().to_string();
    let format = FIELDS.iter().fold(mark.clone(), |format, field| format!("{format}\t#{{{field}}}"));
    (mark, format)
}

fn parse(line: &str) -> Option<Facts> {
    let mut fields = line.strip_prefix('\t')?.splitn(FIELDS.len(), '\t');
    let mut next = || fields.next();
    Some(Facts {
        cols: next()?.parse().ok()?,
        rows: next()?.parse().ok()?,
        history: next()?.parse().ok()?,
        alternate: next()? == "1",
        dead: next()? == "1",
        pid: next()?.parse().ok()?,
        shown_at: next()?.parse().ok()?,
        loop_id: next()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_of_one_program_in_one_pane() {
        let facts = parse("\t200\t50\t12\t0\t1\t7\t99\tid").expect("facts");
        assert_eq!((facts.cols, facts.rows, facts.history, facts.shown_at), (200, 50, 12, 99));
        assert!(facts.dead && !facts.alternate);
        let pane = |pid, id: &str| Pane { pid, pane_loop_id: id.to_owned(), ..Pane::default() };
        assert!(facts.is_of(&pane(7, "id")));
        assert!(!facts.is_of(&pane(8, "id")), "the pane was respawned");
        assert!(!facts.is_of(&pane(7, "")), "its mark was removed");
        assert_eq!(parse("\t\t\t\t\t\t\t\t"), None, "a pane that is gone");
    }
}
