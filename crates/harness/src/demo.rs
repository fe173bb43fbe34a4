//! Built-in demo agent: this program's own, so that everything can be tried without an account.

mod turn;

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

use process::ProcessIdentity;
use serde::Deserialize as _;
use wire::{Activity, Block, Choice, Source};

use super::{
    Ended, Follow, Fresh, Harness, Place, Reading, Said, Screen, Spawned, Written,
    args::{self, Options, Words},
    screen::{is_numbered, is_rule, lines, named_after, question, shows_message},
    signal::{News, Obstacle, Signal},
};

/// Options as listed by `the-loop demo --help`.
const OPTIONS: Options = Options {
    one: &["--fault"],
    at_most_one: &[],
    none: &[],
    refused: &[(&["--session-id", "--resume"], args::OTHER_CONVERSATION), (&["-h", "--help"], args::ENDS)],
    words: Words::Prompt,
};

#[derive(Debug)]
pub(crate) struct Demo {
    exe: String,
}

impl Demo {
    pub(super) fn new(exe: &Path) -> Self {
        Self { exe: exe.to_string_lossy().into_owned() }
    }
}

impl Harness for Demo {
    fn program(&self) -> &str {
        &self.exe
    }

    fn account(&self) -> &'static [&'static str] {
        &["HOME", "THE_LOOP_DEMO_HOME"]
    }

    fn check_args(&self, args: &[String]) -> Result<(), String> {
        OPTIONS.check(args)
    }

    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        let mut argv = vec!["demo".to_owned(), "--session-id".to_owned(), fresh.id.to_owned()];
        argv.extend_from_slice(fresh.args);
        args::then_prompt(argv, fresh.prompt)
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let mut argv = vec!["demo".to_owned(), "--resume".to_owned(), id.to_owned()];
        argv.extend_from_slice(args);
        Some(argv)
    }

    fn discover(&self, place: &Place<'_>, spawned: &Spawned<'_>) -> Option<String> {
        let told = |pid| Self::told_by(place, &ProcessIdentity::of(pid)?);
        spawned.processes().find_map(told).filter(|id| self.is_written(place, id))
    }

    fn left_in(&self, place: &Place<'_>, ended: &Ended<'_>) -> Option<String> {
        let left = Self::told_by(place, ended.process).or_else(|| named_after(ended.last_words, "--resume "));
        left.filter(|id| self.is_written(place, id))
    }

    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        let home = home(place)?;
        let folder: String =
            place.cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        Some(home.join("projects").join(folder).join(format!("{id}.jsonl")))
    }

    fn follow(&self, message_id: &str) -> Option<Box<dyn Follow>> {
        Some(Box::new(turn::Turn::new(message_id)))
    }

    fn said(&self, entry: &serde_json::Value) -> Option<Said> {
        turn::said(entry)
    }

    fn begins_turn(&self, line: &serde_json::Value) -> Option<String> {
        (line["type"] == "user").then(|| line["at"].as_str().map(str::to_owned))?
    }

    fn signal(&self, entry: &serde_json::Value) -> Option<Signal> {
        let at = entry["at"].as_str()?.parse().ok()?;
        let news = match entry["type"].as_str()? {
            "user" => News::Begun,
            "assistant" => News::Answered { calls_tool: false },
            "failed" => {
                let kind = Block::deserialize(&entry["failure"]).unwrap_or(Block::Refused);
                let until = entry["until"].as_str().and_then(|until| until.parse().ok());
                News::Blocked(Obstacle::new(kind, until, entry["text"].as_str().unwrap_or_default()))
            }
            _ => return None,
        };
        Some(Signal { at, source: Source::Transcript, news })
    }

    fn enter_gap(&self) -> Duration {
        Duration::from_millis(150)
    }

    fn read(&self, screen: Screen<'_>) -> Reading {
        let reading = |activity| Reading { activity, question: String::new() };
        match screen.title.strip_prefix("demo: ") {
            Some("idle") => return reading(Activity::Idle),
            Some("working") => return reading(Activity::Busy),
            Some(state) => {
                if let Some(question) = state.strip_prefix("waiting: ") {
                    return Reading { activity: Activity::Waiting, question: question.to_owned() };
                }
            }
            None => {}
        }
        match Bottom::of(&lines(screen)) {
            Some(Bottom::Entry(_)) if screen.text.lines().any(|line| line.starts_with(WORKING)) => {
                reading(Activity::Busy)
            }
            Some(Bottom::Entry(_)) => reading(Activity::Idle),
            Some(Bottom::Dialog(asked)) => Reading { activity: Activity::Waiting, question: question(asked) },
            None => Reading::default(),
        }
    }

    fn choices(&self, screen: Screen<'_>) -> Vec<Choice> {
        super::screen::choices(screen)
    }

    fn is_up(&self, screen: Screen<'_>) -> Option<bool> {
        Some(screen.title.starts_with("demo: ") || Bottom::of(&lines(screen)).is_some())
    }

    fn input_lines(&self, screen: Screen<'_>) -> Option<Range<usize>> {
        let lines = lines(screen);
        let Some(Bottom::Entry(shown)) = Bottom::of(&lines) else { return None };
        let below = lines.iter().rposition(|line| is_rule(line, "─"))?;
        Some(below - shown.len()..below)
    }

    fn prompt_marks(&self) -> &'static [char] {
        &['>']
    }

    fn written(&self, entry: &serde_json::Value) -> Written {
        match entry["type"].as_str() {
            Some("queued") => Written::Queued,
            _ => Written::Turn,
        }
    }

    /// True if the box holds the message. It shows a long paste as `[pasted 59 lines]`.
    fn holds_input(&self, screen: Screen<'_>, message: &str) -> Option<bool> {
        match Bottom::of(&lines(screen))? {
            Bottom::Entry(shown) => {
                let shown: Vec<&str> = shown.iter().map(|line| line.trim_start_matches("> ")).collect();
                Some(shown.iter().any(|line| line.contains("[pasted ")) || shows_message(&shown, message))
            }
            Bottom::Dialog(_) => None,
        }
    }
}

/// Returns `$THE_LOOP_DEMO_HOME`, else `~/.the-loop-demo`.
fn home(place: &Place<'_>) -> Option<PathBuf> {
    place.path("THE_LOOP_DEMO_HOME").or_else(|| Some(place.home()?.join(".the-loop-demo")))
}

impl Demo {
    /// Returns the conversation that a process reported.
    fn told_by(place: &Place<'_>, process: &ProcessIdentity) -> Option<String> {
        let file = format!("{}-{}", process.pid, process.start_ticks);
        let told = fs::read_to_string(home(place)?.join("sessions").join(file)).ok()?;
        uuid::Uuid::try_parse(told.trim()).ok().map(|id| id.to_string())
    }

    /// True if a conversation is written. Until then it cannot be resumed.
    fn is_written(&self, place: &Place<'_>, id: &str) -> bool {
        self.transcript(place, id).is_some_and(|path| path.exists())
    }
}

const WORKING: &str = "✳ working…";

/// Part of its screen that takes input.
enum Bottom<'a> {
    /// Contents of the input box.
    Entry(&'a [&'a str]),
    /// Text of a prompt, without its choices.
    Dialog(&'a [&'a str]),
}

impl<'a> Bottom<'a> {
    fn of(lines: &'a [&'a str]) -> Option<Self> {
        let last = lines.iter().rposition(|line| is_rule(line, "─"))?;
        if let Some(first) = lines[..last].iter().rposition(|line| is_rule(line, "─"))
            && lines[first + 1].starts_with('>')
        {
            return Some(Self::Entry(&lines[first + 1..last]));
        }
        let below = &lines[last + 1..];
        let choice = |line: &&str| is_numbered(line.trim_start_matches(['❯', ' ']));
        let marked = below.iter().any(|line| line.starts_with('❯'));
        let choices = below.iter().position(choice).filter(|_| marked)?;
        Some(Self::Dialog(&below[..choices]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "────────────────────────────────";

    fn demo() -> Demo {
        Demo::new(Path::new("/bin/the-loop"))
    }

    fn holds(boxed: &str, message: &str) -> Option<bool> {
        let text = format!("the-loop demo\n{RULE}\n› hello\n{RULE}\n{boxed}\n{RULE}\nenter sends");
        demo().holds_input(Screen { text: &text, title: "" }, message)
    }

    #[test]
    fn a_message_in_the_box_is_told_from_an_empty_one_and_from_none() {
        let message = "[the-loop] A message for standing session `ops`:\n\nhello";
        assert_eq!(holds(">", message), Some(false));
        assert_eq!(holds("> [the-loop] A message for standing\n  session `ops`:\n\n  hello", message), Some(true));
        assert_eq!(holds("> [pasted 12 lines]", message), Some(true));
        assert_eq!(holds("> half a thought", message), Some(false));
        assert_eq!(demo().holds_input(Screen { text: "loading", title: "" }, message), None);
    }

    #[test]
    fn a_dialog_is_read_off_the_screen_where_the_title_says_nothing() {
        let dialog = format!("demo\n{RULE}\n\n{RULE}\nTrust this\nfolder?\n\n❯ 1. No, exit\n  2. Yes, go on\n\nenter");
        let screen = Screen { text: &dialog, title: "something else" };
        let reading = demo().read(screen);
        assert_eq!((reading.activity, reading.question.as_str()), (Activity::Waiting, "Trust this\nfolder?"));
        assert_eq!((demo().holds_input(screen, "x"), demo().is_up(screen)), (None, Some(true)));
        let titled = demo().read(Screen { text: "", title: "demo: waiting: Trust?" });
        assert_eq!((titled.activity, titled.question.as_str()), (Activity::Waiting, "Trust?"));
        assert_eq!(demo().is_up(Screen { text: "", title: "host" }), Some(false));
    }
}
