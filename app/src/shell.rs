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
    screens::{Mark, Screen},
    sprite::Sprite,
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
    /// Address of the manifest, with which a browser installs the page.
    pub manifest: Option<String>,
}

/// Page of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nav {
    /// The list of sessions, and the page of one session.
    Standing,
    /// The event log.
    Events,
}

/// How often a reader without scripts gets the page again: every ten seconds or never. With the address that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refresh {
    /// The page does not change, or a form is open.
    Never,
    Often {
        hold: String,
    },
    /// The reader writes.
    Held {
        resume: String,
    },
}

/// Renders the page with the list of sessions.
#[component]
pub fn Shell(
    /// Addresses of the files.
    assets: Assets,
    /// Data of the page.
    page: Page,
) -> impl IntoView {
    let title = page.summary().title();
    let query = &page.common.query;
    let refresh = match (query.hold, query.new || query.confirm.is_some()) {
        (_, true) => Refresh::Never,
        (true, _) => Refresh::Held { resume: Query { hold: false, ..query.plain() }.address() },
        (false, _) => Refresh::Often { hold: Query { hold: true, ..query.plain() }.address() },
    };
    view! {
        <Document assets=assets title=title current=Nav::Standing refresh=refresh version=page.version.to_string()>
            <Screen page=page.clone() />
        </Document>
    }
    .into_any()
}

/// Renders a document around the content of a page.
#[component]
pub(crate) fn Document(
    assets: Assets,
    #[prop(into)] title: String,
    current: Nav,
    #[prop(default = Refresh::Never)] refresh: Refresh,
    /// Version of the content, from which the stream of the page continues; empty for a page without a stream.
    #[prop(into, optional)]
    version: String,
    /// True if a script of the page adds style elements, which then carry the nonce of the response.
    #[prop(optional)]
    scripted_styles: bool,
    children: Children,
) -> impl IntoView {
    let theme = Theme::of_request();
    protect(scripted_styles);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme.as_str() data-version=version>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                // Without a referrer a browser posts forms with `Origin: null`, which the host must refuse.
                <meta name="referrer" content="same-origin" />
                {matches!(refresh, Refresh::Often { .. })
                    .then(|| {
                        view! {
                            <noscript>
                                <meta http-equiv="refresh" content="10" />
                            </noscript>
                        }
                    })}
                <title>{title}</title>
                {assets
                    .icon
                    .map(|icon| view! { <link rel="icon" href=icon type="image/svg+xml" id="icon" /> })}
                // Behind a sign-in, the browser needs its cookie for it.
                {assets
                    .manifest
                    .map(|manifest| view! { <link rel="manifest" href=manifest crossorigin="use-credentials" /> })}
                <meta name="theme-color" content="#f6f6f2" media="(prefers-color-scheme: light)" />
                <meta name="theme-color" content="#131418" media="(prefers-color-scheme: dark)" />
                {assets.stylesheet.map(|sheet| view! { <link rel="stylesheet" href=sheet /> })}
                {assets.bundle.map(|bundle| view! { <HydrationScripts options=bundle islands=true /> })}
            </head>
            <body>
                <Sprite />
                <a class="skip" href="#main">
                    "Skip to content"
                </a>
                <Top theme=theme current=current />
                <Outdated />
                <Refreshing refresh=refresh />
                {children()}
                <ThumbBar current=current />
                <Keys />
                <div class="menu-panel" id="menu" popover="auto" role="dialog" aria-label="Actions"></div>
                <div class="toast" id="toast" hidden=true>
                    <span id="toast-text"></span>
                    <button class="button small" type="button" id="undo-stop">
                        "Undo"
                    </button>
                </div>
                <Enhance />
            </body>
        </html>
    }
    .into_any()
}

/// Tells a reader without scripts that the page is fetched again, which empties a message box.
#[component]
fn Refreshing(refresh: Refresh) -> impl IntoView {
    let (text, link, href) = match refresh {
        Refresh::Never => return ().into_any(),
        Refresh::Often { hold } => {
            ("This page is loaded again every 10 seconds.", "Pause that to write a message", hold)
        }
        Refresh::Held { resume } => ("This page is not loaded again on its own.", "Resume that", resume),
    };
    view! {
        <noscript>
            <p class="refreshing">
                {text} " " <a href=href>{link}</a>
            </p>
        </noscript>
    }
    .into_any()
}

/// Renders the reasons why the page may be out of date, one line each. The island selects the visible one.
#[component]
fn Outdated() -> impl IntoView {
    view! {
        <p class="offline" id="offline" role="status">
            <span class="spinner" aria-hidden="true"></span>
            <span>
                "The service does not answer since " <span id="offline-since"></span>
                ". Rows show the last known state. Your input is kept."
            </span>
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
fn Top(theme: Theme, current: Nav) -> impl IntoView {
    let here = |nav: Nav| (nav == current).then_some("page");
    view! {
        <header class="top">
            <a class="brand" href=Query::default().address() aria-label="the-loop, home">
                "the"
                <span class="dot" aria-hidden="true">
                    "·"
                </span>
                "loop"
            </a>
            <nav aria-label="Main" class="wide-only">
                <a href="/#/standing" aria-current=here(Nav::Standing)>
                    "Standing"
                </a>
                <a href="/events" aria-current=here(Nav::Events)>
                    "Events"
                </a>
                <a href="/api/docs">"API"</a>
            </nav>
            <div class="top-end">
                <span class="live needs-script" id="live" title="Changes are shown as they happen">
                    <i></i>
                    <span id="live-word">"live"</span>
                </span>
                <button class="button quiet icon needs-script" type="button" popovertarget="notify" aria-label="Notifications">
                    <Mark name="bell" />
                </button>
                <ThemeSwitch theme=theme />
                <button
                    class="button quiet icon needs-script wide-only"
                    type="button"
                    popovertarget="keys"
                    aria-label="Keyboard shortcuts"
                    aria-keyshortcuts="?"
                >
                    <kbd>"?"</kbd>
                </button>
            </div>
        </header>
        <Notify />
    }
    .into_any()
}

/// Renders the navigation of a phone, at the edge where the thumb is.
#[component]
fn ThumbBar(current: Nav) -> impl IntoView {
    let here = |nav: Nav| (nav == current).then_some("page");
    let new = Query { new: true, ..Query::default() };
    view! {
        <nav class="thumb-bar" aria-label="Pages">
            <a href="/#/standing" aria-current=here(Nav::Standing)>
                <Mark name="list" />
                "Standing"
            </a>
            <a href="/events" aria-current=here(Nav::Events)>
                <Mark name="events" />
                "Events"
            </a>
            <a href="/#filter" data-focus="filter-text">
                <Mark name="search" />
                "Filter"
            </a>
            <a class="button filled" href=new.address() data-opens="new" aria-label="New session">
                <Mark name="plus" />
            </a>
        </nav>
    }
    .into_any()
}

/// Renders the choice of notifications. The browser asks for permission only after the button.
#[component]
fn Notify() -> impl IntoView {
    let choice = |value: &'static str, label: &'static str, checked: bool| {
        view! {
            <label>
                <input type="checkbox" data-notify=value checked=checked />
                {label}
            </label>
        }
    };
    view! {
        <div class="sheet small" id="notify" popover="auto" role="dialog" aria-labelledby="notify-title">
            <h2 id="notify-title">"Notifications"</h2>
            <p class="note">"Shown while no tab with this page is in view, once for each time that a session"</p>
            <fieldset>
                <legend class="visually-hidden">"Notify when a session"</legend>
                {choice("needs", "waits for an answer", true)}
                {choice("exited", "exits", true)}
                {choice("running", "is running again", false)}
            </fieldset>
            <p class="note" id="notify-state" role="status"></p>
            <button class="button small" type="button" id="notify-on">
                "Turn on notifications"
            </button>
            <button class="button small quiet" type="button" id="notify-off" hidden=true>
                "Turn off"
            </button>
        </div>
    }
    .into_any()
}

/// Renders one button that posts the next theme.
#[component]
fn ThemeSwitch(theme: Theme) -> impl IntoView {
    let next = theme.next();
    view! {
        <form class="theme wide-only" id="theme" method="post" action="/app/view/theme">
            <button
                class="button quiet icon"
                type="submit"
                name="choice"
                value=next.as_str()
                title=format!("Colours: {}", theme.title())
                aria-label=format!("Colours: {}. Change to {}", theme.title(), next.title())
            >
                <Mark name="theme" />
            </button>
        </form>
    }
    .into_any()
}

/// A shortcut: what it does, and its keys.
type Shortcut = (&'static str, &'static [&'static str]);

/// Shortcuts in groups, each with its title.
const KEYS: [(&str, &[Shortcut]); 5] = [
    ("Anywhere", &[("Filter", &["/"]), ("New session", &["n"]), ("One step back", &["Esc"]), ("This help", &["?"])]),
    (
        "List",
        &[
            ("Move", &["↑", "↓", "j", "k"]),
            ("First, last", &["Home", "End"]),
            ("Next that needs you", &["Shift J"]),
            ("Unfold, fold", &["→", "←", "Enter"]),
            ("Select", &["x"]),
            ("Select up to here", &["Shift X"]),
        ],
    ),
    (
        "Focused session",
        &[
            ("Open its page", &["o"]),
            ("Message", &["m"]),
            ("Answer its prompt", &["1", "…", "9"]),
            ("Start or stop", &["s"]),
            ("Restart", &["r"]),
            ("Copy the attach command", &["c"]),
            ("All actions", &["."]),
        ],
    ),
    (
        "Message box",
        &[("Send", &["Ctrl Enter"]), ("Earlier messages, in an empty box", &["↑"]), ("Back to the row", &["Esc"])],
    ),
    (
        "Session page",
        &[("Next, previous session", &["j", "k"]), ("Follow the pane", &["f"]), ("About and timeline", &["i"])],
    ),
];

/// Renders the list of keyboard shortcuts, opened by `?`. Both need the island.
#[component]
fn Keys() -> impl IntoView {
    let group = |(title, keys): (&'static str, &'static [Shortcut])| {
        let rows = keys.iter().map(|(what, keys)| {
            view! {
                <div>
                    <dt>{*what}</dt>
                    <dd>{keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view()}</dd>
                </div>
            }
        });
        view! {
            <section>
                <h3>{title}</h3>
                <dl>{rows.collect_view()}</dl>
            </section>
        }
    };
    view! {
        <div class="sheet" id="keys" popover="auto" role="dialog" aria-labelledby="keys-title">
            <header>
                <h2 id="keys-title">"Keyboard"</h2>
                <button class="button quiet icon" type="button" popovertarget="keys" popovertargetaction="hide" aria-label="Close">
                    <Mark name="close" />
                </button>
            </header>
            <div class="body" tabindex="0" role="group" aria-label="Shortcuts">{KEYS.map(group).into_iter().collect_view()}</div>
            <footer>
                <label>
                    <input type="checkbox" role="switch" id="letter-keys" checked=true />
                    "Single-letter keys"
                </label>
                <p class="note">"Off: only arrows, Enter, Esc and Tab"</p>
            </footer>
        </div>
    }
    .into_any()
}

/// Sets the policy: only scripts of this origin and those with this response's nonce, no content from elsewhere, no
/// frames.
fn protect(scripted_styles: bool) {
    let Some(response) = use_context::<ResponseOptions>() else { return };
    let nonce = use_nonce().map(|nonce| format!(" 'nonce-{nonce}'")).unwrap_or_default();
    let styles = if scripted_styles { nonce.as_str() } else { "" };
    let policy = format!(
        "default-src 'none'; script-src 'self'{nonce} 'wasm-unsafe-eval'; style-src 'self'{styles}; img-src 'self'; \
         manifest-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.insert_header(CONTENT_SECURITY_POLICY, policy);
    }
    response.insert_header(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.insert_header(VARY, HeaderValue::from_static("Cookie"));
}
