//! Tells those who do not look: the title and the icon of the tab, one polite announcement, and on request the
//! browser's own notifications.

use std::cell::{Cell, RefCell};

use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Event, HtmlInputElement, Notification, NotificationOptions, NotificationPermission, Storage};

use super::{announce, document, every, first, get, listen, mark, set, tabs, target, tell, view, wait, window};

/// Pause in which changes are gathered to one announcement, in milliseconds.
const GATHER: i32 = 2_000;

/// Key of the choice of notifications in the browser's storage: the chosen kinds, or nothing.
const CHOICE: &str = "notify";
/// Key of the choice of single-letter keys: `off`, or nothing.
const LETTERS: &str = "letter-keys";

thread_local! {
    /// Sentences that wait for an announcement.
    static SENTENCES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static GATHERING: Cell<bool> = const { Cell::new(false) };
}

/// Shows the choices of this browser, and follows them.
pub(super) fn attach() {
    listen(&document(), "change", chosen);
    if let Some(letters) = input("#letter-keys") {
        letters.set_checked(letter_keys());
    }
    if let Some(kinds) = stored(CHOICE) {
        for kind in every("[data-notify]") {
            if let Some(input) = kind.dyn_ref::<HtmlInputElement>() {
                input.set_checked(kinds.contains(&get(&kind, "data-notify")));
            }
        }
    }
    show_choice();
    if let Some(summary) = first("#summary") {
        counted(&summary);
    }
}

/// True if single letters are shortcuts.
pub(super) fn letter_keys() -> bool {
    stored(LETTERS).as_deref() != Some("off")
}

fn chosen(event: &Event) {
    let Some(input) = target(event).and_then(|field| field.dyn_into::<HtmlInputElement>().ok()) else { return };
    if input.id() == "letter-keys" {
        store(LETTERS, if input.checked() { None } else { Some("off") });
    } else if input.has_attribute("data-notify") && stored(CHOICE).is_some() {
        store(CHOICE, Some(&kinds()));
    }
}

/// Handles a click on a button of the choice; false for any other element.
pub(super) fn clicked(element: &Element) -> bool {
    match &*element.id() {
        "notify-on" => spawn_local(async {
            if let Ok(asked) = Notification::request_permission() {
                let _ = JsFuture::from(asked).await;
            }
            if Notification::permission() == NotificationPermission::Granted {
                store(CHOICE, Some(&kinds()));
            }
            show_choice();
        }),
        "notify-off" => {
            store(CHOICE, None);
            show_choice();
        }
        _ => return false,
    }
    true
}

fn kinds() -> String {
    let chosen = every("[data-notify]").into_iter().filter_map(|kind| kind.dyn_into::<HtmlInputElement>().ok());
    let kinds: Vec<String> = chosen.filter(HtmlInputElement::checked).map(|kind| get(&kind, "data-notify")).collect();
    // A choice of nothing is still a choice.
    [&kinds.join(" "), " "].concat()
}

fn is_on() -> bool {
    stored(CHOICE).is_some() && is_supported() && Notification::permission() == NotificationPermission::Granted
}

fn is_supported() -> bool {
    web_sys::js_sys::Reflect::has(&window(), &"Notification".into()).unwrap_or_default()
}

fn show_choice() {
    let on = is_on();
    for (button, hidden) in [("#notify-on", on), ("#notify-off", !on)] {
        if let Some(button) = first(button) {
            mark(&button, "hidden", hidden);
        }
    }
    let denied = is_supported() && Notification::permission() == NotificationPermission::Denied;
    let state = if !is_supported() {
        "This browser shows no notifications for this address."
    } else if denied {
        "The browser blocks notifications for this address. Allow them in its settings."
    } else if on {
        "Notifications are on."
    } else {
        ""
    };
    tell("#notify-state", state);
}

/// Shows in the title and the icon how many sessions need someone.
pub(super) fn counted(summary: &Element) {
    let needs = get(summary, "data-needs");
    let some = !needs.is_empty() && needs != "0";
    let title = document().title();
    let plain = title.split_once(") ").map_or(title.as_str(), |(_, plain)| plain);
    let title = if some { ["(", &needs, ") ", plain].concat() } else { plain.to_owned() };
    if document().title() != title {
        document().set_title(&title);
    }
    let Some(icon) = first("#icon") else { return };
    let address = get(&icon, "href");
    let plain = address.replace("favicon-needs.svg", "favicon.svg");
    let wanted = if some { plain.replace("favicon.svg", "favicon-needs.svg") } else { plain };
    if address != wanted {
        set(&icon, "href", &wanted);
    }
}

/// Tells that a session has another state.
pub(super) fn turned(row: &Element, before: &str) {
    let (name, state) = (get(row, "data-name"), get(row, "data-state"));
    let (kind, sentence) = match &*state {
        "waiting" => ("needs", [&name, " waits for you"].concat()),
        "exited" => ("exited", [&name, " exited"].concat()),
        _ if get(row, "data-group") == "needs" => ("needs", [&name, ": ", &state].concat()),
        _ if get(row, "data-group") == "running" && matches!(before, "exited" | "stopped" | "not started") => {
            ("running", [&name, " is running"].concat())
        }
        _ => return,
    };
    notify(kind, &sentence, &name, &[&name, "-", &state, "-", &get(row, "data-since")].concat());
    if kind != "running" {
        gather(sentence);
    }
}

/// Announces what happened in the last two seconds, in one sentence.
fn gather(sentence: String) {
    SENTENCES.with_borrow_mut(|sentences| sentences.push(sentence));
    if GATHERING.replace(true) {
        return;
    }
    spawn_local(async {
        wait(GATHER).await;
        GATHERING.set(false);
        let sentences = SENTENCES.take();
        let Some(first) = sentences.first() else { return };
        let text = match sentences.len() - 1 {
            0 => first.clone(),
            more => [first, ", and ", &more.to_string(), " more"].concat(),
        };
        announce(&text, false);
    });
}

/// Shows a notification, unless a tab is in view. The tag is that of the episode, so it is shown once.
fn notify(kind: &str, sentence: &str, name: &str, tag: &str) {
    let wanted = stored(CHOICE).is_some_and(|kinds| kinds.split(' ').any(|one| one == kind));
    if !wanted || !is_on() || !tabs::is_reader() || view::any_visible() {
        return;
    }
    let options = NotificationOptions::new();
    options.set_tag(tag);
    let Ok(notification) = Notification::new_with_options(sentence, &options) else { return };
    let address = ["/standing/", name].concat();
    let open = Closure::<dyn FnMut(Event)>::new(move |_: Event| {
        let _ = window().focus();
        let _ = window().location().set_href(&address);
    });
    notification.set_onclick(Some(open.into_js_value().unchecked_ref()));
}

fn input(selector: &str) -> Option<HtmlInputElement> {
    first(selector)?.dyn_into().ok()
}

/// Returns the storage of the browser; none if the browser blocks it.
fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

fn store(key: &str, value: Option<&str>) {
    let Some(storage) = storage() else { return };
    let _ = match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    };
}
