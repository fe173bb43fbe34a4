//! Texts posted in Slack, in its markup. Text of other origin is escaped.

use rustix::system::uname;
use standing::{Error, ProblemCode, config::Verbosity};
use wire::{Activity, Choice, Remedy, Row, SayReceipt, Turn, TurnState, Verdict};

use super::entities::escape;

/// Maximum length of a quoted prompt or reason, in characters.
const QUOTED: usize = 600;

/// Exact text of a reply that requests the screen.
pub(super) const SCREEN: &str = "?screen";

/// Sign of a verdict: the reaction to a reply shows the same.
const fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Submitted => "✅",
        Verdict::Queued => "⏳",
        Verdict::Unconfirmed => "❔",
        Verdict::NotDelivered => "⛔",
    }
}

/// Returns the sign of a verdict and its label, with which a line begins.
fn headed(verdict: Verdict) -> String {
    let (first, rest) = verdict.label().split_at(1);
    format!("{} {}{rest}", sign(verdict), first.to_uppercase())
}

/// Returns the line for a verdict where the app may not add reactions.
pub(super) fn instead_of_reaction(verdict: Verdict) -> String {
    format!("{}. {}", headed(verdict), verdict.about())
}

/// Returns the line for a reply that was not delivered.
fn refused(reason: &str) -> String {
    format!("{}: {reason}", headed(Verdict::NotDelivered))
}

/// Returns the first message of a session's thread.
pub(super) fn announcement(row: &Row, authorized: &[String], verbosity: Verbosity) -> String {
    let (harness, machine, since) = (code(&row.harness), code(&machine()), code(&row.started_at));
    let head = format!("Standing session *{}*: `{harness}` on `{machine}`, started `{since}`", row.name);
    let who = who(authorized);
    if verbosity == Verbosity::Quiet {
        return format!("{head}. Reply in this thread to send it a message. {who}");
    }
    let mut lines = vec![head];
    if !row.description.is_empty() {
        lines.push(format!("_{}_", escape(&quoted(&row.description)).replace(['_', '\n'], " ")));
    }
    let (mark, meaning) = (sign(Verdict::Submitted), Verdict::Submitted.label());
    lines.push(format!("Reply in this thread to send it a message; {mark} means {meaning}. {who}"));
    lines.push(format!("Reply `{SCREEN}` to see its screen."));
    if verbosity == Verbosity::Verbose {
        let (cwd, session) = (code(&row.cwd), &row.tmux_target);
        lines.push(format!("Working directory: `{cwd}`. To attach on that machine: `tmux attach -t '={session}'`."));
    }
    lines.join("\n")
}

fn who(authorized: &[String]) -> String {
    if authorized.is_empty() {
        return "Nobody is authorized yet: `channels.slack.authorizedUsers` is empty.".to_owned();
    }
    let ids: Vec<String> = authorized.iter().map(|id| format!("<@{}>", escape(id))).collect();
    format!("Authorized: {}.", ids.join(", "))
}

/// Returns the message of a Slack round-trip test.
pub(super) fn test() -> String {
    format!("Test message from the-loop on `{}`. No action needed.", code(&machine()))
}

/// Returns the message for the thread of a deleted session.
pub(super) fn unbound(name: &str) -> String {
    format!("Standing session *{name}* was deleted. Replies in this thread are no longer delivered.")
}

/// Returns the message for a thread that is not bound to the session of that name.
pub(super) fn superseded(name: &str) -> String {
    format!("Standing session *{name}* has another thread now. Replies in this thread are no longer delivered.")
}

/// Returns the message for a session that waits on a prompt. It is posted once per prompt.
pub(super) fn asks(row: &Row) -> String {
    let (name, session) = (&row.name, &row.tmux_target);
    let waiting = Activity::Waiting.label();
    let head = format!("*{name}* is {waiting} for an answer to a prompt:\n{}\n", quote(&row.question));
    let terminal = format!("in its terminal: `tmux attach -t '={session}'`. Reply `{SCREEN}` to see its screen.");
    if row.choices.is_empty() {
        return format!("{head}Replies are refused until it is answered. Answer {terminal}");
    }
    let choice = |choice: &Choice| format!("*{}*  {}", choice.key, escape(&quoted(&choice.text)));
    let choices: Vec<String> = row.choices.iter().map(choice).collect();
    format!(
        "{head}{}\nReply with the number of an answer; other replies are refused until it is answered. Or answer \
         {terminal}",
        choices.join("\n")
    )
}

/// Returns the note of a reply that selects an option, while its result is unknown.
pub(super) fn cut_short() -> String {
    "The answer was interrupted. Check the session before you answer again.".to_owned()
}

/// Advice on content that the app cannot read.
const INSTEAD: &str = "the app does not read files, images or buttons. Paste the text, or send a path on the machine.";

/// Returns the note for a reply that was typed without some of its content.
pub(super) fn in_part(missing: &[String]) -> String {
    format!("⚠️ Partly delivered, without {}: {INSTEAD}", listed(missing))
}

/// Returns the reason for refusing a reply without text.
pub(super) fn nothing_to_type(missing: &[String]) -> String {
    refused(&format!("the message has no text, only {}; {INSTEAD}", listed(missing)))
}

/// Returns the reason for refusing a message of a kind that is not read.
pub(super) fn unread_kind(kind: &str) -> String {
    refused(&format!("messages of type `{}` are not supported. Send the text as a plain reply.", code(kind)))
}

/// Returns the note that an edit has no effect. It is posted once per reply.
pub(super) fn edited() -> String {
    "✏️ Edits are not delivered. Send the corrected text as a new reply.".to_owned()
}

/// Appends a note on the missing parts to a text that will be typed.
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

/// Returns the reason for a refused reply, and its remedy.
pub(super) const fn working() -> &'static str {
    "⏳ Working on it."
}

/// Returns the text that an answer is edited to.
pub(super) fn answered(turn: &Turn) -> String {
    match turn.state {
        TurnState::Answered if turn.shared_with.is_empty() => escape(&turn.answer),
        TurnState::Answered => {
            format!("{}\n_Answered together with {} other message(s)._", escape(&turn.answer), turn.shared_with.len())
        }
        state => format!("No answer ({}): {}.", state.label(), escape(&turn.reason)),
    }
}

pub(super) fn answered_in_file(turn: &Turn, file: &str) -> String {
    format!("{}\n_The whole answer is in `{file}`._", beginning(&turn.answer, QUOTED))
}

pub(super) fn answered_in_part(turn: &Turn, most: usize) -> String {
    format!("{}\n_The rest is in the session's pane: the app may not upload files._", beginning(&turn.answer, most))
}

fn beginning(text: &str, most: usize) -> String {
    let beginning: String = text.chars().take(most).collect();
    format!("{} …", escape(&beginning))
}

pub(super) fn refusal(error: &Error) -> String {
    let reason = match error {
        Error::Waiting { question, .. } => {
            let waiting = Activity::Waiting.label();
            format!("it is {waiting} for an answer to a prompt, and Enter may select one:\n{}", quote(question))
        }
        Error::UnsentText { text, .. } => format!("its input box contains unsent text:\n{}", quote(text)),
        // Paths and the content of the config are shown only to users who can open them.
        error if [ProblemCode::Misconfigured, ProblemCode::Registry].contains(&error.code()) => {
            let list = Remedy::List.command().unwrap_or_default();
            return refused(&format!("the-loop on `{}` has a problem. Check there with `{list}`.", code(&machine())));
        }
        error => escape(&quoted(&error.to_string())),
    };
    let acts: Vec<Remedy> = error.remedies().into_iter().filter(|remedy| *remedy != Remedy::Force).collect();
    let end =
        if acts.is_empty() { String::new() } else { format!("\nTo continue: {}.", escape(&Remedy::phrase(&acts))) };
    refused(&format!("{reason}{end}"))
}

/// Returns the reason for a delivery that failed after it started.
pub(super) fn not_delivered(receipt: &SayReceipt) -> String {
    refused(&escape(&quoted(&all(receipt))))
}

/// Returns the reason for refusing a reply in a thread that no longer belongs to a session.
pub(super) fn no_session() -> String {
    refused("this thread no longer belongs to a session.")
}

/// Returns the reason for refusing a reply of an author who is no longer authorised.
pub(super) fn not_allowed() -> String {
    refused("you are no longer authorized for this session.")
}

/// Returns the part of a receipt beyond its verdict.
pub(super) fn besides(receipt: &SayReceipt) -> String {
    let rest: Vec<&str> = receipt.messages.iter().skip(1).map(|message| message.text.as_str()).collect();
    escape(&quoted(&rest.join("; ")))
}

/// Returns all parts of a receipt.
pub(super) fn all(receipt: &SayReceipt) -> String {
    receipt.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("; ")
}

/// Returns the machine's name.
pub(super) fn machine() -> String {
    uname().nodename().to_string_lossy().into_owned()
}

/// Formats text for use between two backticks.
fn code(text: &str) -> String {
    escape(&text.replace('`', "'"))
}

fn quote(text: &str) -> String {
    let text = quoted(text);
    let lines: Vec<String> = text.lines().map(|line| format!("> {}", escape(line))).collect();
    if lines.is_empty() { "> (could not read the prompt)".to_owned() } else { lines.join("\n") }
}

/// Shortens text and removes control characters other than line feeds.
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
        assert!(announcement(&row(), &[], Verbosity::Quiet).contains("Nobody is authorized"));
    }

    #[test]
    fn verdicts_have_the_words_of_every_other_surface() {
        for &verdict in Verdict::ALL {
            let line = instead_of_reaction(verdict);
            assert!(line.to_lowercase().contains(verdict.label()) && line.ends_with(verdict.about()), "{line}");
        }
        assert!(no_session().starts_with("⛔ Not delivered: "), "{}", no_session());
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
        let told = refusal(&Error::NotRunning { name: name.clone(), reason: "stopped".to_owned() });
        assert!(told.contains("the-loop standing start ops") && told.contains("stopped"), "{told}");
        let waiting = Error::Waiting {
            name: name.clone(),
            session: "s".to_owned(),
            socket: String::new(),
            question: "Trust?".to_owned(),
            offers: false,
        };
        assert!(refusal(&waiting).contains("> Trust?"));
        let path = "/home/u/.the-loop".into();
        let told = refusal(&Error::BadRecord { name, path, reason: "it is empty".to_owned() });
        assert!(!told.contains("/home"), "{told}");
    }
}
