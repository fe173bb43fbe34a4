//! A stop that interrupts a turn waits for five seconds, in which it can be undone.

use std::cell::{Cell, RefCell};

use leptos::task::spawn_local;

use super::{announce, first, get, inside, mark, row, tell, wait};

/// Seconds in which a stop can be undone.
const SECONDS: u32 = 5;

thread_local! {
    /// Session whose stop is pending.
    static PENDING: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Counts the pending stops, so that an old one does nothing.
    static COUNT: Cell<u32> = const { Cell::new(0) };
}

/// True if a stop of the session would interrupt a turn.
pub(super) fn is_worth_it(name: &str) -> bool {
    let state = row::of(name).or_else(|| first("main[data-session]")).map(|shown| get(&shown, "data-state"));
    state.as_deref() == Some("working")
}

/// Stops a session in five seconds, by a function.
pub(super) fn stop(name: &str, run: fn(&str)) {
    // Another pending stop was meant as well.
    if let Some(other) = PENDING.replace(Some(name.to_owned())).filter(|other| other != name) {
        run(&other);
    }
    let count = COUNT.get() + 1;
    COUNT.set(count);
    announce(&["Stopping ", name, " in 5 seconds. Undo is available."].concat(), false);
    let name = name.to_owned();
    spawn_local(async move {
        for left in (1..=SECONDS).rev() {
            show(Some((&name, left)));
            wait(1_000).await;
            if COUNT.get() != count {
                return;
            }
        }
        PENDING.set(None);
        show(None);
        run(&name);
    });
}

/// Undoes the pending stop.
pub(super) fn undo() {
    COUNT.set(COUNT.get() + 1);
    let name = PENDING.take();
    show(None);
    if let Some(name) = name {
        announce(&[&name, " keeps running"].concat(), false);
        if let Some(row) = row::of(&name) {
            row::focus_name(&row);
        }
    }
}

fn show(pending: Option<(&str, u32)>) {
    let Some(toast) = first("#toast") else { return };
    mark(&toast, "hidden", pending.is_none());
    if let Some((name, left)) = pending {
        tell("#toast-text", &["Stopping ", name, " in ", &left.to_string(), " s"].concat());
        let button = (left == SECONDS).then(|| inside(&toast, "button")).flatten();
        if let Some(button) = button {
            super::focus(&button);
        }
    }
}
