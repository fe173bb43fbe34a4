//! Sends a form without navigation: the same request as the browser's own, answered by the notice alone.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, FormData, HtmlFormElement, HtmlTextAreaElement, SubmitEvent, UrlSearchParams};

use super::{
    announce, around, change_query, dialogs, document, drafts, failure::Failure, filter, first, focus, get, inside,
    menu, page, parts, row, rows, set, stale, target, undo, unset,
};

/// Handles a form submitted by a button or a key.
pub(super) fn submit(event: &Event) {
    let Some(form) = target(event).and_then(|form| form.dyn_into::<HtmlFormElement>().ok()) else { return };
    let action = get(&form, "action");
    if form.has_attribute("data-filter") {
        event.prevent_default();
        filter::apply();
        return;
    }
    if !action.starts_with("/app/") {
        return;
    }
    event.prevent_default();
    let button = event.dyn_ref::<SubmitEvent>().and_then(SubmitEvent::submitter).map(Element::from);
    let Some(fields) = fields(&form, button.as_ref()) else { return };
    if stale::is_lost() && form.has_attribute("data-act") {
        announce("The service does not answer, so nothing was sent.", true);
        return;
    }
    let name = fields.get("name").unwrap_or_default();
    if get(&form, "data-act") == "stop" && undo::is_worth_it(&name) {
        menu::close();
        undo::stop(&name, stop);
        return;
    }
    let button = button.or_else(|| inside(&form, "button[type=submit]"));
    send(form, button, action, fields);
}

/// Runs a verb on a session, as its button would.
pub(super) fn act(verb: &str, name: &str) {
    if stale::is_lost() {
        announce("The service does not answer, so nothing was sent.", true);
    } else if verb == "stop" && undo::is_worth_it(name) {
        undo::stop(name, stop);
    } else {
        run(verb, name);
    }
}

fn stop(name: &str) {
    run("stop", name);
}

/// Runs a verb on a session at once.
fn run(verb: &str, name: &str) {
    let Ok(fields) = UrlSearchParams::new() else { return };
    fields.append("name", name);
    let action = ["/app/standing/", verb].concat();
    spawn_local(async move {
        match page::part(&action, Some(&fields)).await {
            Ok(html) => drop(shown(&html)),
            Err(failure) => failed(&failure),
        }
    });
}

fn send(form: HtmlFormElement, button: Option<Element>, action: String, fields: UrlSearchParams) {
    // The form is already sent and not answered yet.
    if form.has_attribute("aria-busy") {
        return;
    }
    set(&form, "aria-busy", "true");
    if let Some(button) = &button {
        set(button, "aria-busy", "true");
    }
    announce("", false);
    let whole = action == "/app/view/theme";
    spawn_local(async move {
        let sent = typed(&form);
        let answer =
            if whole { page::reloaded(&action, &fields).await } else { page::part(&action, Some(&fields)).await };
        unset(&form, "aria-busy");
        if let Some(button) = &button {
            unset(button, "aria-busy");
        }
        match answer {
            Ok(_) if whole => {}
            Ok(html) => arrived(&html, &form, &sent),
            Err(failure) => failed(&failure),
        }
    });
}

/// Returns the fields of the form, as the browser would send them.
fn fields(form: &HtmlFormElement, button: Option<&Element>) -> Option<UrlSearchParams> {
    let data = FormData::new_with_form(form).ok()?;
    let fields = UrlSearchParams::new_with_str_sequence_sequence(&data).ok()?;
    if let Some((button, name)) = button.and_then(|button| Some((button, button.get_attribute("name")?))) {
        fields.append(&name, &get(button, "value"));
    }
    Some(fields)
}

fn typed(form: &HtmlFormElement) -> String {
    let area = inside(form, "textarea").and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok());
    area.map(|area| area.value()).unwrap_or_default()
}

fn arrived(html: &str, form: &HtmlFormElement, sent: &str) {
    let Some(answer) = shown(html) else { return };
    if let (Some(old), false) = (inside(form, "[data-once]"), answer.key.is_empty()) {
        // The next content of the form is a new request. Without an answer the key stays, and the same text sent again
        // is typed once.
        set(&old, "value", &answer.key);
    }
    if !answer.failed {
        clear_mistakes();
        if form.has_attribute("data-clears") && typed(form) == sent {
            drafts::sent(&form.id(), sent);
            form.reset();
        }
        dialogs::close_around(form);
        if form.id() == "create-form" {
            rows::want_focus(&answer.name);
        }
    } else if answer.place != "create" {
        dialogs::close_around(form);
    }
    // A menu that was opened since stays open.
    if around(form, "#menu").is_some() {
        menu::close();
    }
    // The pressed button may be gone. A keyboard user continues at the same session, and never at another button.
    let lost = document().active_element().is_none_or(|active| around(&active, "main, header, dialog[open]").is_none());
    if let (true, Some(row)) = (lost, row::of(&answer.name)) {
        row::focus_name(&row);
    }
}

/// Answer of the server to a form.
struct Answer {
    place: String,
    name: String,
    key: String,
    failed: bool,
}

/// Shows a notice at its place, and returns what it says.
fn shown(html: &str) -> Option<Answer> {
    let part = parts::parsed(html).filter(|part| part.has_attribute("data-place"));
    let Some((part, notice)) = part.and_then(|part| Some((part.clone(), part.first_element_child()?))) else {
        failed(&page::unexpected());
        return None;
    };
    stale::answered();
    let (place, name) = (get(&part, "data-place"), get(&part, "data-name"));
    let own = match &*place {
        "create" => first("#notice-create"),
        "session" => document().get_element_by_id(&["receipt-", &name].concat()),
        _ => None,
    };
    let failed = get(&notice, "data-notice") == "failed";
    // The address keeps the answer over a reload.
    change_query(|query| query.set("notice", &get(&part, "data-id")));
    page::noticed(&get(&part, "data-id"));
    // The last answer counts: an older one of the same session, or without a row, says nothing any more.
    let older = document().get_element_by_id(&["receipt-", &name].concat());
    for slot in first("#notice-page").into_iter().chain(older) {
        slot.replace_children_with_node_0();
    }
    let slot = own.or_else(|| first("#notice-page"))?;
    slot.replace_children_with_node_1(&notice);
    if place == "create" && failed {
        mistakes(&slot);
    }
    let told = inside(&notice, ".said").and_then(|said| said.text_content()).unwrap_or_default();
    // An alert announces itself.
    if !failed {
        announce(&told, false);
    }
    Some(Answer { place, name, key: get(&part, "data-key"), failed })
}

/// Marks the fields that were refused, each with its reason below it, and goes to the first.
fn mistakes(slot: &Element) {
    clear_mistakes();
    let mut first_field = None;
    for mistake in super::every_in(slot, "[data-field]") {
        let Some(field) = document().get_element_by_id(&["new-", &get(&mistake, "data-field")].concat()) else {
            continue;
        };
        set(&field, "aria-invalid", "true");
        let place = document().get_element_by_id(&["wrong-", &get(&mistake, "data-field")].concat());
        if let Some(place) = place {
            place.replace_children_with_node_1(&mistake);
        }
        first_field.get_or_insert(field);
    }
    if let Some(field) = first_field {
        if let Some(more) = around(&field, "details") {
            set(&more, "open", "");
        }
        focus(&field);
    } else {
        slot.scroll_into_view_with_bool(false);
    }
}

fn clear_mistakes() {
    for field in super::every("#create-form [aria-invalid]") {
        unset(&field, "aria-invalid");
    }
    for place in super::every("#create-form .wrong") {
        place.replace_children_with_node_0();
    }
}

fn failed(failure: &Failure) {
    match failure {
        // The stream finds out whether the service is lost, or only this answer.
        Failure::Silent => {
            announce("The service did not answer, so it may not have done this. Your input is kept.", true);
        }
        Failure::SignedOut => {
            stale::failed(failure);
            announce("You are signed out, so nothing was sent. Sign in and send it again. Your input is kept.", true);
        }
        Failure::Refused(reason) | Failure::Gone(reason) => {
            stale::answered();
            announce(reason, true);
        }
    }
}
