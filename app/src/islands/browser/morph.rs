//! Makes a part of the open document equal to a part of a new one, and changes only the differences.
//!
//! Elements with the same ID are the same element and keep their node, with its typed text, selection, open state and
//! focus. Invariant: the focused node is never removed from the document; others are moved around it.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlTextAreaElement, Node};

use super::{document, every_in, has_focus, set, unset, wait, window};

/// Attributes that the reader controls and the server does not.
const OURS: [&str; 10] = [
    "open",
    "aria-busy",
    "aria-invalid",
    "aria-selected",
    "data-hydrated",
    "data-chosen",
    "data-drawer",
    "data-moves",
    "data-mode",
    "data-new",
];

/// Attribute of a control that has just come into the page. It takes no press, since it may have taken the place of
/// another.
const NEW: &str = "data-new";
/// Time in milliseconds for which a control is new.
const REACTION: i32 = 500;

/// Makes `old` equal to `new`, except for parts in use by the reader, and for the keys of forms without an answer.
pub(super) fn morph(old: &Element, new: &Element) {
    let left_alone = old.matches("leptos-island, dialog:modal, [data-once], [data-own]").unwrap_or_default();
    if left_alone || old.is_equal_node(Some(new)) || is_selected(old) {
        return;
    }
    // A receipt stays until another one replaces it.
    if old.has_attribute("data-keep") && new.child_element_count() == 0 {
        return;
    }
    renew(old, new);
}

/// Makes `old` equal to `new`, including parts in use by the reader.
pub(super) fn renew(old: &Element, new: &Element) {
    attributes(old, new);
    children(old, new);
}

/// True if a field contains a value that did not come from the server.
pub(super) fn is_dirty(element: &Element) -> bool {
    if let Some(area) = element.dyn_ref::<HtmlTextAreaElement>() {
        return area.default_value().is_ok_and(|value| value != area.value());
    }
    let input = element.dyn_ref::<HtmlInputElement>();
    input.is_some_and(|input| input.value() != input.default_value())
}

/// True if the reader is selecting text in the element. A change would undo the selection.
fn is_selected(element: &Element) -> bool {
    element.tag_name() == "PRE"
        && window()
            .get_selection()
            .ok()
            .flatten()
            .is_some_and(|selection| !selection.is_collapsed() && element.contains(selection.anchor_node().as_ref()))
}

fn attributes(old: &Element, new: &Element) {
    for name in new.get_attribute_names().iter().filter_map(|name| name.as_string()) {
        let value = new.get_attribute(&name);
        if !OURS.contains(&&*name) && value != old.get_attribute(&name) {
            set(old, &name, &value.unwrap_or_default());
        }
    }
    for name in old.get_attribute_names().iter().filter_map(|name| name.as_string()) {
        if !OURS.contains(&&*name) && !new.has_attribute(&name) {
            unset(old, &name);
        }
    }
}

fn children(old: &Element, new: &Element) {
    // Position of the next child: all nodes before it are finished.
    let mut cursor = old.first_child();
    let mut wanted = new.first_child();
    while let Some(child) = wanted {
        wanted = child.next_sibling();
        if let Some(same) = find(cursor.as_ref(), &child) {
            bring(old, cursor.as_ref(), &same);
            cursor = same.next_sibling();
            update(&same, &child);
        } else if let Ok(copy) = document().import_node_with_deep(&child, true) {
            let _ = old.insert_before(&copy, cursor.as_ref());
            if let Some(element) = copy.dyn_ref::<Element>() {
                date(element);
            }
        }
    }
    while let Some(rest) = cursor {
        cursor = rest.next_sibling();
        let _ = old.remove_child(&rest);
    }
}

/// Marks the controls in a new element, for a moment.
fn date(element: &Element) {
    let selector = "button, summary, a.button";
    let mut controls = every_in(element, selector);
    if element.matches(selector).unwrap_or_default() {
        controls.push(element.clone());
    }
    if controls.is_empty() {
        return;
    }
    for control in &controls {
        set(control, NEW, "");
    }
    spawn_local(async move {
        wait(REACTION).await;
        for control in &controls {
            unset(control, NEW);
        }
    });
}

/// True if a control came into the page so recently that a press is meant for what was there before.
pub(super) fn is_new(control: &Element) -> bool {
    control.has_attribute(NEW)
}

/// Finds the node that corresponds to `new` among the unfinished ones.
fn find(cursor: Option<&Node>, new: &Node) -> Option<Node> {
    let id = id(new);
    let same = |node: &Node| node.node_name() == new.node_name() && self::id(node) == id;
    let mut next = cursor.cloned();
    while let Some(node) = next {
        if same(&node) {
            return Some(node);
        }
        next = node.next_sibling();
    }
    None
}

/// Moves a node of the same parent to the cursor.
fn bring(parent: &Element, cursor: Option<&Node>, node: &Node) {
    let focused = node.dyn_ref::<Element>().is_some_and(has_focus);
    if !focused {
        if cursor != Some(node) {
            let _ = parent.insert_before(node, cursor);
        }
        return;
    }
    // The focused node cannot move, so the nodes before it go to the end. A later step finds them there.
    let mut before = cursor.cloned();
    while let Some(other) = before.filter(|other| other != node) {
        before = other.next_sibling();
        let _ = parent.append_child(&other);
    }
}

fn update(old: &Node, new: &Node) {
    if let (Some(old), Some(new)) = (old.dyn_ref::<Element>(), new.dyn_ref::<Element>()) {
        morph(old, new);
    } else if old.node_value() != new.node_value() {
        old.set_node_value(new.node_value().as_deref());
    }
}

fn id(node: &Node) -> String {
    node.dyn_ref::<Element>().map(Element::id).unwrap_or_default()
}
