//! Captures of a pane's screen.

use super::{Answer, Pane, Tmux};

/// Screen of a pane together with its title at that moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Title that the program set.
    pub title: String,
    /// Visible lines.
    pub text: String,
}

impl Tmux {
    /// Returns a pane's current screen and title; `None` if it is gone.
    pub fn shown(&self, pane: &Pane) -> Answer<Option<Shown>> {
        let shown = self.show(pane, &["capture-pane", "-p", "-J", "-t", &pane.id]);
        shown.map(|shown| shown.map(|(title, text)| Shown { title, text: plain(&text) }))
    }

    /// Returns a pane's current screen with colour escape sequences, and its title; `None` if it is gone.
    pub fn coloured(&self, pane: &Pane) -> Answer<Option<Shown>> {
        let shown = self.show(pane, &["capture-pane", "-e", "-p", "-J", "-t", &pane.id]);
        shown.map(|shown| shown.map(|(title, text)| Shown { title, text }))
    }

    /// Returns the title of a pane and the output of a capture, of the same moment.
    fn show(&self, pane: &Pane, capture: &[&str]) -> Answer<Option<(String, String)>> {
        let mut args = vec!["display-message", "-p", "-t", &pane.id, "#{pane_title}", ";"];
        args.extend_from_slice(capture);
        let output = match self.call(&args, b"") {
            Answer::Said(output) => output,
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        if output.no_server() || output.no_target() {
            return Answer::Said(None);
        }
        if !output.status.success() {
            return Answer::Silent(output.silence());
        }
        let said = String::from_utf8_lossy(&output.stdout);
        let (title, text) = said.split_once('\n').unwrap_or_default();
        Answer::Said(Some((title.to_owned(), text.to_owned())))
    }

    /// Returns the visible lines of a pane as plain text, without trailing blank lines and without control characters.
    /// A dead pane returns all lines that are kept, since its last output may have scrolled away. `None` if the pane is
    /// gone.
    pub fn capture(&self, pane: &Pane) -> Answer<Option<String>> {
        let output = match self.call(&capture(pane), b"") {
            Answer::Said(output) => output,
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        if output.no_server() || output.no_target() {
            return Answer::Said(None);
        }
        if !output.status.success() {
            return Answer::Silent(output.silence());
        }
        Answer::Said(Some(text_of(pane, &String::from_utf8_lossy(&output.stdout))))
    }

    /// Captures many panes as [`Self::capture`] does, with few invocations, in their order. A pane that went away
    /// meanwhile ends its invocation, and the panes after it are queried again.
    pub fn capture_all(&self, panes: &[&Pane]) -> Answer<Vec<Option<String>>> {
        let mut captured: Vec<Option<String>> = Vec::with_capacity(panes.len());
        while captured.len() < panes.len() {
            let rest = &panes[captured.len()..];
            let batch = &rest[..rest.len().min(BATCH)];
            let mark = uuid::Uuid::new_v4().simple().to_string();
            let mut args: Vec<&str> = Vec::new();
            for pane in batch {
                args.extend(capture(pane));
                args.extend([";", "display-message", "-p", &mark, ";"]);
            }
            let output = match self.call(&args, b"") {
                Answer::Said(output) => output,
                Answer::Silent(silence) => return Answer::Silent(silence),
            };
            let text = String::from_utf8_lossy(&output.stdout);
            let screens: Vec<&str> = text.split(&format!("{mark}\n")).collect();
            // The text after the last mark is not a screen.
            captured
                .extend(batch.iter().zip(&screens[..screens.len() - 1]).map(|(pane, text)| Some(text_of(pane, text))));
            if screens.len() <= batch.len() {
                if !output.no_server() && !output.no_target() {
                    return Answer::Silent(output.silence());
                }
                captured.push(None);
            }
        }
        Answer::Said(captured)
    }
}

/// Panes per invocation: tmux takes about 16,000 bytes of command.
const BATCH: usize = 100;

fn capture(pane: &Pane) -> Vec<&str> {
    let mut args = vec!["capture-pane", "-p", "-J", "-t", &pane.id];
    if pane.dead {
        args.extend(["-S", "-"]);
    }
    args
}

/// Removes tmux's own line. tmux writes it at the bottom of a dead pane and scrolls away the top line for it. Other
/// fields report how the program ended.
fn text_of(pane: &Pane, text: &str) -> String {
    let text = plain(text);
    match text.rsplit_once('\n') {
        Some((above, epitaph)) if pane.dead && epitaph.starts_with("Pane is dead") => above.trim_end().to_owned(),
        _ => text,
    }
}

pub(crate) fn plain(text: &str) -> String {
    let lines: Vec<String> =
        text.lines().map(|line| line.trim_end().chars().filter(|c| !c.is_control()).collect()).collect();
    lines.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tmux_writes_into_a_dead_pane_is_not_said_by_its_program() {
        let shown = "boom\n\n\nPane is dead (status 7, Sun Nov 29 16:00:00 2026)\n";
        let pane = |dead| Pane { dead, ..Pane::default() };
        assert_eq!(text_of(&pane(true), shown), "boom");
        assert_eq!(text_of(&pane(true), "Pane is dead\nso it said\n"), "Pane is dead\nso it said");
        assert!(text_of(&pane(false), shown).ends_with("2026)"));
    }
}
