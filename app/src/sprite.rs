//! Marks and icons, drawn once in each page and used by reference.

use std::fmt::Write as _;

use leptos::prelude::*;

/// Names and drawings in a square of 16.
const DRAWINGS: [(&str, &str); 26] = [
    ("waiting", r#"<path d="M8 2.2 14.4 13.5H1.6ZM8 6.5v3.2M8 11.5v.3"/>"#),
    ("exited", r#"<path d="m3.5 3.5 9 9m0-9-9 9"/>"#),
    ("torn", r#"<path d="M8 1.8v3.4M8 10.8v3.4M1.8 8h3.4M10.8 8h3.4M6 6l4 4M10 6l-4 4"/>"#),
    ("foreign", r#"<path d="M3.5 7.5h9v6h-9ZM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2"/>"#),
    ("unknown", r#"<path d="M5.2 5.6c0-1.7 1.2-2.8 2.9-2.8s2.8 1 2.8 2.5c0 2.2-2.9 2.1-2.9 4.5M8 12.8v.4"/>"#),
    ("working", r#"<path d="M8 2a6 6 0 1 1-5.6 3.9"/>"#),
    ("idle", r#"<circle class="solid" cx="8" cy="8" r="4"/>"#),
    ("stopped", r#"<circle cx="8" cy="8" r="4.5"/>"#),
    ("limited", r#"<circle cx="8" cy="8" r="5.8"/><path d="M8 4.8V8l2.2 1.6"/>"#),
    ("key", r#"<circle cx="5.2" cy="10.8" r="3"/><path d="M7.4 8.6 13.5 2.5M10.8 5.2l2 2"/>"#),
    ("search", r#"<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>"#),
    (
        "bell",
        r#"<path d="M3.5 11.5h9c-1-1-1.3-2-1.3-4.2C11.2 5 10 3.5 8 3.5S4.8 5 4.8 7.3c0 2.2-.3 3.2-1.3 4.2ZM6.8 13.6h2.4M8 2v1.5"/>"#,
    ),
    ("theme", r#"<circle cx="8" cy="8" r="5.5"/><path class="solid" d="M8 2.5a5.5 5.5 0 0 1 0 11Z"/>"#),
    ("plus", r#"<path d="M8 3v10M3 8h10"/>"#),
    (
        "dots",
        r#"<g class="solid"><circle cx="3.2" cy="8" r="1.3"/><circle cx="8" cy="8" r="1.3"/><circle cx="12.8" cy="8" r="1.3"/></g>"#,
    ),
    ("down", r#"<path d="m4 6 4 4 4-4"/>"#),
    ("up", r#"<path d="m4 10 4-4 4 4"/>"#),
    ("back", r#"<path d="M10 3 5 8l5 5"/>"#),
    ("sort", r#"<path d="M2.5 4.5h11M4.5 8h7M6.5 11.5h3"/>"#),
    ("check", r#"<path d="m3 8.5 3.5 3.5L13 4.5"/>"#),
    ("close", r#"<path d="m4 4 8 8m0-8-8 8"/>"#),
    ("alert", r#"<circle cx="8" cy="8" r="6"/><path d="M8 4.8v3.6M8 10.8v.3"/>"#),
    ("list", r#"<path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1"/>"#),
    ("start", r#"<path class="solid" d="M5 3.5v9l7.5-4.5Z"/>"#),
    ("resume", r#"<path d="M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3"/>"#),
    ("events", r#"<path d="M1.5 8.5H4l2-5.5 3.5 10 2-4.5h3"/>"#),
];

/// Renders the drawings, invisible. Every page needs them once.
#[component]
pub(crate) fn Sprite() -> impl IntoView {
    let mut symbols = String::new();
    for (name, drawing) in DRAWINGS {
        let _ = write!(symbols, r#"<symbol id="i-{name}" viewBox="0 0 16 16">{drawing}</symbol>"#);
    }
    view! { <svg class="sprite" aria-hidden="true" inner_html=symbols></svg> }
}
