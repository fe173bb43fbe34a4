//! What is said in Slack, in its markup. Whatever is not ours in it is escaped.

use rustix::system::uname;
use standing::{Error, ProblemCode, config::Verbosity};
use wire::{Choice, Row, SayReceipt};

use super::entities::escape;

/// The longest quotation of a question or a reason, in characters.
const QUOTED: usize = 600;

/// What a reply has to be, to the letter, to see the screen.
pub(super) const SCREEN: &str = "?screen";

/// The first message of a session's thread.
pub(super) fn announcement(row: &Row, authorized: &[String], verbosity: Verbosity) -> String {
    let (harness, machine, since) = (code(&row.harness), code(&machine()), code(&row.started_at));
    let head = format!("Standing session *{}*: `{harness}` on `{machine}`, started `{since}`", row.name);
    let who = who(authorized);
    if verbosity == Verbosity::Quiet {
        return format!("{head}. Reply in this thread to speak to it. {who}");
    }
    let mut lines = vec![head];
    if !row.description.is_empty() {
        lines.push(format!("_{}_", escape(&quoted(&row.description)).replace(['_', '\n'], " ")));
    }
    lines
        .push(format!("Reply in this thread, and your words are typed into the session: ✅ means it took them. {who}"));
    lines.push(format!("A reply `{SCREEN}` shows what is on its screen."));
    if verbosity == Verbosity::Verbose {
        let (cwd, session) = (code(&row.cwd), &row.tmux_target);
        lines.push(format!("It works in `{cwd}`; on that machine, `tmux attach -t '={session}'` opens it."));
    }
    lines.join("\n")
}

fn who(authorized: &[String]) -> String {
    if authorized.is_empty() {
        return "Nobody may speak to it yet: `channels.slack.authorizedUsers` is empty.".to_owned();
    }
    let ids: Vec<String> = authorized.iter().map(|id| format!("<@{}>", escape(id))).collect();
    format!("Who may: {}.", ids.join(", "))
}

/// Said by a test of the way to Slack and back.
pub(super) fn test() -> String {
    format!("A test of the-loop on `{}`: it can post here. Nothing is to be done.", code(&machine()))
}

/// Said in the thread of a session that was deleted.
pub(super) fn unbound(name: &str) -> String {
    format!("Standing session *{name}* was deleted. Replies in this thread go nowhere from now on.")
}

/// Said in a thread that is not the one of the session of that name.
pub(super) fn superseded(name: &str) -> String {
    format!(
        "Standing session *{name}* is not answered in this thread: it has another one, or was made anew. Replies here \
         go nowhere."
    )
}

/// Said once when a session waits on a question of its own.
pub(super) fn asks(row: &Row) -> String {
    let (name, session) = (&row.name, &row.tmux_target);
    let head = format!("*{name}* waits for an answer to a question of its own:\n{}\n", quote(&row.question));
    let terminal = format!("at the terminal: `tmux attach -t '={session}'`; a reply `{SCREEN}` shows all of it.");
    if row.choices.is_empty() {
        return format!("{head}A reply is refused while it does. Answer {terminal}");
    }
    let choice = |choice: &Choice| format!("*{}*  {}", choice.key, escape(&quoted(&choice.text)));
    let choices: Vec<String> = row.choices.iter().map(choice).collect();
    format!(
        "{head}{}\nReply with the number alone to choose, and any other reply is refused while it waits. Or answer \
         {terminal}",
        choices.join("\n")
    )
}

/// Beside a reply that is being chosen by, while it is not known what became of it.
pub(super) fn cut_short() -> String {
    "The answer broke off; look at the session before you choose again.".to_owned()
}

/// How to give a session what Slack does not hand over.
const INSTEAD: &str = "the app does not read files, images or buttons. Paste the text, or name a path on the machine.";

/// Beside a reply that was typed without some of what it holds.
pub(super) fn in_part(missing: &[String]) -> String {
    format!("⚠️ Delivered in part. The session was not given {}: {INSTEAD}", listed(missing))
}

/// Why a reply without a word was refused.
pub(super) fn nothing_to_type(missing: &[String]) -> String {
    format!("⛔ Not delivered: the message has no text, only {}, and {INSTEAD}", listed(missing))
}

/// Why a message of a kind that is not read was refused.
pub(super) fn unread_kind(kind: &str) -> String {
    format!("⛔ Not delivered: a message of the kind `{}` is not typed. Send the text as a plain reply.", code(kind))
}

/// Said once when the words of a reply were edited.
pub(super) fn edited() -> String {
    "✏️ The edit is not delivered: only the text as it was first sent counts. Reply again with what the session should \
     know."
        .to_owned()
}

/// A text as it is typed, with a word on what its author sent besides.
pub(super) fn with_missing(text: String, missing: &[String]) -> String {
    if missing.is_empty() {
        text
    } else {
        format!("{text}\n\n(Not delivered with this message: {}.)", missing.join(", "))
    }
}

fn listed(missing: &[String]) -> String {
    escape(&quoted(&missing.join(", ")))
}

/// Why a reply was refused.
pub(super) fn refusal(error: &Error) -> String {
    let reason = match error {
        Error::Waiting { session, server, question, .. } => format!(
            "it waits for an answer to a question of its own, and your words would choose one blindly:\n{}\nAnswer at \
             the terminal: `tmux attach -t '={session}'`{server}",
            quote(question)
        ),
        Error::UnsentText { session, server, text, .. } => format!(
            "its input box holds text that was not sent, and your words would join it:\n{}\nSend or clear it at the \
             terminal: `tmux attach -t '={session}'`{server}",
            quote(text)
        ),
        // What stands in a config or where a file lies is for those who can open it.
        error if [ProblemCode::Misconfigured, ProblemCode::Registry].contains(&error.code()) => {
            format!("the-loop on `{}` cannot work right now; `the-loop standing list` there says why", code(&machine()))
        }
        error => escape(&quoted(&error.to_string())),
    };
    format!("⛔ Not delivered: {reason}")
}

/// The same for a delivery that failed on its way.
pub(super) fn not_delivered(receipt: &SayReceipt) -> String {
    format!("⛔ Not delivered: {}", escape(&quoted(&all(receipt))))
}

/// The same for a thread that is no session's any more.
pub(super) fn no_session() -> String {
    "⛔ Not delivered: this thread belongs to no session any more.".to_owned()
}

/// The same for an author who may not speak any more.
pub(super) fn not_allowed() -> String {
    "⛔ Not delivered: you may not speak to this session any more.".to_owned()
}

/// What a receipt says beyond its verdict.
pub(super) fn besides(receipt: &SayReceipt) -> String {
    let rest: Vec<&str> = receipt.messages.iter().skip(1).map(|message| message.text.as_str()).collect();
    escape(&quoted(&rest.join("; ")))
}

/// All that a receipt says.
pub(super) fn all(receipt: &SayReceipt) -> String {
    receipt.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("; ")
}

/// The machine's name.
pub(super) fn machine() -> String {
    uname().nodename().to_string_lossy().into_owned()
}

/// Text for between two backticks.
fn code(text: &str) -> String {
    escape(&text.replace('`', "'"))
}

fn quote(text: &str) -> String {
    let text = quoted(text);
    let lines: Vec<String> = text.lines().map(|line| format!("> {}", escape(line))).collect();
    if lines.is_empty() { "> (it cannot be read)".to_owned() } else { lines.join("\n") }
}

/// No control character but line feeds, and not too long.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    let mut kept: String = plain.trim().chars().take(QUOTED).collect();
    if kept.len() < plain.trim().len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use wire::SessionName;

    use super::*;

    fn row() -> Row {
        let mut row = Row::bare(&SessionName::parse("ops").expect("a name"));
        row.harness = "demo".to_owned();
        row.cwd = "/srv/shop".to_owned();
        row.description = "watches <!channel> & _more_".to_owned();
        row
    }

    #[test]
    fn an_announcement_says_which_where_how_and_who() {
        for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
            let text = announcement(&row(), &["U1".to_owned(), "U2".to_owned()], verbosity);
            for part in ["*ops*", "`demo`", &format!("`{}`", machine()), "Reply in this thread", "<@U1>, <@U2>"] {
                assert!(text.contains(part), "{verbosity:?} lacks {part}: {text}");
            }
            assert!(!text.contains("<!channel>"), "{text}");
            assert_eq!(text.contains("/srv/shop"), verbosity == Verbosity::Verbose, "{text}");
        }
        assert!(announcement(&row(), &[], Verbosity::Quiet).contains("Nobody may speak"));
    }

    #[test]
    fn a_question_is_quoted_and_calls_nobody() {
        let mut row = row();
        row.question = "Delete <!here>?\x1b[0m\n1. Yes".to_owned();
        let text = asks(&row);
        assert!(text.contains("> Delete &lt;!here&gt;?[0m\n> 1. Yes\n"), "{text}");
        assert!(quote(&"x".repeat(5000)).chars().count() < 700);
    }

    #[test]
    fn a_refusal_tells_the_reason_but_no_file() {
        let name = SessionName::parse("ops").expect("a name");
        let told = refusal(&Error::NotRunning { name: name.clone(), reason: "it is stopped".to_owned() });
        assert!(told.contains("the-loop standing start ops") && told.contains("it is stopped"), "{told}");
        let waiting = Error::Waiting {
            name: name.clone(),
            session: "s".to_owned(),
            server: String::new(),
            question: "Trust?".to_owned(),
            offers: false,
        };
        assert!(refusal(&waiting).contains("> Trust?"));
        let path = "/home/u/.the-loop".into();
        let told = refusal(&Error::BadRecord { name, path, reason: "it is empty".to_owned() });
        assert!(!told.contains("/home"), "{told}");
    }
}
