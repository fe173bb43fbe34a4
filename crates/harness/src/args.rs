//! Check of the operator's arguments beside the words that the-loop adds: the conversation and the boot prompt must
//! arrive in every case, or the start is refused.
//!
//! The vendors' own help tells what an option takes. An unknown option may take any number of words, so a vendor's new
//! option works.

/// Options of a program. An option in no list takes all words that follow.
pub(super) struct Options {
    /// Options that take one word.
    pub(super) one: &'static [&'static str],
    /// Options that may take one word.
    pub(super) at_most_one: &'static [&'static str],
    /// Options that take none.
    pub(super) none: &'static [&'static str],
    /// Options that a session cannot be started with, and why.
    pub(super) refused: &'static [(&'static [&'static str], &'static str)],
    /// Meaning of a word that belongs to no option.
    pub(super) words: Words,
}

/// Meaning of a word that belongs to no option.
pub(super) enum Words {
    /// The prompt, or a command.
    Prompt,
    /// Something else, unless it is one of these commands.
    Commands(&'static [&'static str]),
}

pub(super) const PRINTS: &str = "it prints one answer and exits; a session needs an interactive screen";
pub(super) const OTHER_CONVERSATION: &str = "the-loop selects the conversation";
pub(super) const OTHER_PROMPT: &str = "the-loop passes the prompt: use `prompt` for yours";
pub(super) const ENDS: &str = "it prints something and exits";

/// Words that the preceding option takes.
enum Takes {
    Nothing,
    One,
    AtMostOne,
    Any,
}

impl Options {
    /// Refuses arguments that a session must not be started with; the error says why.
    pub(super) fn check(&self, args: &[String]) -> Result<(), String> {
        let mut before = ("", Takes::Nothing);
        for (at, word) in args.iter().map(String::as_str).enumerate() {
            if matches!(before.1, Takes::One) {
                before = (word, Takes::Nothing);
            } else if word == "--" {
                // The prompt is the next word after it.
                return match args.get(at + 1) {
                    None => Ok(()),
                    Some(next) => Err(refusal(next, "arguments after `--` would replace the prompt")),
                };
            } else if word.len() > 1 && word.starts_with('-') {
                let name = word.split_once('=').map_or(word, |(name, _)| name);
                if let Some((_, why)) = self.refused.iter().find(|(names, _)| names.contains(&name)) {
                    return Err(refusal(name, why));
                }
                let takes = if name.len() < word.len() { Takes::Nothing } else { self.takes(word) };
                before = (word, takes);
            } else {
                match before.1 {
                    Takes::AtMostOne => before = (word, Takes::Nothing),
                    Takes::Any => {}
                    Takes::Nothing | Takes::One => self.check_word(word)?,
                }
            }
        }
        match before {
            (option, Takes::One) => Err(refusal(
                option,
                "it needs a value, and would take the next argument as its \
                                                         value",
            )),
            _ => Ok(()),
        }
    }

    fn takes(&self, option: &str) -> Takes {
        if self.one.contains(&option) {
            Takes::One
        } else if self.at_most_one.contains(&option) {
            Takes::AtMostOne
        } else if self.none.contains(&option) {
            Takes::Nothing
        } else {
            Takes::Any
        }
    }

    fn check_word(&self, word: &str) -> Result<(), String> {
        match self.words {
            Words::Prompt => Err(refusal(word, "it would be read as the prompt or a subcommand")),
            Words::Commands(commands) if commands.contains(&word) => {
                Err(refusal(word, "it is a subcommand of that program; a session needs its interactive screen"))
            }
            Words::Commands(_) => Ok(()),
        }
    }
}

fn refusal(word: &str, why: &str) -> String {
    let shown: String = word.chars().take(60).collect();
    format!("`harnessArgs` contains `{shown}`: {why}; remove it from `harnessArgs`")
}

/// Appends a prompt that no option before it can take: `--` ends the options.
pub(super) fn then_prompt(mut args: Vec<String>, prompt: &str) -> Vec<String> {
    if args.last().is_none_or(|last| last != "--") {
        args.push("--".to_owned());
    }
    args.push(prompt.to_owned());
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: Options = Options {
        one: &["--model", "-m"],
        at_most_one: &["--debug"],
        none: &["--verbose"],
        refused: &[(&["-p", "--print"], PRINTS)],
        words: Words::Prompt,
    };

    fn check(args: &str) -> Result<(), String> {
        OPTIONS.check(&args.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_leaves_room_for_the_prompt_is_taken() {
        for args in [
            "",
            "--model opus",
            "--model=opus --verbose",
            "--allowedTools Read Edit",
            "--debug",
            "--debug api",
            "--debug api --verbose",
            "--brand-new a b c",
            "--model -- --verbose",
            "--model --print",
            "--allowedTools Read --",
            "-mopus",
        ] {
            assert_eq!(check(args), Ok(()), "{args}");
        }
    }

    #[test]
    fn what_would_take_the_prompts_place_is_refused_and_the_key_named() {
        for (args, word) in [
            ("mcp list", "`mcp`"),
            ("--verbose hello", "`hello`"),
            ("--model opus hello", "`hello`"),
            ("--debug api hello", "`hello`"),
            ("-- hello", "`hello`"),
            ("--allowedTools Read -- hello", "`hello`"),
            ("--print", "`--print`"),
            ("--allowedTools Read -p", "`-p`"),
            ("--print=x", "`--print`"),
            ("--verbose --model", "`--model`"),
        ] {
            let error = check(args).expect_err(args);
            assert!(error.contains("`harnessArgs`") && error.contains(word), "{args}: {error}");
        }
    }
}
