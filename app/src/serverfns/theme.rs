//! Selects the light, dark or system theme.

use leptos::prelude::*;

/// Stores the reader's theme in a cookie.
// The macro puts the attribute on several items, and only one of them needs it.
#[allow(clippy::unused_async, reason = "a server function is asynchronous by its form")]
#[server(name = ChooseTheme, prefix = "/app", endpoint = "view/theme")]
pub async fn theme(
    /// `system`, `light` or `dark`; any other value means `system`.
    #[server(default)]
    choice: String,
) -> Result<(), super::Failure> {
    use super::{reply, way_back};
    use crate::{notices::Place, theme::Theme};

    reply::keep_theme(Theme::parse(&choice));
    let parts = use_context::<http::request::Parts>();
    reply::see_other(&way_back::to_page(parts.as_ref(), &Place::Create, None));
    Ok(())
}
