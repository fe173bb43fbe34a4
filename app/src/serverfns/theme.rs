//! Selects the light, dark or system theme.

use leptos::prelude::*;

use super::Back;

/// Stores the reader's theme in a cookie.
// The macro puts the attribute on several items, and only one of them needs it.
#[allow(clippy::unused_async, reason = "a server function is asynchronous by its form")]
#[server(name = ChooseTheme, prefix = "/app", endpoint = "view/theme")]
pub async fn theme(
    /// `system`, `light` or `dark`; any other value means `system`.
    #[server(default)]
    choice: String,
    /// Filter of the page afterwards.
    #[server(default)]
    back: Back,
) -> Result<(), ServerFnError> {
    use crate::{query::Query, theme::Theme};

    super::reply::keep_theme(Theme::parse(&choice));
    super::reply::see_other(&Query::plain(&back.into()).address());
    Ok(())
}
