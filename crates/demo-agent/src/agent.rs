//! Agent: a conversation, an input box, current work. It receives input and the time; it does not know the terminal.

use std::{
    borrow::Cow,
    collections::VecDeque,
    io,
    time::{Duration, Instant},
};

use uuid::Uuid;

use super::{
    entry::{Entry, Patience},
    faults::Faults,
    input::Input,
    screen::{Bottom, Said, View},
    transcript::{Kind, Line, Transcript},
    turn::{self, Failure},
};

/// Idle time after which a reply is written to disk.
const HOLD: Duration = Duration::from_secs(1);
/// Number of lines of a long reply.
const WORDY: usize = 600;
/// Maximum number of characters shown of any message.
const SHOWN_CHARS: usize = 2000;
/// Answers of a dialog; the first is preselected and exits.
const CHOICES: [&str; 2] = ["No, exit", "Yes, go on"];

/// Result of an input: continue or exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Continue.
    Stay,
    /// Exit with this code.
    Leave(u8),
}

/// State of the agent.
pub(super) struct Agent {
    id: Uuid,
    transcript: Transcript,
    patience: Patience,
    busy: Duration,
    /// Queued turns are lost with the process.
    queues: bool,
    /// True if replies are long.
    wordy: bool,
    deaf_box: bool,
    /// Number of Enters still to be ignored.
    deaf_enters: u32,
    hold: Duration,
    talk: Vec<Said>,
    entry: Entry,
    /// Current turn and the time when it will be done.
    work: Option<(Submitted, Instant)>,
    /// Turns submitted meanwhile, and if each is written as a turn yet.
    queue: VecDeque<(Submitted, bool)>,
    dialog: Option<Dialog>,
    /// First turn, kept while a dialog is open.
    prompt: Option<String>,
    /// True if Ctrl-C was the last key.
    interrupted: bool,
    /// Time when held lines will be written.
    flush_at: Option<Instant>,
}

/// Submitted turn.
struct Submitted {
    id: Uuid,
    text: String,
}

struct Dialog {
    question: String,
    selected: usize,
}

impl Agent {
    /// Creates an agent with an earlier conversation, or none.
    pub(super) fn new(id: Uuid, transcript: Transcript, earlier: Vec<Line>, faults: &Faults) -> Self {
        let dialog = faults.dialog.clone().map(|question| Dialog { question, selected: 0 });
        Self {
            id,
            transcript,
            patience: Patience { quiet: faults.quiet, burst: faults.burst },
            busy: faults.busy,
            queues: faults.queue,
            wordy: faults.wordy,
            deaf_box: faults.deaf_box,
            deaf_enters: faults.deaf_enters,
            hold: faults.hold.unwrap_or(HOLD),
            talk: earlier.into_iter().map(said).collect(),
            entry: Entry::default(),
            work: None,
            queue: VecDeque::new(),
            dialog,
            prompt: None,
            interrupted: false,
            flush_at: None,
        }
    }

    /// Begins, with the first turn if there is one.
    pub(super) fn begin(&mut self, prompt: Option<String>, now: Instant) {
        match (prompt, &self.dialog) {
            (Some(prompt), None) if self.deaf_box => self.entry.paste(prompt, now),
            (Some(prompt), None) => self.submit(prompt, now),
            (prompt, _) => self.prompt = prompt,
        }
    }

    /// Handles one input.
    pub(super) fn take(&mut self, input: Input, now: Instant) -> Flow {
        self.flush_at = self.flush_at.map(|_| now + self.hold);
        if self.dialog.is_some() {
            return self.answer(&input, now);
        }
        let twice = std::mem::replace(&mut self.interrupted, input == Input::Interrupt);
        match input {
            Input::Text(text) => self.entry.type_text(&text, now),
            Input::Paste(text) => self.entry.paste(text, now),
            Input::NewLine => self.entry.new_line(),
            Input::Backspace => self.entry.backspace(),
            Input::Enter if self.deaf_enters > 0 => self.deaf_enters -= 1,
            Input::Enter => match self.entry.enter(now, self.patience) {
                Some(text) if text.trim() == "/exit" => return Flow::Leave(0),
                Some(text) if text.trim() == "/clear" => self.clear(),
                Some(text) => self.submit(text, now),
                None => {}
            },
            Input::Escape => self.interrupt(now),
            Input::Interrupt if twice => return Flow::Leave(0),
            Input::Interrupt => {
                self.entry.clear();
                self.interrupt(now);
            }
            Input::Up | Input::Down => {}
        }
        Flow::Stay
    }

    /// Does the work that is due; true if the screen changed.
    pub(super) fn tick(&mut self, now: Instant) -> bool {
        let done = self.work.take_if(|(_, until)| *until <= now);
        let news = done.is_some();
        if let Some((turn, _)) = done {
            self.reply(&turn, now);
            self.next_turn(now);
        }
        if self.flush_at.take_if(|at| *at <= now).is_some() {
            let written = self.transcript.flush();
            self.complain(written);
        }
        news
    }

    /// Returns the id of its conversation.
    pub(super) fn id(&self) -> Uuid {
        self.id
    }

    /// Returns the time when [`Self::tick`] is next needed.
    pub(super) fn due(&self) -> Option<Instant> {
        self.work.iter().map(|(_, until)| *until).chain(self.flush_at).min()
    }

    /// Notes a signal that is ignored on purpose.
    pub(super) fn shrug(&mut self, signal: &'static str) {
        if self.transcript.exists() {
            let written = self.transcript.note(&Line::now(Kind::Signal, signal));
            self.complain(written);
        }
        self.talk.push(Said { mark: "  ", words: format!("({signal} ignored)") });
    }

    /// Writes all held lines before an exit. Returns a text for people.
    pub(super) fn part(&mut self) -> String {
        let id = self.id;
        match self.transcript.flush() {
            Err(error) => format!("the last reply of conversation {id} is lost: {error}"),
            Ok(()) if self.transcript.exists() => format!("conversation {id} is kept: --resume {id}"),
            Ok(()) => "nothing was said".to_owned(),
        }
    }

    /// Returns the terminal title.
    pub(super) fn title(&self) -> Cow<'static, str> {
        match (&self.dialog, &self.work) {
            (Some(dialog), _) => {
                let words: Vec<_> = dialog.question.split_whitespace().collect();
                Cow::Owned(format!("demo: waiting: {}", words.join(" ")))
            }
            (None, Some(_)) => Cow::Borrowed("demo: working"),
            (None, None) => Cow::Borrowed("demo: idle"),
        }
    }

    /// Returns the contents of the screen.
    pub(super) fn view(&self) -> View<'_> {
        let bottom = match &self.dialog {
            Some(Dialog { question, selected }) => Bottom::Dialog { question, choices: &CHOICES, selected: *selected },
            None => Bottom::Entry(self.entry.shown()),
        };
        let status = match (&self.work, self.interrupted) {
            (_, true) => Some("ctrl-c again to leave"),
            (Some(_), false) => Some("✳ working… (esc to interrupt)"),
            (None, false) => None,
        };
        View { header: format!("the-loop demo · {}", self.id), talk: &self.talk, status, bottom }
    }

    fn answer(&mut self, input: &Input, now: Instant) -> Flow {
        let Some(dialog) = &mut self.dialog else { return Flow::Stay };
        let last = CHOICES.len() - 1;
        let chosen = match input {
            Input::Up => {
                dialog.selected = dialog.selected.saturating_sub(1);
                return Flow::Stay;
            }
            Input::Down => {
                dialog.selected = (dialog.selected + 1).min(last);
                return Flow::Stay;
            }
            Input::Enter => dialog.selected,
            // Typed words too: the first character that is an answer counts, like a key in a list of choices.
            Input::Text(text) => match text.chars().find_map(|char| char.to_digit(10)) {
                Some(digit @ 1..) if digit as usize <= last + 1 => digit as usize - 1,
                _ => return Flow::Stay,
            },
            _ => return Flow::Stay,
        };
        if chosen == 0 {
            return Flow::Leave(1);
        }
        self.dialog = None;
        if let Some(prompt) = self.prompt.take() {
            self.submit(prompt, now);
        }
        Flow::Stay
    }

    fn submit(&mut self, text: String, now: Instant) {
        let waits = self.queues && self.work.is_some();
        let turn = Submitted { id: Uuid::new_v4(), text };
        let line = if waits { Line::now(Kind::Queued, turn.text.clone()) } else { turn.line() };
        self.talk.push(said(line.clone()));
        // Order matters: a submitted turn is on disk before any work on it.
        let written = self.transcript.write(line);
        self.complain(written);
        self.queue.push_back((turn, !waits));
        if self.work.is_none() {
            self.next_turn(now);
        }
    }

    fn next_turn(&mut self, now: Instant) {
        while let Some((turn, written)) = self.queue.pop_front() {
            if !written {
                let written = self.transcript.write(turn.line());
                self.complain(written);
            }
            if !self.busy.is_zero() {
                self.work = Some((turn, now + self.busy));
                return;
            }
            self.reply(&turn, now);
        }
    }

    fn reply(&mut self, turn: &Submitted, now: Instant) {
        if let Some(Failure { kind, seconds }) = turn::failure(&turn.text) {
            let mut line = Line::now(Kind::Failed, format!("the turn failed: {kind}"));
            let until = seconds.map(|seconds| jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds));
            line.until = until.map(|until| until.to_string()).unwrap_or_default();
            line.failure = kind;
            let line = line.to(turn.id);
            self.talk.push(said(line.clone()));
            let written = self.transcript.write(line);
            return self.complain(written);
        }
        let more = if self.wordy { "\nand more".repeat(WORDY) } else { String::new() };
        let line = Line::now(Kind::Assistant, turn::reply(&turn.text) + &more).to(turn.id);
        self.talk.push(said(line.clone()));
        self.transcript.hold(line);
        self.flush_at = Some(now + self.hold);
    }

    /// Cancels the current turn. Recorded even without one, so that a test sees every unexpected Escape.
    fn interrupt(&mut self, now: Instant) {
        let mut line = Line::now(Kind::Interrupt, "");
        if let Some((turn, _)) = self.work.take() {
            line = line.to(turn.id);
            self.talk.push(said(line.clone()));
        }
        if self.transcript.exists() {
            let written = self.transcript.write(line);
            self.complain(written);
        }
        self.next_turn(now);
    }

    /// Moves on to another conversation.
    fn clear(&mut self) {
        let written = self.transcript.flush();
        self.complain(written);
        let id = Uuid::new_v4();
        match Transcript::of(id) {
            Ok(transcript) => {
                (self.id, self.transcript) = (id, transcript);
                self.talk.clear();
            }
            Err(problem) => self.talk.push(Said { mark: "! ", words: problem }),
        }
    }

    fn complain(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.talk.push(Said { mark: "! ", words: format!("could not write the transcript: {error}") });
        }
    }
}

impl Submitted {
    /// Returns its line in the transcript.
    fn line(&self) -> Line {
        Line::turn(self.id, self.text.clone())
    }
}

/// Converts a line for display.
fn said(line: Line) -> Said {
    let mark = match line.kind {
        Kind::User | Kind::Queued => "› ",
        Kind::Assistant => "• ",
        Kind::Failed => "! ",
        Kind::Interrupt | Kind::Signal => "  ",
    };
    let words = match line.kind {
        Kind::Interrupt => "(interrupted)".to_owned(),
        Kind::Signal => format!("({} ignored)", line.text),
        Kind::User | Kind::Queued | Kind::Assistant | Kind::Failed => match line.text.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{} … ({} bytes)", &line.text[..end], line.text.len()),
            None => line.text,
        },
    };
    Said { mark, words }
}
