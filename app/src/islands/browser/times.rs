//! Times in the reader's own zone and language, and ages that stay current.

use leptos::task::spawn_local;
use wasm_bindgen::JsValue;
use web_sys::{Element, js_sys::Date};

use super::{document, every, every_in, get, listen, root, view, wait};

/// Pause between two updates of the ages, in milliseconds.
const PAUSE: i32 = 5_000;

/// Keeps the times current while the page is in view.
pub(super) fn attach() {
    localise(&root());
    listen(&document(), "visibilitychange", |_| ages());
    spawn_local(async {
        loop {
            wait(PAUSE).await;
            if view::is_visible() {
                ages();
            }
        }
    });
}

fn ages() {
    let now = Date::now();
    // An age that goes on would claim that the state goes on.
    let is_old = root().has_attribute("data-stale");
    for time in every("time[data-ago]") {
        let then = Date::parse(&get(&time, "datetime"));
        let text = if is_old { clock(then) } else { lasted(((now - then) / 1000.0).max(0.0)) };
        if time.text_content().as_deref() != Some(&text) {
            time.set_text_content(Some(&text));
        }
    }
}

/// Formats a duration as the server does.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration in seconds is small")]
fn lasted(seconds: f64) -> String {
    let seconds = seconds as u32;
    let (count, unit) = match seconds {
        ..60 => (seconds, " s"),
        60..3_600 => (seconds / 60, " min"),
        3_600..172_800 => (seconds / 3_600, " h"),
        _ => (seconds / 86_400, " d"),
    };
    [&count.to_string(), unit].concat()
}

/// Shows the moments below an element in the reader's zone and language.
pub(super) fn localise(below: &Element) {
    for time in every_in(below, "time[data-clock]") {
        let text = clock(Date::parse(&get(&time, "datetime")));
        if time.text_content().as_deref() != Some(&text) {
            time.set_text_content(Some(&text));
        }
    }
    for time in every_in(below, "time[data-moment]") {
        let at = Date::parse(&get(&time, "datetime"));
        let today = Date::new(&JsValue::from_f64(at)).to_date_string() == Date::new_0().to_date_string();
        let text = if today { clock(at) } else { day(at) };
        if time.text_content().as_deref() != Some(&text) {
            time.set_text_content(Some(&text));
        }
    }
}

/// Formats a time of day, in hours and minutes.
pub(super) fn clock(at: f64) -> String {
    let options = web_sys::js_sys::Object::new();
    for (part, form) in [("hour", "2-digit"), ("minute", "2-digit"), ("hourCycle", "h23")] {
        let _ = web_sys::js_sys::Reflect::set(&options, &part.into(), &form.into());
    }
    let date = Date::new(&JsValue::from_f64(at));
    String::from(date.to_locale_time_string_with_options("default", &options))
}

fn day(at: f64) -> String {
    let options = web_sys::js_sys::Object::new();
    for (part, form) in [("day", "numeric"), ("month", "short")] {
        let _ = web_sys::js_sys::Reflect::set(&options, &part.into(), &form.into());
    }
    let date = Date::new(&JsValue::from_f64(at));
    String::from(date.to_locale_date_string("default", &options))
}
