//! Document around every page: head, brand, navigation, and the policy that forbids scripts of other origin.

use http::{
    HeaderValue,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, VARY},
};
use leptos::{nonce::use_nonce, prelude::*};
use leptos_axum::ResponseOptions;

use crate::{
    islands::Enhance,
    page::Page,
    query::Query,
    screens::{BackFields, Screen, counts},
    serverfns::Back,
    theme::Theme,
};

/// Addresses of the files that the page needs.
#[derive(Clone, Debug)]
pub struct Assets {
    /// Names and folder of the WebAssembly half; `None` if there is none, and the page works without it.
    pub bundle: Option<LeptosOptions>,
    /// Address of the style sheet.
    pub stylesheet: Option<String>,
    /// Address of the icon.
    pub icon: Option<String>,
}

/// Renders one whole document.
#[component]
pub fn Shell(
    /// Addresses of the files.
    assets: Assets,
    /// Data of the page.
    page: Page,
) -> impl IntoView {
    let theme = Theme::of_request();
    let back = page.common.query.filter.back();
    let waiting = counts(page.sessions()).waiting;
    let title =
        if waiting > 0 { format!("({waiting}) Standing · the-loop") } else { "Standing · the-loop".to_owned() };
    protect();
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme.as_str()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                // Without a referrer a browser posts forms with `Origin: null`, which the host must refuse.
                <meta name="referrer" content="same-origin" />
                <title>{title}</title>
                {assets.icon.map(|icon| view! { <link rel="icon" href=icon type="image/svg+xml" /> })}
                {assets.stylesheet.map(|sheet| view! { <link rel="stylesheet" href=sheet /> })}
                {assets.bundle.map(|bundle| view! { <HydrationScripts options=bundle islands=true /> })}
            </head>
            <body>
                <a class="skip" href="#main">
                    "Skip to sessions"
                </a>
                <Top theme=theme back=back />
                <Outdated />
                <Screen page=page />
                <Keys />
                <Enhance />
            </body>
        </html>
    }
    .into_any()
}

/// Renders the reasons why the page may be out of date, one line each. The island selects the visible one.
#[component]
fn Outdated() -> impl IntoView {
    view! {
        <p class="offline" id="offline" role="status">
            <span class="spinner" aria-hidden="true"></span>
            "Reconnecting to the service… This page may be out of date."
        </p>
        // An empty address is that of the current page, so signing in returns to it.
        <p class="offline" id="signed-out" role="status">
            "You are signed out. This page may be out of date. Your input is kept. "
            <a href="">"Sign in"</a>
        </p>
        <p class="offline" id="refused" role="status"></p>
    }
    .into_any()
}

#[component]
fn Top(theme: Theme, back: Back) -> impl IntoView {
    view! {
        <header class="top">
            <a class="brand" href=Query::default().address() aria-label="the-loop, home">
                "the"
                <span class="dot" aria-hidden="true">
                    "·"
                </span>
                "loop"
            </a>
            <nav aria-label="Main">
                <a href="/#/standing" aria-current="page">
                    "Standing"
                </a>
                <a class="wide-only" href="/api/docs">
                    "API"
                </a>
            </nav>
            <div class="top-end">
                <ThemeSwitch theme=theme back=back />
                <button class="key-hint needs-script" type="button" popovertarget="keys" aria-label="Keyboard shortcuts">
                    <kbd>"?"</kbd>
                </button>
            </div>
        </header>
    }
    .into_any()
}

/// Renders three buttons that post; the current one is pressed.
#[component]
fn ThemeSwitch(theme: Theme, back: Back) -> impl IntoView {
    let choice = |one: Theme| {
        let sign = match one {
            Theme::System => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let pressed = if one == theme { "true" } else { "false" };
        view! {
            <button type="submit" name="choice" value=one.as_str() aria-pressed=pressed>
                {sign}
                <span class="visually-hidden">" colours"</span>
            </button>
        }
    };
    view! {
        <form class="theme" id="theme" method="post" action="/app/view/theme" aria-label="Colours">
            <BackFields back=back />
            {Theme::ALL.map(choice).into_iter().collect_view()}
        </form>
    }
    .into_any()
}

/// Renders the list of keyboard shortcuts, opened by `?`. Both need the island.
#[component]
fn Keys() -> impl IntoView {
    let row = |keys: &'static [&'static str], what: &'static str| {
        view! {
            <div>
                <dt>{keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view()}</dt>
                <dd>{what}</dd>
            </div>
        }
    };
    view! {
        <div class="keys" id="keys" popover="auto" role="dialog" aria-labelledby="keys-title">
            <h2 id="keys-title">"Keys"</h2>
            <dl>
                {row(&["/"], "Filter sessions")}
                {row(&["n"], "New session")}
                {row(&["j", "k"], "Next and previous session")}
                {row(&["m"], "Message the selected session")}
                {row(&["Ctrl", "↵"], "Send message")}
                {row(&["Esc"], "Close the dialog")}
                {row(&["?"], "Show keyboard shortcuts")}
            </dl>
        </div>
    }
    .into_any()
}

/// Sets the policy: only scripts of this origin and those with this response's nonce, no content from elsewhere, no
/// frames.
fn protect() {
    let Some(response) = use_context::<ResponseOptions>() else { return };
    let nonce = use_nonce().map(|nonce| format!(" 'nonce-{nonce}'")).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src 'self'{nonce} 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.insert_header(CONTENT_SECURITY_POLICY, policy);
    }
    response.insert_header(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.insert_header(VARY, HeaderValue::from_static("Cookie"));
}
