//! Confirmation of a verb that cannot be undone, or that concerns several sessions: it names them all. The cancel link
//! has the focus, so that an accidental Enter does nothing.

use leptos::prelude::*;

use crate::{
    look::{Appearance, Group},
    page::{Page, Session},
    query::{Confirm, Query, Verb},
    screens::{mark::Mark, once::OnceField},
};

/// Renders a dialog with scripts, a section of the page without; empty unless the address requests it.
#[component]
pub(crate) fn ConfirmDialog(page: Page) -> impl IntoView {
    let confirm = page.confirmed();
    let open = confirm.is_some();
    let body = confirm.map(|confirm| view! { <ConfirmForm page=page confirm=confirm /> });
    view! {
        <dialog class="dialog small" id="confirm" open=open aria-labelledby="confirm-title">
            {body}
        </dialog>
    }
    .into_any()
}

/// Renders the form. Sessions that the verb cannot change are not listed.
#[component]
pub(crate) fn ConfirmForm(page: Page, confirm: Confirm) -> impl IntoView {
    let Confirm { verb, names } = confirm;
    let sessions: Vec<&Session> =
        names.iter().filter_map(|name| page.session(name)).filter(|session| concerns(verb, session)).collect();
    let cancel = page.common.query.plain().address();
    if sessions.is_empty() {
        return view! {
            <div class="confirm">
                <h2 id="confirm-title">{format!("Nothing to {}", phrase(verb))}</h2>
                <p>{nothing(verb, names.len())}</p>
                <div class="dialog-acts">
                    <a class="button" href=cancel data-closes="" autofocus=true>
                        "Close"
                    </a>
                </div>
            </div>
        }
        .into_any();
    }
    let count = sessions.len();
    let title = match (&*sessions, verb) {
        ([one], _) => format!("{} {}?", title(verb), one.row.name),
        (_, _) => format!("{} {count} sessions?", title(verb)),
    };
    let list = sessions.iter().map(|session| {
        let look = Appearance::of(&session.row);
        view! {
            <li data-mark=look.mark>
                <Mark name=look.mark />
                <b>{session.row.name.clone()}</b>
                <span>{look.word}</span>
            </li>
        }
    });
    let list = (count > 1 || verb != Verb::Delete).then(|| view! { <ul class="names">{list.collect_view()}</ul> });
    let text = (verb == Verb::Say).then(|| {
        view! {
            <div class="field">
                <label for="confirm-text">"Message"</label>
                <textarea id="confirm-text" name="text" rows="3" required=true data-send=""></textarea>
            </div>
        }
    });
    let joined = sessions.iter().map(|session| session.row.name.as_str()).collect::<Vec<_>>().join(",");
    let class = if matches!(verb, Verb::Stop | Verb::Delete) { "button danger" } else { "button filled" };
    view! {
        <form method="post" action="/app/standing/selected" id="confirm-form" class="confirm">
            <h2 id="confirm-title">{title}</h2>
            {about(verb, &sessions).map(|about| view! { <p>{about}</p> })}
            {list}
            {text}
            <input type="hidden" name="verb" value=verb.as_str() />
            <input type="hidden" name="names" value=joined />
            <OnceField />
            <div class="dialog-acts">
                <a class="button" href=cancel data-closes="" autofocus=true>
                    "Cancel"
                </a>
                <button class=class type="submit">
                    {button(verb, &sessions)}
                </button>
            </div>
        </form>
    }
    .into_any()
}

fn concerns(verb: Verb, session: &Session) -> bool {
    let group = Appearance::of(&session.row).group;
    let alive = session.row.running || group == Group::Running;
    match verb {
        Verb::Start => !alive && !session.row.reference.is_empty() && startable(session),
        Verb::Stop | Verb::Restart => alive || session.row.state == wire::State::Orphaned,
        Verb::Say => alive,
        Verb::Delete => !session.row.declared,
    }
}

fn startable(session: &Session) -> bool {
    matches!(session.row.state, wire::State::Stopped | wire::State::Absent | wire::State::Ended)
}

const fn title(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "Start",
        Verb::Stop => "Stop",
        Verb::Restart => "Restart",
        Verb::Say => "Message",
        Verb::Delete => "Delete",
    }
}

const fn phrase(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "start",
        Verb::Stop => "stop",
        Verb::Restart => "restart",
        Verb::Say => "message",
        Verb::Delete => "delete",
    }
}

fn button(verb: Verb, sessions: &[&Session]) -> String {
    match sessions {
        [one] => format!("{} {}", title(verb), one.row.name),
        many => format!("{} {}", title(verb), many.len()),
    }
}

fn nothing(verb: Verb, asked: usize) -> &'static str {
    match (verb, asked) {
        (Verb::Start, 1) => "The session is already running.",
        (Verb::Start, _) => "These sessions are already running.",
        (Verb::Delete, 1) => "The session is declared in the config. To delete it, remove its entry there.",
        (Verb::Delete, _) => "These sessions are declared in the config. To delete them, remove their entries there.",
        (_, 1) => "The session is not running.",
        (_, _) => "These sessions are not running.",
    }
}

/// Says what the verb changes and what stays.
fn about(verb: Verb, sessions: &[&Session]) -> Option<&'static str> {
    let alive = sessions.iter().any(|session| session.row.running);
    match verb {
        Verb::Start => None,
        Verb::Stop => Some("Turns that are under way end. Conversations are kept, and the next start resumes them."),
        Verb::Restart => Some("Turns that are under way end. Conversations are resumed."),
        Verb::Say => Some("The message goes to each of them. A session with an open prompt refuses it."),
        Verb::Delete if alive => Some(
            "The session is running and will be stopped first. Its record is removed, so its conversation can no \
             longer be resumed from here. The transcript of the harness stays on disk.",
        ),
        Verb::Delete => Some(
            "Its record is removed, so its conversation can no longer be resumed from here. The transcript of the \
             harness stays on disk.",
        ),
    }
}

impl Query {
    /// Returns the address at which the deletion of a session is confirmed.
    pub(crate) fn deleting(&self, name: &str) -> String {
        self.confirming(Verb::Delete, vec![name.to_owned()]).address()
    }
}
