//! Parts of the page that its scripts fetch alone: an unfolded row, a menu, earlier messages, a confirmation, a
//! notice.

use ::standing::timeline::{EntryKind, Kinds, TimelineQuery};
use leptos::prelude::*;
use wire::SessionName;

use crate::{
    context::AppContext,
    notices::Place,
    page::{Page, Session, load},
    query::Query,
    screens::{ConfirmForm, Menu, NoticeBox, row_html},
};

async fn page(context: &AppContext, query: Query) -> Page {
    load(context, query).await
}

/// Renders the row of a session, unfolded or not. `None` if the session does not exist.
pub async fn row_part(context: &AppContext, name: &str, open: bool) -> Option<String> {
    let page = page(context, Query::default()).await;
    let session = Session { open, ..page.session(name)?.clone() };
    Some(row_html(&session, &page.common).to_string())
}

/// Renders the menu of a session. `None` if the session does not exist.
pub async fn menu_part(context: &AppContext, name: &str) -> Option<String> {
    let page = page(context, Query::default()).await;
    let row = page.session(name)?.row.clone();
    let common = page.common.clone();
    Some(Owner::new().with(|| view! { <Menu row=row common=common /> }.to_html()))
}

/// Renders the texts of the messages to a session as a list, newest first, each once. `None` without a session of this
/// name.
pub async fn sent_part(context: &AppContext, name: &str) -> Option<String> {
    let name = SessionName::parse(name).ok()?;
    let query = TimelineQuery { kinds: Kinds::Messages, ..TimelineQuery::of(name) };
    let entries = context.engine().timeline(query).await.ok()?.entries;
    let mut texts: Vec<String> = Vec::new();
    // An answer is not a message, and a text that was cut would not be sent as it was.
    for entry in entries.into_iter().filter(|entry| entry.kind == EntryKind::Message && entry.cut_from.is_none()) {
        if let Some(text) = entry.text.filter(|text| !texts.contains(text)) {
            texts.push(text);
        }
    }
    let items = || texts.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
    Some(Owner::new().with(|| view! { <ol>{items()}</ol> }.to_html()))
}

/// Renders the confirmation that an address asks for. `None` if it asks for none, or for sessions that do not exist.
pub async fn confirm_part(context: &AppContext, query: Query) -> Option<String> {
    let page = page(context, query).await;
    let confirm = page.confirmed()?;
    Some(Owner::new().with(|| view! { <ConfirmForm page=page confirm=confirm /> }.to_html()))
}

/// Renders a notice with its place. `None` if it has expired.
pub fn notice_part(context: &AppContext, id: &str) -> Option<String> {
    let notice = context.notices().get(id)?;
    let id = id.to_owned();
    let (place, name) = match &notice.place {
        Place::Page => ("page", String::new()),
        Place::Create => ("create", String::new()),
        Place::Session(name) => ("session", name.clone()),
    };
    let key = uuid::Uuid::new_v4().simple().to_string();
    Some(Owner::new().with(|| {
        view! {
            <div data-place=place data-name=name data-key=key data-id=id>
                <NoticeBox notice=notice />
            </div>
        }
        .to_html()
    }))
}
