//! Placeholder.
use leptos::prelude::*;
pub(crate) fn attach() {}
pub(crate) fn watch_name(_: WriteSignal<(String, bool)>) {}
