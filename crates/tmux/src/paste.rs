//! Paste of a message into a pane: checked, pasted and submitted in one invocation.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{Answer, Pane, Tmux, call::Output, capture::plain};

/// Text to paste, with its timing and mark.
#[derive(Clone, Copy, Debug)]
pub struct Paste<'a> {
    /// Invariant: the text has passed the text policy; an escape character would end the paste frame.
    pub text: &'a str,
    /// Delay between the text and Enter.
    pub gap: Duration,
    /// Letters and digits that identify this message. The paste also marks the pane with them, and a marked pane is not
    /// pasted into again. Empty for no mark.
    pub mark: &'a str,
}

/// Result of a paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasteAnswer {
    /// tmux accepted the text and the Enter for that pane. It proves no more than that.
    Pasted {
        /// Screen of the pane right before Enter.
        before_enter: String,
    },
    /// This message was pasted before; it was not pasted again.
    Already,
    /// The pane is dead, gone, or no longer managed: nothing was typed.
    Gone,
    /// Another message is in its box and still waits for its Enter: nothing was typed.
    Busy,
    /// An operator has switched off the input of the pane: nothing was typed.
    InputOff,
}

/// Time between the capture of the screen and Enter.
const LOOK: Duration = Duration::from_millis(30);

/// Time that the invocation continues after Enter is due, to ensure that it is pressed.
const MARGIN: Duration = Duration::from_millis(15);

/// Option that is set on a pane from a paste until its Enter.
const TYPING: &str = "@loop_typing";

/// Maximum delay of an Enter after its gap, by a server that answers. After that the mark counts as left behind.
const ENTERED: Duration = Duration::from_secs(3);

const AGAIN: Duration = Duration::from_millis(10);

impl Tmux {
    /// Pastes a text into a pane and presses Enter. Nothing is typed unless the pane is alive, still carries its
    /// `@loop_pane` and still runs the same process. A paste into a dead pane crashes the whole 3.3a server, so this
    /// check cannot be a call of its own.
    ///
    /// Once the text is in, the server itself presses Enter, whatever happens to the caller. If the caller is killed,
    /// another caller may come before that Enter. It waits for the Enter: otherwise both messages would be submitted as
    /// one.
    pub fn paste(&self, pane: &Pane, paste: &Paste<'_>) -> Answer<PasteAnswer> {
        let deadline = Instant::now() + paste.gap + ENTERED;
        loop {
            let over = Instant::now() >= deadline;
            match self.paste_now(pane, paste, if over { "" } else { TYPING }) {
                Answer::Said(PasteAnswer::Busy) if !over => thread::sleep(AGAIN),
                answer => return answer,
            }
        }
    }

    fn paste_now(&self, pane: &Pane, paste: &Paste<'_>, busy: &str) -> Answer<PasteAnswer> {
        let unique = uuid::Uuid::new_v4().simple().to_string();
        let (id, gap) = (&pane.id, paste.gap.as_secs_f64());
        let look = paste.gap.saturating_sub(LOOK).as_secs_f64();
        let rest = (LOOK + MARGIN).as_secs_f64();
        let mark = match paste.mark {
            "" => String::new(),
            mark => format!("set-option -p -t {id} {} 1 ; ", mark_option(mark)),
        };
        // `-C` expands every format immediately; this one must be expanded when its time has come.
        let unfit = unfit(pane).replace('#', "##");
        let enter = format!(
            "if-shell -F -t {id} '{unfit}' 'delete-buffer -b enter-{unique}' '{}' ; set-option -p -u -t {id} {TYPING}",
            press(id, &format!("enter-{unique}"))
        );
        // Order matters: copy mode would consume the paste frame; the buffer names are unique.
        let deliver = format!(
            "copy-mode -q -t {id} ; load-buffer -b loop-{unique} - ; {mark}set-option -p -t {id} {TYPING} 1 ; \
             paste-buffer -d -p -r -b loop-{unique} -t {id} ; display-message -p '{unique} pasted' ; \
             set-buffer -b enter-{unique} \"\\r\" ; run-shell -b -d {gap:.3} -C \"{enter}\" ; \
             run-shell -d {look:.3} ; capture-pane -p -J -t {id} ; run-shell -d {rest:.3}"
        );
        self.guarded(pane, paste, busy, &unique, &deliver)
    }

    /// Presses Enter in a pane, under the same check as a paste.
    pub fn press_enter(&self, pane: &Pane) -> Answer<PasteAnswer> {
        self.press(pane, "\\r")
    }

    /// Presses a key in a pane, under the same check as a paste: a letter, a digit, or an escape that tmux itself
    /// knows.
    pub fn press(&self, pane: &Pane, key: &str) -> Answer<PasteAnswer> {
        let unique = uuid::Uuid::new_v4().simple().to_string();
        let press = press(&pane.id, &format!("key-{unique}"));
        let commands = format!(
            "copy-mode -q -t {} ; set-buffer -b key-{unique} \"{key}\" ; {press} ; display-message -p '{unique} pasted'",
            pane.id
        );
        self.guarded(pane, &Paste { text: "", gap: Duration::ZERO, mark: "" }, "", &unique, &commands)
    }

    /// Checks if a pane carries the mark of a message; `None` if the pane is gone.
    pub fn is_marked(&self, pane: &Pane, mark: &str) -> Answer<Option<bool>> {
        let format = format!("marked=#{{{}}}", mark_option(mark));
        match self.call(&["display-message", "-p", "-t", &pane.id, &format], b"") {
            Answer::Silent(silence) => Answer::Silent(silence),
            Answer::Said(output) if output.no_server() || output.no_target() => Answer::Said(None),
            Answer::Said(output) => match String::from_utf8_lossy(&output.stdout).trim() {
                "marked=1" => Answer::Said(Some(true)),
                "marked=" => Answer::Said(Some(false)),
                _ => Answer::Silent(output.silence()),
            },
        }
    }

    /// Removes the mark of a message from a pane, once its outcome is recorded elsewhere.
    pub fn unmark(&self, pane: &Pane, mark: &str) {
        // A mark that stays does no harm.
        let _ = self.call(&["set-option", "-p", "-u", "-t", &pane.id, &mark_option(mark)], b"");
    }

    /// Runs commands under the check. `busy` names the option that keeps other callers from typing meanwhile; empty
    /// where that does not matter.
    fn guarded(&self, pane: &Pane, paste: &Paste<'_>, busy: &str, unique: &str, commands: &str) -> Answer<PasteAnswer> {
        let option = |name: String| if name.is_empty() { name } else { format!("#{{{name}}}") };
        let (said, typing) = (option(mark_option(paste.mark)), option(busy.to_owned()));
        let unfit = format!("#{{||:{},#{{||:{said},{typing}}}}}", unfit(pane));
        let refuse =
            format!("display-message -p -t {} '{unique} refused #{{pane_input_off}},{said},{typing},'", pane.id);
        let args = ["if-shell", "-F", "-t", &pane.id, &unfit, &refuse, commands];
        match self.call(&args, paste.text.as_bytes()) {
            Answer::Said(output) => read(&output, unique),
            Answer::Silent(silence) => Answer::Silent(silence),
        }
    }
}

/// Returns the format that is true for a pane that must never be typed into.
fn unfit(pane: &Pane) -> String {
    let other = format!("#{{||:#{{!=:#{{@loop_pane}},{}}},#{{!=:#{{pane_pid}},{}}}}}", pane.pane_loop_id, pane.pid);
    format!("#{{||:#{{||:#{{pane_dead}},{other}}},#{{pane_input_off}}}}")
}

/// Returns the option that marks a pane for a message; empty for no mark.
fn mark_option(mark: &str) -> String {
    if mark.is_empty() { String::new() } else { format!("@loop_said_{mark}") }
}

/// Returns the command that presses Enter in this pane only. A sent key would go to every pane that an operator
/// synchronised with it, and copy mode would consume it.
fn press(id: &str, buffer: &str) -> String {
    format!("paste-buffer -d -r -b {buffer} -t {id}")
}

fn read(output: &Output, unique: &str) -> Answer<PasteAnswer> {
    let stdout = String::from_utf8_lossy(&output.stdout);
    // Whatever fails after this, the text is in.
    if let Some((_, screen)) = stdout.split_once(&format!("{unique} pasted\n")) {
        return Answer::Said(PasteAnswer::Pasted { before_enter: plain(screen) });
    }
    if let Some((_, why)) = stdout.split_once(&format!("{unique} refused ")) {
        let mut told = why.split(',');
        let [input_off, marked, typing] = [(); 3].map(|()| told.next() == Some("1"));
        return Answer::Said(match () {
            () if marked => PasteAnswer::Already,
            () if input_off => PasteAnswer::InputOff,
            () if typing => PasteAnswer::Busy,
            () => PasteAnswer::Gone,
        });
    }
    if output.no_server() || output.no_target() {
        return Answer::Said(PasteAnswer::Gone);
    }
    Answer::Silent(output.silence())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use proptest::prelude::*;

    use super::*;

    fn answer(stdout: &str, stderr: &str) -> Answer<PasteAnswer> {
        let status = std::process::ExitStatus::from_raw(0);
        read(&Output { status, stdout: stdout.as_bytes().to_vec(), stderr: stderr.to_owned() }, "u1")
    }

    #[test]
    fn a_refusal_says_why() {
        for (told, is) in [
            ("0,,,", PasteAnswer::Gone),
            (",,,", PasteAnswer::Gone),
            ("1,,,", PasteAnswer::InputOff),
            ("0,1,,", PasteAnswer::Already),
            ("1,1,1,", PasteAnswer::Already),
            ("0,,1,", PasteAnswer::Busy),
        ] {
            assert_eq!(answer(&format!("u1 refused {told}\n"), ""), Answer::Said(is), "{told}");
        }
        assert_eq!(answer("", "can't find pane: %7"), Answer::Said(PasteAnswer::Gone));
        assert!(matches!(answer("", ""), Answer::Silent(_)));
    }

    proptest! {
        /// Whatever a screen shows, only the words of this very invocation count.
        #[test]
        fn no_screen_passes_for_an_answer(shown in "(\\PC|\n| refused | pasted\n|u2|0,1,1,){0,60}", said in ".{0,40}") {
            let screen = shown.replace("u1", "");
            let before_enter = plain(&screen);
            prop_assert_eq!(answer(&format!("u1 pasted\n{screen}"), ""), Answer::Said(PasteAnswer::Pasted { before_enter }));
            let guessed = matches!(answer(&screen, ""), Answer::Said(PasteAnswer::Pasted { .. } | PasteAnswer::Already));
            prop_assert!(!guessed, "{screen:?}");
            answer(&shown, &said);
        }
    }
}
