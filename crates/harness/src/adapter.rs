//! Adapter of a harness name in a definition: a built-in harness, the operator's own, or an operator's command that
//! runs a built-in one.
//!
//! A wrapper changes only the command. The harness that it runs answers everything else.

use std::ops::Deref;

use config::{CustomHarness, SessionIds};
use process::variables::Env;

use super::{Fresh, Harness, Place};

/// Harness and the command that runs it.
pub struct Adapter {
    harness: Box<dyn Harness>,
    wrapper: Option<Wrapper>,
}

/// Command that runs a built-in harness.
struct Wrapper {
    command: Command,
    new_args: Vec<String>,
    resume_args: Vec<String>,
    minted: bool,
    /// Set if the config does not say which harness the command runs, and it seems to run this one.
    seems: Option<(String, &'static str)>,
    /// Set if the command itself names the built-in command `demo`.
    names_demo: bool,
}

/// Words of a command.
pub(super) struct Command {
    program: String,
    fixed: Vec<String>,
    /// Variables that `env` sets before the program.
    sets: Env,
    /// Program after `env`.
    behind: Option<String>,
}

/// Program names of the built-in harnesses.
const PROGRAMS: [(&str, &str); 5] = [
    ("claude", "claude"),
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("cursor-agent", "cursor"),
];

impl Adapter {
    pub(super) fn built_in(harness: Box<dyn Harness>) -> Self {
        Self { harness, wrapper: None }
    }

    /// Creates the adapter of an operator's own command. `like` is the harness that it runs, if the config says so.
    pub(super) fn custom(name: &str, custom: &CustomHarness, like: Option<Box<dyn Harness>>) -> Result<Self, String> {
        let command = Command::of(&custom.command).ok_or("its `command` is empty")?;
        let seems = if like.is_some() { None } else { command.seems().map(|kind| (name.to_owned(), kind)) };
        let names_demo = custom.like.as_deref() == Some("demo")
            && !command.ends_with(like.as_ref().map_or("", |demo| demo.program()));
        let wrapper = Wrapper {
            command,
            new_args: custom.new_args.clone(),
            resume_args: custom.resume_args.clone(),
            minted: custom.session_id == SessionIds::Minted,
            seems,
            names_demo,
        };
        Ok(Self { harness: like.unwrap_or_else(|| Box::new(Unknown)), wrapper: Some(wrapper) })
    }

    /// Returns the program to start: a name that is looked for on PATH, or an absolute path.
    pub fn program(&self) -> &str {
        self.wrapper.as_ref().map_or_else(|| self.harness.program(), |wrapper| &wrapper.command.program)
    }

    /// Returns a second program that the command needs.
    pub fn program_behind(&self) -> Option<&str> {
        self.wrapper.as_ref()?.command.behind.as_deref()
    }

    /// Returns variables that the command itself sets before the harness runs.
    pub fn sets(&self) -> Env {
        self.wrapper.as_ref().map(|wrapper| wrapper.command.sets.clone()).unwrap_or_default()
    }

    /// Returns a hint for the operator about the command.
    pub fn hint(&self) -> Option<String> {
        let (name, kind) = self.wrapper.as_ref()?.seems.as_ref()?;
        Some(format!(
            "the harness `{name}` appears to run `{kind}`, but its screen is not read as such, so its prompts are \
             not detected: set `routing.harnesses.{name}.like: {kind}`"
        ))
    }

    /// Returns the name of the built-in harness; empty for an unknown program.
    pub fn name(&self) -> &'static str {
        let of = |(program, name): &(&str, &'static str)| (*program == self.harness.program()).then_some(*name);
        PROGRAMS.iter().find_map(of).unwrap_or_default()
    }

    /// True if the command runs the program of its harness directly or behind `env`, and with the arguments of that
    /// harness. Another command may run it on another machine or in a container, where a file of this one is missing.
    pub fn runs_here(&self) -> bool {
        self.wrapper.as_ref().is_none_or(|wrapper| {
            let program = wrapper.command.behind.as_ref().unwrap_or(&wrapper.command.program);
            base(program) == base(self.harness.program())
                && wrapper.new_args.is_empty()
                && wrapper.resume_args.is_empty()
        })
    }

    /// Generates the id of a new conversation; empty if the harness makes its own.
    pub fn new_id(&self, place: &Place<'_>) -> Result<String, String> {
        match &self.wrapper {
            Some(wrapper) if self.is_unknown() && !wrapper.minted => Ok(String::new()),
            _ => self.harness.new_id(place),
        }
    }

    /// Returns the arguments after the program that start a fresh conversation.
    pub fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        let Some(wrapper) = &self.wrapper else { return self.harness.fresh(fresh) };
        if wrapper.new_args.is_empty() && !self.is_unknown() {
            return wrapper.around(self.harness.fresh(fresh));
        }
        wrapper.filled(&wrapper.new_args, fresh.id, fresh.prompt, fresh.args)
    }

    /// Returns the arguments after the program that resume a conversation; `None` if the harness cannot resume.
    pub fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        let Some(wrapper) = &self.wrapper else { return self.harness.resume(id, args) };
        match (wrapper.resume_args.is_empty(), self.is_unknown()) {
            (true, true) => None,
            (true, false) => self.harness.resume(id, args).map(|argv| wrapper.around(argv)),
            (false, true) if !wrapper.minted => None,
            (false, _) => Some(wrapper.filled(&wrapper.resume_args, id, "", args)),
        }
    }

    fn is_unknown(&self) -> bool {
        self.harness.program().is_empty()
    }
}

impl AsRef<dyn Harness> for Adapter {
    fn as_ref(&self) -> &(dyn Harness + 'static) {
        self.harness.as_ref()
    }
}

impl Deref for Adapter {
    type Target = dyn Harness;

    fn deref(&self) -> &Self::Target {
        self.harness.as_ref()
    }
}

impl Wrapper {
    /// Puts the command before the arguments of the harness that it runs.
    fn around(&self, mut argv: Vec<String>) -> Vec<String> {
        if self.names_demo {
            argv.remove(0);
        }
        self.command.fixed.iter().cloned().chain(argv).collect()
    }

    fn filled(&self, template: &[String], id: &str, prompt: &str, args: &[String]) -> Vec<String> {
        // The id first: a prompt may contain `{id}` as text.
        let filled = template.iter().map(|arg| arg.replace("{id}", id).replace("{prompt}", prompt));
        self.command.fixed.iter().cloned().chain(filled).chain(args.iter().cloned()).collect()
    }
}

impl Command {
    fn of(words: &[String]) -> Option<Self> {
        let (program, fixed) = words.split_first()?;
        let (mut sets, mut behind) = (Env::new(), None);
        if base(program) == "env" {
            let mut words = fixed.iter();
            while let Some(word) = words.next() {
                match word.split_once('=') {
                    Some((name, value)) if !word.starts_with('-') => {
                        sets.insert(name.to_owned(), Some(value.to_owned()));
                    }
                    _ if word == "-u" || word == "--unset" => {
                        words.next().map(|name| sets.insert(name.clone(), None));
                    }
                    Some(("--unset", name)) => {
                        sets.insert(name.to_owned(), None);
                    }
                    _ if word == "-C" || word == "--chdir" => drop(words.next()),
                    _ if word.starts_with('-') => {}
                    _ => {
                        behind = Some(word.clone());
                        break;
                    }
                }
            }
        }
        Some(Self { program: program.clone(), fixed: fixed.to_vec(), sets, behind })
    }

    /// True if the command's last word is that program.
    fn ends_with(&self, program: &str) -> bool {
        base(self.fixed.last().unwrap_or(&self.program)) == base(program)
    }

    /// Guesses the built-in harness that the command runs, from its words.
    fn seems(&self) -> Option<&'static str> {
        let named = |word: &str, exactly: bool| {
            let base = base(word);
            let part = |program: &str| base.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == program);
            let is = |program: &str| base == program || (!exactly && part(program));
            PROGRAMS.iter().find(|(program, _)| is(program)).map(|(_, kind)| *kind)
        };
        let program = self.behind.as_ref().unwrap_or(&self.program);
        let others = self.fixed.iter().filter(|word| !word.starts_with('-') && !word.contains('='));
        named(program, false).or_else(|| others.into_iter().find_map(|word| named(word, true)))
    }
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Program without a known harness.
struct Unknown;

impl Harness for Unknown {
    fn program(&self) -> &'static str {
        ""
    }

    fn fresh(&self, _: &Fresh<'_>) -> Vec<String> {
        Vec::new()
    }

    fn resume(&self, _: &str, _: &[String]) -> Option<Vec<String>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude::Claude;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    fn custom(command: &str, new_args: &str, resume_args: &str, like: bool) -> Adapter {
        let custom = CustomHarness {
            command: words(command),
            new_args: words(new_args),
            resume_args: words(resume_args),
            session_id: SessionIds::Minted,
            like: like.then(|| "claude".to_owned()),
        };
        Adapter::custom("mine", &custom, like.then(|| Box::new(Claude) as Box<dyn Harness>)).expect("valid")
    }

    #[test]
    fn placeholders_are_filled_once() {
        let custom = custom("agent --tui", "--id={id} {prompt}", "--resume {id}", false);
        let fresh = custom.fresh(&Fresh { id: "i1", args: &["-x".to_owned()], prompt: "say {id}" });
        assert_eq!(fresh, ["--tui", "--id=i1", "say {id}", "-x"]);
        assert_eq!(custom.resume("i1", &[]).expect("can"), ["--tui", "--resume", "i1"]);
    }

    #[test]
    fn a_wrapper_gives_its_harness_what_that_is_always_given() {
        let wrapper = custom("env CLAUDE_CONFIG_DIR=/b -u EDITOR claude --verbose", "", "", true);
        let fresh = wrapper.fresh(&Fresh { id: "i1", args: &words("--add-dir x"), prompt: "hi" });
        let fixed = ["CLAUDE_CONFIG_DIR=/b", "-u", "EDITOR", "claude", "--verbose"];
        assert_eq!(fresh[..5], fixed);
        assert_eq!(fresh[5..], ["--session-id", "i1", "--add-dir", "x", "--", "hi"]);
        assert_eq!(wrapper.resume("i1", &[]).expect("can")[5..], ["--resume", "i1"]);
        let sets = Env::from([("CLAUDE_CONFIG_DIR".to_owned(), Some("/b".to_owned())), ("EDITOR".to_owned(), None)]);
        assert_eq!((wrapper.program(), wrapper.program_behind(), wrapper.sets()), ("env", Some("claude"), sets));
        assert_eq!(wrapper.as_ref().program(), "claude");
        wrapper.check_args(&words("--print")).expect_err("checked as that of the harness");
    }

    #[test]
    fn only_a_command_that_runs_the_program_itself_runs_here() {
        for (command, new_args, here) in [
            ("env CLAUDE_CONFIG_DIR=/b claude", "", true),
            ("/opt/bin/claude --verbose", "", true),
            ("docker exec -it box claude", "", false),
            ("/opt/bin/claude-work", "", false),
            ("claude", "--new {id} {prompt}", false),
        ] {
            assert_eq!(custom(command, new_args, "", true).runs_here(), here, "{command}");
        }
        assert!(Adapter::built_in(Box::new(Claude)).runs_here());
    }

    #[test]
    fn a_wrapper_may_have_words_of_its_own() {
        let wrapper = custom("glm", "--new {id} {prompt}", "--again {id}", true);
        assert_eq!(wrapper.fresh(&Fresh { id: "i1", args: &[], prompt: "hi" }), ["--new", "i1", "hi"]);
        assert_eq!(wrapper.resume("i1", &[]).expect("can"), ["--again", "i1"]);
    }

    #[test]
    fn a_command_that_seems_to_run_a_known_harness_gets_a_hint() {
        for (command, kind) in [
            ("claude", Some("claude")),
            ("env A=b /opt/claude", Some("claude")),
            ("/opt/bin/glm-claude.sh", Some("claude")),
            ("nice codex --search", Some("codex")),
            ("cursor-agent", Some("cursor")),
            ("my-agent --model claude=4", None),
            ("/opt/claude/bin/agent", None),
        ] {
            let hint = custom(command, "{prompt}", "", false).hint();
            let expected = kind.map(|kind| format!("`routing.harnesses.mine.like: {kind}`"));
            assert_eq!(hint.is_some(), expected.is_some(), "{command}: {hint:?}");
            assert!(hint.unwrap_or_default().contains(&expected.unwrap_or_default()), "{command}");
        }
        assert_eq!(custom("claude", "", "", true).hint(), None);
    }
}
