//! Arguments, parsed by hand: few, fixed, and in the style of agents' own command lines.

use std::ffi::OsString;

use uuid::Uuid;

use super::{
    faults::{self, Faults},
    sleeper::Sleeper,
};

/// Output of `--help`.
pub(super) const HELP: &str = "\
A stand-in for an AI coding agent: echoes what it is told, keeps a transcript, needs no account.

usage: the-loop demo [--session-id UUID] [--fault SWITCH]... [--] [PROMPT]
       the-loop demo --resume UUID [--fault SWITCH]...

  --session-id UUID  start a fresh conversation under this id (a random one if left out)
  --resume UUID      resume an earlier conversation
  PROMPT             the first turn of a fresh conversation, submitted at once
  --fault SWITCH     misbehave in one way, for tests; may be given several times:
                       ignore-term  ignore-hup  fork  setsid  double-fork  exit-after=MS:CODE
                       crash-times=N:FILE  resume-fails  slow-start=MS  dialog=TEXT
                       no-bracketed-paste  quiet=MS  burst=MS  busy=MS  hold=MS  redraw=MS
                       noisy  wordy  title=TEXT  queue  deaf-box  deaf-enters=N

keys: Enter submits, Ctrl-J is a new line, Escape interrupts, /exit or Ctrl-C twice leaves
transcripts: ${THE_LOOP_DEMO_HOME:-$HOME/.the-loop-demo}/projects/<working directory>/<id>.jsonl
";

/// Parsed command line.
#[derive(Debug)]
pub(super) enum Order {
    /// Print the help text.
    Help,
    /// Run as one of the sleeping children.
    Sleep(Sleeper),
    /// Hold a conversation.
    Talk(Box<Talk>),
}

/// Conversation to hold.
#[derive(Debug)]
pub(super) struct Talk {
    /// Start of the conversation.
    pub(super) opening: Opening,
    /// Faults to show.
    pub(super) faults: Faults,
}

/// Start of a conversation.
#[derive(Debug)]
pub(super) enum Opening {
    /// New conversation; it must not exist yet.
    Fresh {
        /// Id of the conversation.
        id: Uuid,
        /// First turn.
        prompt: Option<String>,
    },
    /// Earlier conversation; it must exist.
    Resume {
        /// Id of the conversation.
        id: Uuid,
    },
}

impl Opening {
    /// Returns the id of the conversation.
    pub(super) fn id(&self) -> Uuid {
        match self {
            Self::Fresh { id, .. } | Self::Resume { id } => *id,
        }
    }
}

/// Parses the arguments. Errors are texts for people.
pub(super) fn parse(args: impl Iterator<Item = OsString>) -> Result<Order, String> {
    let mut args = args.map(|arg| {
        arg.into_string().map_err(|arg| format!("error: the argument `{}` is not UTF-8", arg.to_string_lossy()))
    });
    let (mut fresh, mut resume, mut prompt, mut faults) = (None, None, None, Faults::default());
    while let Some(arg) = args.next().transpose()? {
        if arg == "--" {
            for word in args.by_ref() {
                let word = word?;
                if prompt.is_some() {
                    return Err(format!("error: one prompt only, and `{word}` is a second (see `demo --help`)"));
                }
                prompt = Some(word);
            }
            break;
        }
        let (option, joined) = match arg.split_once('=') {
            Some((option, value)) if arg.starts_with("--") => (option.to_owned(), Some(value.to_owned())),
            _ => (arg, None),
        };
        let mut value = || match joined.clone() {
            Some(value) => Ok(value),
            None => args.next().transpose()?.ok_or_else(|| format!("error: option `{option}` wants a value")),
        };
        match option.as_str() {
            "-h" | "--help" => return Ok(Order::Help),
            "--sleeper" => return value()?.parse().map(Order::Sleep),
            "--session-id" => fresh = Some(conversation_id(&value()?)?),
            "--resume" => resume = Some(conversation_id(&value()?)?),
            "--fault" => faults::add(&mut faults, &value()?)?,
            unknown if unknown.starts_with('-') => {
                return Err(format!("error: unknown option `{unknown}` (see `demo --help`)"));
            }
            _ if prompt.is_some() => {
                return Err(format!("error: one prompt only, and `{option}` is a second (see `demo --help`)"));
            }
            _ => prompt = Some(option),
        }
    }
    let opening = match (fresh, resume, prompt) {
        (Some(_), Some(_), _) => return Err("error: `--session-id` and `--resume` exclude each other".to_owned()),
        (None, Some(_), Some(_)) => return Err("error: only a fresh conversation takes a prompt".to_owned()),
        (None, Some(id), None) => Opening::Resume { id },
        (fresh, None, prompt) => Opening::Fresh { id: fresh.unwrap_or_else(Uuid::new_v4), prompt },
    };
    Ok(Order::Talk(Box::new(Talk { opening, faults })))
}

fn conversation_id(text: &str) -> Result<Uuid, String> {
    Uuid::try_parse(text).map_err(|_| format!("error: invalid session id `{text}`: must be a UUID"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0b0c5d0e-2f57-4a3c-9d6a-5f1f7c7a9b11";

    fn read(args: &[&str]) -> Result<Order, String> {
        parse(args.iter().map(OsString::from))
    }

    #[test]
    fn a_fresh_conversation_takes_a_prompt() {
        let order = read(&["--session-id", ID, "--fault", "busy=5", "--fault=noisy", "do = this"]);
        let Ok(Order::Talk(talk)) = order else { panic!("{order:?}") };
        let Talk { opening: Opening::Fresh { id, prompt }, faults } = *talk else { panic!("not a fresh one") };
        assert_eq!(id.to_string(), ID);
        assert_eq!(prompt.as_deref(), Some("do = this"));
        assert!(faults.noisy && faults.busy.as_millis() == 5);
    }

    #[test]
    fn what_is_refused_says_why() {
        for (args, why) in [
            (&["-5"][..], "unknown option `-5`"),
            (&["--nope"], "unknown option `--nope`"),
            (&["--resume"], "wants a value"),
            (&["--resume", "x"], "must be a UUID"),
            (&["--resume", ID, "hello"], "only a fresh conversation"),
            (&["--resume", ID, "--session-id", ID], "exclude each other"),
            (&["a", "b"], "one prompt only"),
            (&["--fault", "explode"], "unknown fault `explode`"),
            (&["--fault", "busy=soon"], "`busy`"),
        ] {
            let said = read(args).map(|_| ()).expect_err("refused");
            assert!(said.contains(why), "{args:?}: {said}");
        }
    }
}
