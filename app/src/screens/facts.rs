//! Facts of a session in a row: the state first, then technical facts, small and in the monospace font.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Row, State};

use crate::{page::Common, screens::state::Appearance, time_ago::Ago};

/// Number of characters of a conversation's ID that are shown.
const SHORT_ID: usize = 8;

#[component]
pub(crate) fn Facts(row: Row, face: Appearance, common: Arc<Common>) -> impl IntoView {
    let reason = (!row.reason.is_empty()).then(|| format!(" · {}", row.reason));
    let up =
        matches!(row.state, State::Running | State::Starting | State::Stopping | State::Orphaned | State::Unrecorded);
    let since = (!row.started_at.is_empty() && (up || row.state == State::Stopped)).then(|| {
        let before = if up { "up" } else { "last started" };
        let after = if up { "" } else { " ago" };
        view! { <li><Ago before=before time=row.started_at.clone() />{after}</li> }
    });
    let queued = (row.queued > 0).then(|| {
        let what = if row.queued == 1 { "message" } else { "messages" };
        view! { <li>{format!("{} queued {what}", row.queued)}</li> }
    });
    let cwd = (!row.cwd.is_empty()).then(|| {
        view! {
            <li>
                <code title=row.cwd.clone()>{common.shown(&row.cwd)}</code>
            </li>
        }
    });
    view! {
        <ul class="facts">
            <li class="state">
                <strong>{face.word}</strong>
                {reason}
            </li>
            {since}
            {queued}
            <li>{row.harness.clone()}</li>
            {cwd}
            <Conversation id=row.harness_session_id.clone() resumes=!up />
            <Slack channel=row.slack_channel.clone() thread=row.slack_thread.clone() />
        </ul>
    }
    .into_any()
}

#[component]
fn Conversation(id: String, resumes: bool) -> impl IntoView {
    (!id.is_empty()).then(|| {
        let short: String = id.chars().take(SHORT_ID).collect();
        let word = if resumes { "resumes conversation" } else { "conversation" };
        view! {
            <li>
                {word}
                " "
                <code title=id>{short}</code>
            </li>
        }
    })
}

/// Renders the link to its thread. Slack identifies a message by its channel and time stamp.
#[component]
fn Slack(channel: String, thread: String) -> impl IntoView {
    (!channel.is_empty()).then(|| {
        let thread = (!thread.is_empty()).then(|| view! { " thread "<code>{thread}</code> });
        view! { <li>"Slack " {channel} {thread}</li> }
    })
}
