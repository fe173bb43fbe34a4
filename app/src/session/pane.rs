//! Pane of a session, line by line, and pages of its history.

use std::{fmt::Write as _, sync::Arc};

use ::standing::Error;
use leptos::prelude::*;
use wire::State;

use crate::{
    context::AppContext,
    screens::sentence,
    session::{ansi, head, load::SessionPage, prompt::first_line},
};

/// Renders the pane with its bar. The last screen of a closed pane stays.
#[component]
pub(crate) fn PaneBox(page: SessionPage) -> impl IntoView {
    let row = page.session.row;
    let name = row.name.clone();
    let terminal = (page.terminal && row.state == State::Running).then(|| format!("/standing/{name}/terminal"));
    let (view, trouble) = match page.pane {
        Ok(view) => (view, None),
        Err(trouble) => (None, Some(trouble)),
    };
    let mut shown = view.clone().unwrap_or_default();
    // The prompt is below the pane, once.
    let asks = first_line(&row, &shown);
    shown.lines.truncate(asks.map_or(usize::MAX, |asks| asks - shown.first));
    let nothing = view.is_none().then(|| {
        let reason = Some(&row.reason).filter(|reason| head::no_pane(row.state) && !reason.is_empty());
        let why = trouble.or_else(|| reason.map(|reason| sentence(reason)));
        let why = why.unwrap_or_else(|| no_pane(row.state).to_owned());
        view! { <p class="no-pane">{why}</p> }
    });
    let end = (view.is_some() && !shown.alive).then(|| {
        let reason = if row.reason.is_empty() { row.label().to_owned() } else { row.reason.clone() };
        view! { <p class="pane-end">{reason}</p> }
    });
    let size = view.as_ref().map(|view| format!("{} × {}", view.cols, view.rows));
    view! {
        <section
            class="tty"
            id="pane"
            aria-label="Pane"
            data-pane=name.clone()
            data-version=shown.version.to_string()
            data-first=shown.first.to_string()
            data-cols=shown.cols.to_string()
            data-alive=shown.alive.then_some("")
            data-asks=asks.map(|asks| asks.to_string())
        >
            <Bar terminal=terminal target=row.tmux_target size=size first=shown.first />
            <div class="screen" id="screen" tabindex="0" role="region" aria-label=format!("Screen of {name}")>
                {nothing}
                {end}
                <pre id="lines" inner_html=lines(shown.first, &shown.lines)></pre>
                <span class="ruler" id="ruler" aria-hidden="true"></span>
            </div>
            <button class="new-lines" id="new-lines" type="button" hidden=true></button>
        </section>
    }
    .into_any()
}

/// Returns the reason why a session in a state has no pane.
const fn no_pane(state: State) -> &'static str {
    match state {
        State::Absent => "Not started yet. Its pane appears here once it runs.",
        State::Orphaned => "The harness is running, but its pane was not found.",
        State::Unknown => "tmux did not answer.",
        State::Unreadable => "Its record could not be read.",
        _ => "No pane. The session is not running.",
    }
}

#[component]
fn Bar(terminal: Option<String>, target: String, size: Option<String>, first: usize) -> impl IntoView {
    let is_whole = first == 0;
    let terminal = terminal.map(|href| view! { <a href=href>"Open terminal"</a> });
    view! {
        <header>
            <code class="wide-only">{target}</code>
            <span id="pane-size">{size}</span>
            <span class="tty-acts">
                <button class="needs-script" id="follow" type="button" aria-pressed="true" aria-keyshortcuts="f">
                    <i></i>
                    "Following"
                </button>
                <button class="needs-script" id="scrollback" type="button" disabled=is_whole>
                    "Scrollback"
                </button>
                <button class="needs-script wide-only" id="fit" type="button" aria-pressed="false">
                    "Fit width"
                </button>
                <button class="needs-script" id="copy-pane" type="button">
                    "Copy"
                </button>
                {terminal}
            </span>
        </header>
    }
    .into_any()
}

/// Returns lines as HTML, each with its number. The text of the whole is that of the pane.
fn lines(first: usize, lines: &[Arc<str>]) -> String {
    let mut html = String::new();
    for (number, line) in (first..).zip(lines) {
        // Writing to a string never fails.
        let _ = writeln!(html, "<span id=\"l-{number}\">{}</span>", ansi::html(line));
    }
    html
}

/// Renders the lines of a session's history above the line with a number, up to 500 of them. `None` if the session has
/// no pane.
pub async fn scrollback_part(context: &AppContext, name: &str, before: usize) -> Result<Option<String>, Error> {
    let page = context.engine().scrollback(name, before).await?;
    Ok(page.map(|page| format!("<pre data-first=\"{}\">{}</pre>", page.first, lines(page.first, &page.lines))))
}
