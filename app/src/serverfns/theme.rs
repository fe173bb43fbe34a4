//! Light, dark, or as the system has it.

use leptos::prelude::*;

use super::Back;

/// Keeps the reader's choice of colours in a cookie.
// The macro puts the attribute on several items, and only one of them needs it.
#[allow(clippy::unused_async, reason = "a server function is asynchronous by its form")]
#[server(name = ChooseTheme, prefix = "/app", endpoint = "view/theme")]
pub async fn theme(
    /// `system`, `light` or `dark`; anything else is the system's choice.
    #[server(default)]
    choice: String,
    /// The sessions to show afterwards.
    #[server(default)]
    back: Back,
) -> Result<(), ServerFnError> {
    use crate::{query::Query, theme::Theme};

    super::reply::keep_theme(Theme::parse(&choice));
    super::reply::see_other(&Query::plain(&back.into()).address());
    Ok(())
}
