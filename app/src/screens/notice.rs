//! Result of an action, beside the part of the page that it concerns.

use leptos::prelude::*;
use wire::Remedy;

use crate::{
    notices::{Notice, Place, Tone},
    screens::{act::Act, menu::CopyLine},
};

/// Renders the place for a notice, empty or not, so that the page keeps its structure when one appears. In an open page
/// a notice stays until another one replaces it.
#[component]
pub(crate) fn Slot(
    /// ID in the document.
    #[prop(into)]
    id: String,
    /// The notice, if there is one.
    notice: Option<Notice>,
) -> impl IntoView {
    view! {
        <div class="slot" id=id data-keep="">
            {notice.map(|notice| view! { <NoticeBox notice=notice /> })}
        </div>
    }
    .into_any()
}

/// Renders a notice. With scripts, the answer to a form is this alone.
#[component]
pub(crate) fn NoticeBox(notice: Notice) -> impl IntoView {
    let role = if notice.tone == Tone::Failed { "alert" } else { "status" };
    let mark = match notice.tone {
        Tone::Done => "m3 8.5 3.2 3.2L13 5",
        Tone::Unsure => "M8 3.5v6M8 12v.3",
        Tone::Failed => "m4 4 8 8m0-8-8 8",
    };
    let remedies = (!notice.remedies.is_empty()).then(|| {
        let session = match &notice.place {
            Place::Session(name) => Some(name.clone()),
            Place::Page | Place::Create => None,
        };
        let remedies = notice.remedies.into_iter();
        let items = remedies.map(|remedy| view! { <li>{shown(&remedy, session.as_deref())}</li> }).collect_view();
        view! { <ul class="remedies">{items}</ul> }
    });
    let mistakes = (!notice.mistakes.is_empty()).then(|| {
        notice.mistakes.iter().map(|mistake| view! { <MistakeText mistake=mistake.clone() /> }).collect_view()
    });
    // Inside its own row the name would be said twice, so the style sheet hides it there.
    let who = match &notice.place {
        Place::Session(name) => Some(view! { <b class="who">{name.clone()}</b> " " }),
        Place::Page | Place::Create => None,
    };
    let quote = (!notice.quote.is_empty()).then(|| view! { <q>{notice.quote}</q> " " });
    view! {
        <div class="notice" role=role data-notice=notice.tone.as_str()>
            <svg viewBox="0 0 16 16" aria-hidden="true">
                <path d=mark />
            </svg>
            <div class="notice-text">
                <p>{who} {quote} <span class="said">{notice.text}</span> " " <span class="at">{notice.at}</span></p>
                {remedies}
                {mistakes}
            </div>
        </div>
    }
    .into_any()
}

/// Renders a mistake of a field, with a button that takes the suggested value.
#[component]
pub(crate) fn MistakeText(mistake: standing::Mistake) -> impl IntoView {
    let fix = mistake.fix.map(|fix| {
        view! {
            <button class="button small needs-script" type="button" data-fill=fix.clone() data-into=format!("new-{}", mistake.field)>
                {format!("Use {fix}")}
            </button>
        }
    });
    view! {
        <p class="mistake" data-field=mistake.field>
            {mistake.text}
            " "
            {fix}
        </p>
    }
    .into_any()
}

/// Renders a remedy: a button for an action on the session of the notice, a command to copy for an action in a terminal,
/// and text for the rest.
fn shown(remedy: &Remedy, session: Option<&str>) -> AnyView {
    match (remedy, session) {
        (Remedy::Start { name }, Some(session)) if name.as_str() == session => {
            let name = name.to_string();
            return (
                view! { <Act verb="start" label="Start now" class="button small" name=name /> },
                copied("or from a terminal:", remedy),
            )
                .into_any();
        }
        // The form with the message is beside the notice.
        (Remedy::Force, Some(session)) => {
            return view! {
                <button class="button small" type="submit" form=format!("say-{session}") name="force" value="true">
                    "Send anyway"
                </button>
            }
            .into_any();
        }
        _ => {}
    }
    match remedy {
        Remedy::Start { .. } => copied("Start it:", remedy),
        Remedy::Stop { .. } => copied("Stop it:", remedy),
        Remedy::Restart { .. } => copied("Restart it:", remedy),
        Remedy::Answer { .. } => "Answer the prompt above.".into_any(),
        Remedy::Force => "To send it anyway, use the button of the message box.".into_any(),
        Remedy::List | Remedy::Show { .. } => view! { <a href="/">"Show all sessions"</a> }.into_any(),
        Remedy::Look { .. } => copied("View its terminal (read-only):", remedy),
        Remedy::Attach { .. } => copied("Open its terminal:", remedy),
        Remedy::CloseAndStart { .. } => copied("Close it, then start the session:", remedy),
        Remedy::Restore { .. } => copied("Restore its record:", remedy),
        Remedy::Create { .. } => copied("Create it:", remedy),
        Remedy::Delete { .. } => copied("Delete it:", remedy),
        Remedy::Doctor => copied("Check this machine:", remedy),
        Remedy::RecreateSocket { .. } => copied("Recreate its socket:", remedy),
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

fn copied(label: &'static str, remedy: &Remedy) -> AnyView {
    remedy.command().map(|command| view! { <CopyLine label=label command=command /> }).into_any()
}

/// Adds a capital letter and a full stop to a phrase.
pub(crate) fn sentence(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}
