//! Facts about a session: where its definition is, how its harness runs, and what it uses.

use std::sync::Arc;

use ::engine::Sample;
use ::standing::Details;
use leptos::prelude::*;
use wire::{Row, State};

use crate::{
    page::Common,
    screens::{Copy, bytes},
    session::{head::has_pane, load::SessionPage, spark::spark},
    when::{self, Ago, Moment},
};

/// Renders the facts. A fact that is not known has no line.
#[component]
pub(crate) fn About(page: SessionPage) -> impl IntoView {
    let SessionPage { session, details, common, used, .. } = page;
    let row = session.row;
    let attach = has_pane(&row).then(|| {
        let command = format!("{} attach -r -t '={}'", common.tmux, row.tmux_target);
        view! {
            <dd class="wide">
                <Copy command=command />
            </dd>
        }
    });
    view! {
        <section class="about" id="about" aria-labelledby="about-title">
            <h2 id="about-title">"About"</h2>
            <dl>
                {fact("Source", source(&row, &details, &common))}
                {fact("Harness", harness(&row, &details))}
                {fact("Environment", names(&row.env))}
                {fact("Secrets", names(&row.secrets))}
                {fact("Directory", directory(&row, &common))}
                {fact("Conversation", conversation(&row, &details))}
                {fact("Process", row.pid.map(|pid| format!("pid {pid}").into_any()))}
                {fact("Load", load(&row, session.stale, &used))}
                {fact("Up", up(&row))}
                {fact("Last message", moment(&row.last_message_at))}
                {fact("Queued", (row.queued > 0).then(|| row.queued.to_string().into_any()))}
                {fact("Auto-start", Some(if row.auto_start { "yes" } else { "no" }.into_any()))}
                {fact("Slack", slack(&row))}
                {attach}
            </dl>
        </section>
    }
    .into_any()
}

fn fact(title: &'static str, fact: Option<AnyView>) -> Option<AnyView> {
    fact.map(|fact| {
        view! {
            <dt>{title}</dt>
            <dd>{fact}</dd>
        }
        .into_any()
    })
}

/// Returns the file and line of its declaration, or who created it and when.
fn source(row: &Row, details: &Details, common: &Arc<Common>) -> Option<AnyView> {
    if row.declared {
        let file = common.shown(&common.config_file);
        let line = details.declared_at.map(|line| format!(":{line}")).unwrap_or_default();
        let name = file.rsplit('/').next().unwrap_or_default();
        return Some(view! { <code title=format!("{file}{line}")>{format!("{name}{line}")}</code> }.into_any());
    }
    if row.created_at.is_empty() {
        return None;
    }
    let by = (!details.created_by.is_empty()).then(|| format!(" by {}", details.created_by));
    Some(view! { "created" {by} ", " <Moment time=row.created_at.clone() /> }.into_any())
}

fn harness(row: &Row, details: &Details) -> Option<AnyView> {
    if row.harness.is_empty() {
        return None;
    }
    let arguments = details.harness_args.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ");
    let arguments = (!arguments.is_empty()).then(|| {
        view! {
            " "
            <code title=arguments.clone()>{arguments.clone()}</code>
        }
    });
    Some(view! { {row.harness.clone()} {arguments} }.into_any())
}

/// Returns an argument as one word, also for a reader.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=./:,@%+".contains(c);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

/// Returns names of variables. Their values are never read here.
fn names(names: &[String]) -> Option<AnyView> {
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        view! { <code title=names.clone()>{names.clone()}</code> }.into_any()
    })
}

fn directory(row: &Row, common: &Arc<Common>) -> Option<AnyView> {
    (!row.cwd.is_empty()).then(|| view! { <code title=row.cwd.clone()>{common.shown(&row.cwd)}</code> }.into_any())
}

/// Returns the conversation, with a button that copies it, and the number of earlier ones.
fn conversation(row: &Row, details: &Details) -> Option<AnyView> {
    let id = row.harness_session_id.clone();
    if id.is_empty() {
        return None;
    }
    let earlier = match details.former_conversations.len() {
        0 => None,
        number => Some(view! {
            <span class="earlier" title=details.former_conversations.join("\n")>{format!(" {number} earlier")}</span>
        }),
    };
    Some(
        view! {
            <span class="copy-in">
                <code title=id.clone()>{short(&id)}</code>
                <button class="needs-script" type="button" data-copy=id aria-label="Copy the conversation id">
                    "Copy"
                </button>
            </span>
            {earlier}
        }
        .into_any(),
    )
}

/// Shortens an id to both its ends.
fn short(id: &str) -> String {
    let letters = id.chars().count();
    if letters <= 12 {
        return id.to_owned();
    }
    let (start, end): (String, String) = (id.chars().take(4).collect(), id.chars().skip(letters - 4).collect());
    format!("{start}…{end}")
}

/// Returns CPU and memory of now, and those of the last hour as lines.
fn load(row: &Row, stale: bool, samples: &[Sample]) -> Option<AnyView> {
    let used = row.cpu.map(|cpu| format!("{cpu} %")).into_iter().chain(row.memory.map(bytes));
    let used = used.collect::<Vec<_>>().join(" · ");
    (!stale && !used.is_empty()).then(|| view! { {used} {spark(samples, when::now())} }.into_any())
}

/// Returns how long its harness has been running, or when it last started.
fn up(row: &Row) -> Option<AnyView> {
    if row.started_at.is_empty() {
        return None;
    }
    let runs =
        matches!(row.state, State::Running | State::Starting | State::Stopping | State::Orphaned | State::Unrecorded);
    Some(if runs {
        view! { <Ago time=row.started_at.clone() /> ", since " <Moment time=row.started_at.clone() /> }.into_any()
    } else {
        view! { "last started " <Moment time=row.started_at.clone() /> }.into_any()
    })
}

fn moment(time: &str) -> Option<AnyView> {
    (!time.is_empty()).then(|| view! { <Moment time=time.to_owned() /> }.into_any())
}

/// Returns the channel, as a link to the thread of the session if both are known.
fn slack(row: &Row) -> Option<AnyView> {
    if row.slack_channel.is_empty() {
        return row.slack_enabled.then(|| "on".into_any());
    }
    let (channel, stamp) = (row.slack_channel.clone(), row.slack_thread.replace('.', ""));
    let is_id = channel.starts_with(['C', 'G', 'D']) && channel.chars().all(|c| c.is_ascii_alphanumeric());
    let is_stamp = !stamp.is_empty() && stamp.chars().all(|c| c.is_ascii_digit());
    Some(if is_id && is_stamp {
        let href = format!("https://slack.com/archives/{channel}/p{stamp}");
        view! {
            <a href=href rel="noreferrer" target="_blank">
                {channel}
                " thread"
            </a>
        }
        .into_any()
    } else {
        channel.into_any()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_ids_are_short_and_whole() {
        assert_eq!(quoted("--verbose"), "--verbose");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(short("8c1f93aa-0f5e-4f7e-9f0e-2c6de02a0001"), "8c1f…0001");
        assert_eq!(short("short"), "short");
    }
}
