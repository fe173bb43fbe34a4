//! Result of an action, beside the part of the page that it concerns.

use leptos::prelude::*;
use wire::Remedy;

use crate::{
    notices::{Notice, Place, Tone},
    screens::menu::CopyLine,
};

/// Renders the place for a notice, empty or not, so that the page keeps its structure when one appears.
#[component]
pub(crate) fn Slot(
    /// ID in the document.
    #[prop(into)]
    id: String,
    /// The notice, if there is one.
    notice: Option<Notice>,
    /// True if the notice stays in an open page until another one replaces it, as a receipt does.
    #[prop(optional)]
    keep: bool,
) -> impl IntoView {
    view! {
        <div class="slot" id=id data-keep=keep.then_some("")>
            {notice.map(|notice| view! { <NoticeBox notice=notice /> })}
        </div>
    }
    .into_any()
}

#[component]
fn NoticeBox(notice: Notice) -> impl IntoView {
    let role = if notice.tone == Tone::Failed { "alert" } else { "status" };
    let mark = match notice.tone {
        Tone::Done => "m3 8.5 3.2 3.2L13 5",
        Tone::Unsure => "M8 3.5v6M8 12v.3",
        Tone::Failed => "m4 4 8 8m0-8-8 8",
    };
    let remedies = (!notice.remedies.is_empty()).then(|| {
        let on_card = matches!(notice.place, Place::Acts(_) | Place::Say(_));
        let remedies = notice.remedies.into_iter();
        let items = remedies.map(|remedy| view! { <li>{shown(&remedy, on_card)}</li> }).collect_view();
        view! { <ul class="remedies">{items}</ul> }
    });
    let quote = (!notice.quote.is_empty()).then(|| view! { <q>{notice.quote}</q> " " });
    view! {
        <div class="notice" role=role data-notice=notice.tone.as_str()>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
                <path d=mark />
            </svg>
            <div class="notice-text">
                <p>{quote} <span class="said">{notice.text}</span> " " <span class="at">{notice.at}</span></p>
                {remedies}
            </div>
        </div>
    }
    .into_any()
}

/// Renders a remedy: a button of the card for an action of that card, a command to copy for an action in a terminal,
/// and text for the rest.
fn shown(remedy: &Remedy, on_card: bool) -> AnyView {
    match remedy {
        // The form belongs to the card.
        Remedy::Start { name } if on_card => {
            (button(format!("start-{name}"), "Start now"), copied("or from a terminal:", remedy)).into_any()
        }
        Remedy::Start { .. } => copied("Start it:", remedy),
        Remedy::Stop { .. } => copied("Stop it:", remedy),
        Remedy::Restart { .. } => copied("Restart it:", remedy),
        Remedy::Answer { .. } => "Answer the prompt above.".into_any(),
        Remedy::Force => "To send it anyway, select the box below the message.".into_any(),
        Remedy::List | Remedy::Show { .. } => view! { <a href="/">"Show all sessions"</a> }.into_any(),
        Remedy::Look { .. } => copied("View its terminal (read-only):", remedy),
        Remedy::Attach { .. } => copied("Open its terminal:", remedy),
        Remedy::CloseAndStart { .. } => copied("Close it, then start the session:", remedy),
        Remedy::Restore { .. } => copied("Restore its record:", remedy),
        Remedy::Create { .. } => copied("Create it:", remedy),
        Remedy::Delete { .. } => copied("Delete it:", remedy),
        Remedy::Doctor => copied("Check this machine:", remedy),
        Remedy::Status => copied("Check the service:", remedy),
        Remedy::RestartService => copied("Restart the service:", remedy),
        Remedy::ChooseName
        | Remedy::NewKey
        | Remedy::Retry { .. }
        | Remedy::UseFile
        | Remedy::FixFile { .. }
        | Remedy::Configure { .. }
        | Remedy::RemoveEntry { .. }
        | Remedy::LeaveSession
        | Remedy::SwitchUser { .. } => sentence(&remedy.text()).into_any(),
    }
}

fn button(form: String, label: &'static str) -> AnyView {
    view! {
        <button class="button small" type="submit" form=form>
            {label}
        </button>
    }
    .into_any()
}

fn copied(label: &'static str, remedy: &Remedy) -> AnyView {
    remedy.command().map(|command| view! { <CopyLine label=label command=command /> }).into_any()
}

/// Adds a capital letter and a full stop to a phrase.
fn sentence(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}
