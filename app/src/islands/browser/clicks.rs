//! Click handlers: links that open and close dialogs, copy buttons, and menus that close on an outside click.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Event, HtmlAnchorElement, HtmlDetailsElement, HtmlDialogElement, MouseEvent};

use super::{announce, around, change_query, dialogs, every, live, page, set_address, target, window};

/// Handles a click.
pub(super) fn click(event: &Event) {
    let Some(clicked) = target(event) else { return };
    close_menus(Some(&clicked));
    let plain = event.dyn_ref::<MouseEvent>().is_some_and(|mouse| {
        mouse.button() == 0 && !mouse.ctrl_key() && !mouse.meta_key() && !mouse.shift_key() && !mouse.alt_key()
    });
    if !plain {
        return;
    }
    if let Some(button) = around(&clicked, "[data-copy]") {
        copy(button);
    } else if let Some(link) = around(&clicked, "a[data-opens]") {
        event.prevent_default();
        close_menus(None);
        open(link);
    } else if let Some(link) = around(&clicked, "a[data-closes]") {
        let dialog = around(&link, "dialog").and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
        if let Some(dialog) = dialog {
            event.prevent_default();
            dialog.close();
        }
    }
}

/// Closes every menu except the one around this element.
pub(super) fn close_menus(but: Option<&Element>) {
    for menu in every("details.menu[open]") {
        if !menu.contains(but.map(AsRef::as_ref)) {
            menu.unchecked_into::<HtmlDetailsElement>().set_open(false);
        }
    }
}

fn open(link: Element) {
    let Ok(link) = link.dyn_into::<HtmlAnchorElement>() else { return };
    let id = link.get_attribute("data-opens").unwrap_or_default();
    // Every page contains the form for a new session, but not the deletion dialog.
    if let (Some(dialog), "new") = (dialogs::named(&id), &*id) {
        change_query(|query| query.set("new", ""));
        dialogs::show(&dialog);
        return;
    }
    spawn_local(async move {
        let page = match page::fetch(&link.href(), None).await {
            Ok(page) => page,
            Err(failure) => return live::failed(&failure),
        };
        page.show();
        set_address(&page.address);
        dialogs::follow(&page.document);
    });
}

fn copy(button: Element) {
    let text = button.get_attribute("data-copy").unwrap_or_default();
    spawn_local(async move {
        let copied = JsFuture::from(window().navigator().clipboard().write_text(&text)).await.is_ok();
        // The next refresh restores the button's own label.
        button.set_text_content(Some(if copied { "Copied" } else { "Select the text" }));
        announce(if copied { "Copied" } else { "Could not copy" }, false);
    });
}
