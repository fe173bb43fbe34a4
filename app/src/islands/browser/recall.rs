//! Earlier messages of a session, recalled into its empty message box by the arrow keys.

use std::cell::RefCell;

use leptos::task::spawn_local;
use web_sys::{Element, HtmlTextAreaElement};

use super::{around, drafts, every_in, page, parts};

/// Messages of a session, newest first, and the one that is in the box.
struct Recalled {
    form: String,
    texts: Vec<String>,
    at: usize,
}

thread_local! {
    static RECALLED: RefCell<Option<Recalled>> = const { RefCell::new(None) };
}

/// Puts the message before the recalled one into the box, or the last one into an empty box. False if the box contains
/// another text.
pub(super) fn earlier(area: &HtmlTextAreaElement) -> bool {
    let Some((form, name)) = form_of(area) else { return false };
    if area.value().is_empty() {
        let area = area.clone();
        spawn_local(async move {
            let texts = kept(&form, &name).await;
            if let (true, Some(last)) = (area.value().is_empty(), texts.first()) {
                area.set_value(last);
                RECALLED.set(Some(Recalled { form, texts, at: 0 }));
            }
        });
        return true;
    }
    step(area, &form, |at| Some(at + 1))
}

/// Puts the message after the recalled one into the box, and empties it after the last. False if the box contains another
/// text.
pub(super) fn later(area: &HtmlTextAreaElement) -> bool {
    let Some((form, _)) = form_of(area) else { return false };
    step(area, &form, |at| at.checked_sub(1))
}

fn step(area: &HtmlTextAreaElement, form: &str, to: fn(usize) -> Option<usize>) -> bool {
    RECALLED.with_borrow_mut(|recalled| {
        let is_in_box = |recalled: &&mut Recalled| {
            recalled.form == form && recalled.texts.get(recalled.at).is_some_and(|text| *text == area.value())
        };
        let Some(recalled) = recalled.as_mut().filter(is_in_box) else { return false };
        match to(recalled.at) {
            None => area.set_value(""),
            Some(at) => {
                if let Some(text) = recalled.texts.get(at) {
                    area.set_value(text);
                    recalled.at = at;
                }
            }
        }
        true
    })
}

/// Returns the form of a message box and the name of its session.
fn form_of(area: &Element) -> Option<(String, String)> {
    let form = around(area, "form")?.id();
    let name = form.strip_prefix("say-")?.to_owned();
    Some((form, name))
}

/// Returns the messages that the service has kept; without any, the last one of this tab.
async fn kept(form: &str, name: &str) -> Vec<String> {
    let html = page::part(&["/app/sent/", name].concat(), None).await.unwrap_or_default();
    let items = parts::parsed(&html).map(|list| every_in(&list, "li")).unwrap_or_default();
    let texts: Vec<String> = items.iter().filter_map(|item| item.text_content()).collect();
    if texts.is_empty() { drafts::last_of(form).into_iter().collect() } else { texts }
}
