//! Click handlers: links that open and close dialogs, chips, rows, menus and copy buttons.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Element, Event, HtmlAnchorElement, HtmlDetailsElement, HtmlDialogElement, HtmlInputElement, HtmlTextAreaElement,
    MouseEvent,
};

use super::{
    announce, around, bar, change_query, chosen, dialogs, document, every, filter, first, focus, get, groups, menu,
    morph, notify, row, rows, set, side, target, tell, undo, unfold, window,
};

/// Handles a click.
pub(super) fn click(event: &Event) {
    let Some(clicked) = target(event) else { return };
    // A control that took the place of another is not meant yet.
    if around(&clicked, "button, summary, a.button").is_some_and(|control| morph::is_new(&control)) {
        event.prevent_default();
        event.stop_propagation();
        return;
    }
    close_menus(Some(&clicked));
    let plain = event.dyn_ref::<MouseEvent>().filter(|mouse| {
        mouse.button() == 0 && !mouse.ctrl_key() && !mouse.meta_key() && !mouse.shift_key() && !mouse.alt_key()
    });
    if plain.is_some_and(|mouse| bar::clicked(&clicked, mouse) || handled(&clicked)) {
        event.prevent_default();
    }
}

/// Handles a click by what was clicked; false if the browser has to.
fn handled(clicked: &Element) -> bool {
    let at = |selector: &str| around(clicked, selector);
    if let Some(button) = at("[data-copy]") {
        copy(button);
    } else if let Some(button) = at("[data-menu]") {
        menu::open(&button);
    } else if let Some(chip) = at("a[data-chip]") {
        filter::toggle(&get(&chip, "data-chip"));
    } else if at("[data-clear]").is_some() {
        filter::replace("");
        if let Some(field) = first("#filter-text") {
            focus(&field);
        }
    } else if let Some(link) = at("a[data-order]") {
        order(&link);
    } else if at("[data-fold]").is_some() {
        groups::toggle_stopped();
    } else if let Some(button) = at("[data-selected]") {
        chosen::act(&get(&button, "data-selected"));
    } else if let Some(link) = at("a[data-focus]") {
        let Some(field) = document().get_element_by_id(&get(&link, "data-focus")) else { return false };
        focus(&field);
    } else if let Some(link) = at("a[data-opens]") {
        return opened(&link);
    } else if let Some(dialog) = at("a[data-closes]").and_then(|link| around(&link, "dialog")) {
        let Ok(dialog) = dialog.dyn_into::<HtmlDialogElement>() else { return false };
        dialog.close();
    } else if let Some(button) = at("button.again") {
        again(&button);
    } else if at("#open-side").is_some() {
        side::go();
    } else if let Some(link) = at("[data-unfold]") {
        unfold::open(&get(&link, "data-unfold"));
    } else if let Some(button) = at("[data-fill]") {
        fill(&button);
    } else if at("#undo-stop").is_some() {
        undo::undo();
    } else if notify::clicked(clicked) {
    } else if let Some(row) =
        at(".row").filter(|_| at("a, button, input, textarea, select, label, pre, .more").is_none())
    {
        if !has_selection() {
            unfold::toggle(&row);
            row::focus_name(&row);
        }
    } else {
        return false;
    }
    true
}

/// True if the reader is selecting text, which ends with a click.
fn has_selection() -> bool {
    window().get_selection().ok().flatten().is_some_and(|selection| !selection.is_collapsed())
}

/// Puts the text of a message into the box of its session, to be sent again. Without a box, leads to the session.
fn again(button: &Element) {
    let name = get(button, "data-of");
    let field = document().get_element_by_id(&["text-", &name].concat());
    let Some(field) = field.and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok()) else {
        let _ = window().location().set_href(&["/standing/", &name].concat());
        return;
    };
    field.set_value(&get(button, "data-again"));
    focus(&field);
}

/// Puts the suggested value of a button into its field.
fn fill(button: &Element) {
    let field = document().get_element_by_id(&get(button, "data-into"));
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok()) {
        field.set_value(&get(button, "data-fill"));
        super::unset(&field, "aria-invalid");
        if let Some(mistake) = around(button, ".mistake") {
            mistake.remove();
        }
        focus(&field);
    }
}

fn order(link: &Element) {
    let order = get(link, "data-order");
    for other in every("a[data-order]") {
        super::unset(&other, "aria-current");
    }
    set(link, "aria-current", "true");
    tell("#order-now", &link.text_content().unwrap_or_default());
    change_query(|query| if order == "urgency" { query.delete("order") } else { query.set("order", &order) });
    rows::sort(&order);
    close_menus(None);
}

/// Closes every menu except the one around this element.
pub(super) fn close_menus(but: Option<&Element>) {
    for menu in every("details.menu[open]") {
        if !menu.contains(but.map(AsRef::as_ref)) {
            menu.unchecked_into::<HtmlDetailsElement>().set_open(false);
        }
    }
}

/// Opens the dialog of a link; false if this page does not have it.
fn opened(link: &Element) -> bool {
    let id = get(link, "data-opens");
    let Some(dialog) = dialogs::named(&id) else { return false };
    let address = link.dyn_ref::<HtmlAnchorElement>().map(HtmlAnchorElement::href).unwrap_or_default();
    menu::close();
    if id == "confirm" {
        dialogs::confirm(&address);
    } else {
        dialogs::show(&dialog, &address);
    }
    true
}

fn copy(button: Element) {
    let text = get(&button, "data-copy");
    spawn_local(async move {
        let copied = copy_text(&text).await;
        button.set_text_content(Some(if copied { "Copied" } else { "Select the text" }));
        super::wait(1_500).await;
        button.set_text_content(Some("Copy"));
    });
}

/// Puts a text into the clipboard.
pub(super) async fn copy_text(text: &str) -> bool {
    let copied = JsFuture::from(window().navigator().clipboard().write_text(text)).await.is_ok();
    announce(if copied { "Copied" } else { "Could not copy" }, false);
    copied
}
