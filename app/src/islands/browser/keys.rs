//! Keyboard shortcuts, as listed in the panel under `?`.
//!
//! No key works while a text field has the focus, except Escape and Ctrl Enter. Digits answer only the prompt of the
//! focused row.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlFormElement, HtmlTextAreaElement, KeyboardEvent, ScrollIntoViewOptions};

use super::{
    around, chosen, clicks, dialogs, document, filter, first, focus, get, inside, menu, notify, page, pane, press,
    recall, row, send, side, target, unfold, window,
};

/// Handles a pressed key.
pub(super) fn key(event: &Event) {
    let (Some(key), Some(target)) = (event.dyn_ref::<KeyboardEvent>(), target(event)) else { return };
    if key.is_composing() || event.default_prevented() {
        return;
    }
    let name = key.key();
    let command = key.ctrl_key() || key.meta_key();
    if name == "Enter" && command && target.has_attribute("data-send") {
        let form = around(&target, "form").and_then(|form| form.dyn_into::<HtmlFormElement>().ok());
        if let Some(form) = form {
            let _ = form.request_submit();
            event.prevent_default();
        }
        return;
    }
    if name == "Escape" {
        if escape(&target) {
            event.prevent_default();
        }
        return;
    }
    let recalls = target.dyn_ref::<HtmlTextAreaElement>().is_some_and(|area| match &*name {
        "ArrowUp" => recall::earlier(area),
        "ArrowDown" => recall::later(area),
        _ => false,
    });
    if recalls {
        event.prevent_default();
        return;
    }
    let typing = target.matches("input, textarea, select, [contenteditable]").unwrap_or_default();
    if typing || command || key.alt_key() || dialogs::any_open() || first(":popover-open").is_some() {
        return;
    }
    let letter = name.chars().count() == 1;
    if letter && !notify::letter_keys() {
        return;
    }
    if anywhere(&name) || pane::key(&name) || (first("#list").is_some() && in_list(&name, key.shift_key(), &target)) {
        event.prevent_default();
    }
}

/// Runs the action of a key that works on every page; false if it has none.
fn anywhere(key: &str) -> bool {
    let element = match key {
        "/" => first("#filter-text"),
        "n" => first("#open-new, [data-opens=new]"),
        "?" => first("[popovertarget=keys]"),
        _ => return false,
    };
    if let Some(element) = &element {
        if key == "/" { focus(element) } else { press(element) }
    }
    element.is_some()
}

/// Runs the action of a key in the list; false if it has none.
fn in_list(key: &str, shift: bool, target: &Element) -> bool {
    let row = current();
    let on_name = target.matches(".row .name").unwrap_or_default();
    match (key, &row) {
        ("j" | "ArrowDown", _) => return step(1),
        ("k" | "ArrowUp", _) => return step(-1),
        ("Home", _) => return go(row::shown().first()),
        ("End", _) => return go(row::shown().last()),
        ("J", _) if shift => return next_that_needs(),
        ("Enter", Some(row)) if on_name => unfold::toggle(row),
        ("ArrowRight", Some(row)) if !row::is_open(row) => unfold::toggle(row),
        ("ArrowLeft", Some(row)) if row::is_open(row) => unfold::toggle(row),
        ("x", Some(row)) => chosen::toggle(row),
        ("X", Some(row)) if shift => chosen::up_to(row),
        ("o", Some(row)) => drop(window().location().set_href(&["/standing/", &get(row, "data-name")].concat())),
        ("m", Some(row)) => unfold::open_box(row),
        ("s", Some(row)) => {
            let runs = !matches!(&*get(row, "data-state"), "stopped" | "exited" | "not started");
            send::act(if runs { "stop" } else { "start" }, &get(row, "data-name"));
        }
        ("r", Some(row)) => send::act("restart", &get(row, "data-name")),
        ("c", Some(row)) => copy_attach(row),
        (".", Some(row)) => return inside(row, "[data-menu]").as_ref().map(menu::open).is_some(),
        (digit, Some(row)) if digit.len() == 1 && digit.as_bytes()[0].is_ascii_digit() => return answer(row, digit),
        _ => return false,
    }
    true
}

/// Presses the answer with this digit in the row's prompt, if it is in view.
fn answer(row: &Element, digit: &str) -> bool {
    let button = inside(row, &["button.answer[value=\"", digit, "\"]"].concat()).filter(super::is_laid_out);
    button.as_ref().map(press).is_some()
}

fn copy_attach(row: &Element) {
    let address = ["/app/menu/", &get(row, "data-name")].concat();
    spawn_local(async move {
        let Ok(html) = page::part(&address, None).await else { return };
        let command = super::parts::parsed(&html).and_then(|menu| {
            super::every_in(&menu, "[data-copy]").into_iter().find(|copy| get(copy, "data-copy").contains("attach"))
        });
        if let Some(command) = command {
            let _ = clicks::copy_text(&get(&command, "data-copy")).await;
        }
    });
}

/// Returns the focused session.
pub(super) fn current() -> Option<Element> {
    document().active_element().and_then(|active| around(&active, ".row"))
}

/// Moves the focus by a number of rows.
fn step(by: isize) -> bool {
    let shown = row::shown();
    let here = current().and_then(|current| shown.iter().position(|row| *row == current));
    let next = match here {
        Some(here) => here.checked_add_signed(by),
        None => Some(0),
    };
    go(next.and_then(|next| shown.get(next)))
}

fn next_that_needs() -> bool {
    let shown = row::shown();
    let here = current().and_then(|current| shown.iter().position(|row| *row == current));
    let needs = |row: &&Element| get(row, "data-group") == "needs";
    let after = here.map_or(0, |here| here + 1);
    let next = shown.iter().skip(after).find(needs).or_else(|| shown.iter().find(needs));
    go(next)
}

fn go(row: Option<&Element>) -> bool {
    let Some(row) = row else { return false };
    row::focus_name(row);
    let near = ScrollIntoViewOptions::new();
    near.set_block(web_sys::ScrollLogicalPosition::Nearest);
    row.scroll_into_view_with_scroll_into_view_options(&near);
    true
}

/// Goes one step back: closes the menu, leaves the message box, clears the filter or the selection, folds the row. Dialogs
/// and panels close on their own.
fn escape(target: &Element) -> bool {
    if dialogs::any_open() || first(":popover-open").is_some() {
        return false;
    }
    if let Some(open) = first("details.menu[open]") {
        clicks::close_menus(None);
        if let Some(button) = inside(&open, "summary") {
            focus(&button);
        }
        return true;
    }
    if target.id() == "filter-text" {
        filter::replace("");
        if !step(1) {
            super::press(target);
        }
        return true;
    }
    if side::close() {
        return true;
    }
    // From the message box of a session's page to its pane, where the keys of the page work.
    if let Some(screen) = first("#screen").filter(|_| around(target, ".dock").is_some()) {
        focus(&screen);
        return true;
    }
    if let Some(row) = around(target, ".row") {
        if !target.matches(".name").unwrap_or_default() {
            row::focus_name(&row);
            return true;
        }
        if chosen::clear() {
            return true;
        }
        if row::is_open(&row) && !row::are_few() {
            unfold::toggle(&row);
            return true;
        }
        return false;
    }
    chosen::clear()
}
