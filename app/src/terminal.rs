//! Page of a session's terminal. Its script, which the page alone loads, connects it; without scripts or without the
//! terminal, the page shows the command that attaches.

use ::standing::config::Settings;
use leptos::{nonce::use_nonce, prelude::*};
use wire::{Row, StandingApi as _, State};

use crate::{
    AppContext,
    screens::{Copy, Mark},
    shell::{Assets, Document, Nav},
};

/// Addresses of the files of the terminal.
#[derive(Clone, Debug)]
pub struct TerminalFiles {
    /// Module that connects the terminal.
    pub script: String,
    /// Style sheet of the terminal.
    pub stylesheet: String,
}

/// Data of the page of a terminal.
#[derive(Clone, Debug)]
pub struct TerminalPage {
    name: String,
    /// The command that attaches, while the session has a pane.
    attach: Option<String>,
    /// True if typing is possible and was chosen.
    write: bool,
    /// True if the config allows typing.
    may_write: bool,
    /// Files of the terminal, or the status of the page and the reason why it has none.
    files: Result<TerminalFiles, (u16, String)>,
}

impl TerminalPage {
    /// Returns the HTTP status of the page.
    pub fn status(&self) -> u16 {
        self.files.as_ref().err().map_or(200, |(status, _)| *status)
    }
}

/// Reads the data of the page. `files` are the files of the terminal, if the program contains them.
pub async fn load_terminal(
    context: &AppContext,
    name: &str,
    write: bool,
    files: Option<TerminalFiles>,
) -> TerminalPage {
    let config = context.config().await;
    let settings = &config.settings;
    let may_write = settings.routing.web_terminal.write;
    let found = context.engine().get(name).await;
    let attach = found.as_ref().ok().and_then(|row| attach(row, settings));
    let files = match (&found, files) {
        (Err(error), _) => Err((error.problem().status, format!("{error}."))),
        (Ok(_), _) if !settings.routing.web_terminal.enabled => {
            Err((404, "The terminal is off: set routing.webTerminal.enabled to true in the config.".to_owned()))
        }
        (Ok(_), None) => Err((404, "This program was built without the terminal.".to_owned())),
        (Ok(row), _) if row.state != State::Running => {
            Err((404, format!("{name} is {}. Only a running session has a terminal.", row.label())))
        }
        (Ok(_), Some(files)) => Ok(files),
    };
    TerminalPage { name: name.to_owned(), attach, write: write && may_write, may_write, files }
}

/// Returns the command that attaches without typing.
fn attach(row: &Row, settings: &Settings) -> Option<String> {
    let socket = &settings.routing.tmux.socket;
    let server = if socket.is_empty() { String::new() } else { format!(" -L {socket}") };
    let has_pane = matches!(
        row.state,
        State::Running | State::Starting | State::Stopping | State::Ended | State::Foreign | State::Unrecorded
    );
    has_pane.then(|| format!("tmux{server} attach -r -t '={}'", row.tmux_target))
}

/// Renders the document of a terminal.
#[component]
pub fn TerminalShell(
    /// Addresses of the files.
    assets: Assets,
    /// Data of the page.
    page: TerminalPage,
) -> impl IntoView {
    let title = format!("Terminal of {} · the-loop", page.name);
    view! {
        <Document assets=assets title=title current=Nav::Standing scripted_styles=page.files.is_ok()>
            <Terminal page=page.clone() />
        </Document>
    }
    .into_any()
}

#[component]
fn Terminal(page: TerminalPage) -> impl IntoView {
    let TerminalPage { name, attach, write, may_write, files } = page;
    let sheet = files.as_ref().ok().map(|files| view! { <link rel="stylesheet" href=files.stylesheet.clone() /> });
    let mode = (may_write && files.is_ok()).then(|| view! { <Mode name=name.clone() write=write /> });
    let session = format!("/standing/{name}");
    let body = match files {
        Ok(files) => view! { <Screen name=name.clone() write=write attach=attach script=files.script /> }.into_any(),
        Err((_, reason)) => view! {
            <p class="terminal-note">{reason}</p>
            <Command attach=attach />
        }
        .into_any(),
    };
    view! {
        {sheet}
        <main id="main" tabindex="-1" class="terminal-page" data-view="terminal">
            <header class="terminal-head">
                <a class="button quiet icon" href=session aria-label=format!("Back to {name}")>
                    <Mark name="back" />
                </a>
                <h1>{name.clone()}</h1>
                <p class="note" id="terminal-state" role="status">
                    {if write { "Terminal" } else { "Terminal, read-only" }}
                </p>
                {mode}
            </header>
            {body}
        </main>
    }
    .into_any()
}

/// Renders the link to the other mode.
#[component]
fn Mode(name: String, write: bool) -> impl IntoView {
    let (query, label) = if write { ("", "Read only") } else { ("?mode=write", "Type into it") };
    view! {
        <a class="button small" href=format!("/standing/{name}/terminal{query}")>
            {label}
        </a>
    }
    .into_any()
}

/// Renders the place of the terminal, and what its script needs.
#[component]
fn Screen(name: String, write: bool, attach: Option<String>, script: String) -> impl IntoView {
    let mode = if write { "write" } else { "read" };
    let socket = format!("/app/terminal/{name}?mode={mode}");
    view! {
        <noscript>
            <p class="terminal-note">"The terminal needs scripts."</p>
            <Command attach=attach />
        </noscript>
        <div class="terminal-closed" id="terminal-closed" role="alert" hidden=true>
            <p id="terminal-reason"></p>
            <button class="button small" type="button" id="terminal-again">
                "Reconnect"
            </button>
        </div>
        <div class="terminal" id="terminal" data-socket=socket data-mode=mode role="region" aria-label=format!("Terminal of {name}")></div>
        {write.then(|| view! { <Keys /> })}
        // Its nonce is also the nonce of the style elements that the terminal adds.
        <script type="module" src=script nonce=use_nonce() id="terminal-script"></script>
    }
    .into_any()
}

/// Renders keys that a phone does not have. The script knows what each sends.
#[component]
fn Keys() -> impl IntoView {
    const KEYS: [(&str, &str, &str); 8] = [
        ("esc", "Esc", "Escape"),
        ("tab", "Tab", "Tab"),
        ("ctrl", "Ctrl", "Ctrl, for the next key"),
        ("left", "←", "Left"),
        ("up", "↑", "Up"),
        ("down", "↓", "Down"),
        ("right", "→", "Right"),
        ("enter", "⏎", "Enter"),
    ];
    let key = |(key, text, label): (&'static str, &'static str, &'static str)| {
        let pressed = (key == "ctrl").then_some("false");
        view! {
            <button type="button" data-key=key aria-label=label aria-pressed=pressed>
                {text}
            </button>
        }
    };
    view! {
        <div class="terminal-keys" id="terminal-keys" role="group" aria-label="Keys">
            {KEYS.map(key).into_iter().collect_view()}
        </div>
    }
    .into_any()
}

#[component]
fn Command(attach: Option<String>) -> impl IntoView {
    attach.map(|command| {
        view! {
            <div class="terminal-note">
                <p>"To read it in a terminal:"</p>
                <Copy command=command />
            </div>
        }
        .into_any()
    })
}
