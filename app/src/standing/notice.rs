//! What came of an act, beside the thing it concerns.

use leptos::prelude::*;

use crate::notices::{Notice, Tone};

/// The place for a notice, empty or not, so that the page keeps its shape when one comes.
#[component]
pub(crate) fn Slot(
    /// Its id in the document.
    #[prop(into)]
    id: String,
    /// What stands there, if anything.
    notice: Option<Notice>,
    /// Stays in an open page until something else takes its place (a receipt does).
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
    let quote = (!notice.quote.is_empty()).then(|| view! { <q>{notice.quote}</q> " " });
    view! {
        <div class="notice" role=role data-notice=notice.tone.as_str()>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
                <path d=mark />
            </svg>
            <p>{quote} <span class="said">{notice.text}</span> " " <span class="at">{notice.at}</span></p>
        </div>
    }
    .into_any()
}
