//! Sends a form without navigation: the same request as the browser's own, and then the resulting page.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, FormData, HtmlDetailsElement, HtmlFormElement, HtmlTextAreaElement, SubmitEvent, Url,
    UrlSearchParams,
};

use super::{
    announce, around, change_query, dialogs, document, filter, first, focus, live,
    page::{self, Failure, Fetched},
    set, set_address, target, unset,
};

/// Handles a form submitted by a button or a key.
pub(super) fn submit(event: &Event) {
    let Some(form) = target(event).and_then(|form| form.dyn_into::<HtmlFormElement>().ok()) else { return };
    event.prevent_default();
    if form.has_attribute("data-filter") {
        filter::apply();
        return;
    }
    let button = event.dyn_ref::<SubmitEvent>().and_then(SubmitEvent::submitter).map(Element::from);
    let Some(button) = button.or_else(|| form.query_selector("button[type=submit]").ok().flatten()) else { return };
    let Some(fields) = fields(&form, &button) else { return };
    let pressed = shown(button);
    // The form is already sent and not answered yet.
    if pressed.has_attribute("aria-busy") {
        return;
    }
    set(&pressed, "aria-busy", "true");
    announce("", false);
    // The button may be gone when the answer arrives, since the page is refreshed meanwhile.
    let card = around(&pressed, "article");
    spawn_local(async move {
        let address = form.get_attribute("action").unwrap_or_default();
        let sent = typed(&form);
        let answer = page::fetch(&address, Some(&fields)).await;
        unset(&pressed, "aria-busy");
        match answer {
            Ok(page) => arrived(&page, &form, &sent, card),
            Err(failure) => failed(&failure),
        }
    });
}

/// Returns the fields of the form, as the browser would send them.
fn fields(form: &HtmlFormElement, button: &Element) -> Option<UrlSearchParams> {
    let data = FormData::new_with_form(form).ok()?;
    let fields = UrlSearchParams::new_with_str_sequence_sequence(&data).ok()?;
    if let Some(name) = button.get_attribute("name") {
        fields.append(&name, &button.get_attribute("value").unwrap_or_default());
    }
    Some(fields)
}

/// Returns the button that shows progress: in a menu, which closes, the menu's own button.
fn shown(button: Element) -> Element {
    let Some(menu) = around(&button, "details.menu") else { return button };
    if let Some(menu) = menu.dyn_ref::<HtmlDetailsElement>() {
        menu.set_open(false);
    }
    menu.query_selector("summary").ok().flatten().unwrap_or(button)
}

fn typed(form: &HtmlFormElement) -> String {
    let area = form.query_selector("textarea").ok().flatten();
    area.and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok()).map(|area| area.value()).unwrap_or_default()
}

fn arrived(page: &Fetched, form: &HtmlFormElement, sent: &str, card: Option<Element>) {
    live::answered();
    renew_key(form, page);
    if let Some(dialog) = around(form, "dialog") {
        set_address(&page.address);
        dialogs::settle(&dialog, &page.document);
    } else if let Some(id) = Url::new(&page.address).ok().and_then(|url| url.search_params().get("notice")) {
        // The filter may have been changed, or a dialog opened, since the button was pressed.
        change_query(|query| query.set("notice", &id));
    }
    page.show();
    let notice = notice(page);
    let told = notice.as_ref().and_then(|notice| notice.query_selector("p").ok().flatten());
    announce(&told.and_then(|told| told.text_content()).unwrap_or_default(), false);
    let failed = notice.as_ref().is_some_and(|notice| notice.get_attribute("data-notice").as_deref() == Some("failed"));
    // Text typed since then is not discarded.
    if !failed && form.has_attribute("data-clears") && typed(form) == sent {
        form.reset();
    }
    // The pressed button may be gone. A keyboard user continues at the same session.
    let lost = document().active_element().is_none_or(|active| around(&active, "main, header").is_none())
        || first("dialog:not([open]) :focus").is_some();
    let card = card.or_else(|| around(notice.as_ref()?, "article"));
    if let (true, Some(card)) = (lost, card) {
        let button = card.query_selector(".acts button").ok().flatten();
        focus(button.as_ref().unwrap_or(&card));
    }
}

/// Renews the key of an answered form: its next content is a new request. Without an answer the key stays, and the same
/// text sent again is typed once.
fn renew_key(form: &HtmlFormElement, page: &Fetched) {
    let key = |form: &Element| form.query_selector("[data-once]").ok().flatten();
    let new = page.document.get_element_by_id(&form.id()).and_then(|form| key(&form)?.get_attribute("value"));
    if let (Some(old), Some(new)) = (key(form), new) {
        set(&old, "value", &new);
    }
}

/// Returns the new page's notice, at its position in the open page. Older receipts do not count.
fn notice(page: &Fetched) -> Option<Element> {
    let place = page.document.query_selector("[data-notice]").ok().flatten()?.parent_element()?;
    document().get_element_by_id(&place.id())?.first_element_child()
}

fn failed(failure: &Failure) {
    match failure {
        Failure::Silent => {
            live::failed(failure);
            announce("The service did not answer, so it may not have done this. Your input is kept.", true);
        }
        Failure::SignedOut => {
            live::failed(failure);
            announce("You are signed out, so nothing was sent. Sign in and send it again. Your input is kept.", true);
        }
        Failure::Refused(reason) => {
            live::answered();
            announce(reason, true);
        }
    }
}
