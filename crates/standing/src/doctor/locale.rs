//! Check that programs write UTF-8. the-loop always calls tmux so that it does; an agent depends on the locale.

use wire::{Check, Finding};

use super::CheckContext;
use crate::Surroundings;

/// Variables that set the character encoding. The first one that is set decides.
pub(super) const VARIABLES: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

pub(super) fn check(patient: &CheckContext<'_>) -> Vec<Finding> {
    let (place, value) = in_force(&patient.context.surroundings);
    if is_utf8(&value) {
        return Vec::new();
    }
    let what = match place {
        "LANG" if value.is_empty() => {
            "no UTF-8 locale is set: agents may show `_` or `?` for non-English letters".to_owned()
        }
        _ => format!("the locale `{value}` is not UTF-8: agents may show `_` or `?` for non-English letters"),
    };
    let remedy = format!("set `{place}=C.UTF-8` or another UTF-8 locale where the-loop is started");
    vec![Finding::hazard(Check::Locale, format!("the variable {place}"), what, remedy)]
}

/// Returns the deciding variable and its value; `LANG` without a value if none is set.
pub(super) fn in_force(here: &Surroundings) -> (&'static str, String) {
    let set = |key: &'static str| here.var(key).map(|value| (key, value.to_string_lossy().into_owned()));
    VARIABLES.into_iter().find_map(set).unwrap_or(("LANG", String::new()))
}

pub(super) fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
