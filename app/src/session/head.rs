//! Head of a session's page: its state, its verbs, and the way to the sessions beside it.

use leptos::prelude::*;
use wire::{Row, State};

use crate::{
    look::Appearance,
    screens::{Act, CopyLine, DeleteItem, Mark, how},
    session::load::{SessionPage, Tab, Turn},
    when::{Ago, Moment},
};

/// Renders the head.
#[component]
pub(crate) fn Head(page: SessionPage) -> impl IntoView {
    let row = page.session.row.clone();
    let look = Appearance::of(&row);
    let about = (!row.description.is_empty()).then(|| {
        view! {
            <p class="desc" title=row.description.clone()>
                {row.description.clone()}
            </p>
        }
    });
    view! {
        <header class="session-head" id="session-head" data-state=look.word data-mark=look.mark>
            <a class="button quiet icon back" href="/#/standing" aria-label="All sessions">
                <Mark name="back" />
            </a>
            <Mark name=look.mark class="mark" />
            <h1>{row.name.clone()}</h1>
            <StateLine row=row.clone() word=look.word stale=page.session.stale />
            {about}
            <Acts row=row page=page.clone() />
            <button
                class="button quiet small open-side"
                type="button"
                id="open-side"
                aria-controls="side"
                aria-expanded="false"
                aria-keyshortcuts="i"
                data-own=""
            >
                "Details"
            </button>
            <Beside turn=page.turn />
        </header>
    }
    .into_any()
}

/// Renders the state and its time, and the reason where there is one.
#[component]
fn StateLine(row: Row, word: &'static str, stale: bool) -> impl IntoView {
    let since = row.since.clone();
    let until = row.blocked.as_ref().and_then(|blocked| blocked.until.clone());
    let time = match row.state {
        State::Running if until.is_some() => view! { " until " <Moment time=until.unwrap_or_default() /> }.into_any(),
        State::Unknown => view! { " as of " <Moment time=row.as_of.clone() /> }.into_any(),
        _ if since.is_empty() => ().into_any(),
        _ if stale => view! { " since " <Moment time=since /> }.into_any(),
        State::Stopped => view! { " " <Moment time=since /> }.into_any(),
        State::Ended => view! { " " {how(&row.reason)} ", " <Moment time=since /> }.into_any(),
        _ => view! { " " <Ago time=since /> }.into_any(),
    };
    // How it exited is said already, and what is wrong with the others is in the place of the pane.
    let said = matches!(row.state, State::Ended) && !row.since.is_empty() || no_pane(row.state);
    let evidence = row.blocked.as_ref().map(|blocked| blocked.evidence.clone());
    let reason = evidence.or_else(|| Some(row.reason.clone()).filter(|reason| !reason.is_empty() && !said));
    let reason = reason.map(|reason| format!(" · {reason}"));
    view! {
        <p class="state" title=row.reason>
            <b>{word}</b>
            {time}
            <span class="why">{reason}</span>
        </p>
    }
    .into_any()
}

/// Renders the verbs that would not be refused, and the menu.
#[component]
fn Acts(row: Row, page: SessionPage) -> impl IntoView {
    let name = row.name.clone();
    let class = if ends(&row) { "verbs quiet" } else { "verbs" };
    let act = |verb: &'static str, label: &'static str, class: &'static str| {
        view! { <Act verb=verb label=label class=class name=name.clone() /> }
    };
    let verbs = match row.state {
        State::Absent | State::Stopped | State::Ended => act("start", "Start", "button").into_any(),
        State::Running | State::Orphaned => {
            (act("restart", "Restart", "button quiet"), act("stop", "Stop", "button quiet")).into_any()
        }
        State::Stopping => act("stop", "Stop", "button quiet").into_any(),
        State::Starting => (act("start", "Start", "button quiet"), act("stop", "Stop", "button quiet")).into_any(),
        State::Foreign | State::Unrecorded | State::Unknown | State::Unreadable => ().into_any(),
    };
    view! {
        <div class="acts">
            <div class=class>{verbs}</div>
            <Menu row=row page=page />
        </div>
    }
    .into_any()
}

/// Renders the less common actions: attach, restore, delete.
#[component]
fn Menu(row: Row, page: SessionPage) -> impl IntoView {
    let (name, common) = (row.name.clone(), page.common);
    let attach = has_pane(&row).then(|| {
        let command = format!("{} attach -r -t '={}'", common.tmux, row.tmux_target);
        view! { <CopyLine label="View its terminal (read-only):" command=command /> }
    });
    let restore = (row.state == State::Unrecorded).then(|| {
        let command = format!("the-loop standing restore {name}");
        view! { <CopyLine label="Restore its record:" command=command /> }
    });
    let delete = view! { <DeleteItem row=row.clone() common=common.clone() /> };
    // The forms are beside the menu. A phone has no place for their buttons there.
    let verbs = ends(&row).then(|| {
        let item = |verb: &'static str, label: &'static str| {
            view! {
                <button class="item phone-item" type="submit" form=format!("{verb}-{name}")>
                    {label}
                </button>
            }
        };
        (item("restart", "Restart"), item("stop", "Stop"))
    });
    view! {
        <details class="menu" id=format!("menu-{name}")>
            <summary class="button quiet icon" aria-label=format!("More actions for {name}")>
                <Mark name="dots" />
            </summary>
            <div class="menu-panel">{verbs} {restore} {attach} {delete}</div>
        </details>
    }
    .into_any()
}

/// True if the verbs of the session end something. A phone has them in the menu.
fn ends(row: &Row) -> bool {
    row.running || row.state == State::Orphaned
}

/// True if the reason for the state is shown in the place of the pane.
pub(crate) const fn no_pane(state: State) -> bool {
    matches!(state, State::Orphaned | State::Unreadable | State::Foreign)
}

/// True if an operator can attach to the session.
pub(crate) fn has_pane(row: &Row) -> bool {
    matches!(
        row.state,
        State::Running | State::Starting | State::Stopping | State::Ended | State::Foreign | State::Unrecorded
    )
}

/// Renders the links to the sessions before and after this one.
#[component]
fn Beside(turn: Turn) -> impl IntoView {
    let Turn { number, all, before, after } = turn;
    let link = |name: Option<String>, rel: &'static str, mark: &'static str, word: &'static str, key: &'static str| {
        let Some(name) = name else {
            return view! {
                <span class="button quiet small icon" aria-hidden="true">
                    <Mark name=mark />
                </span>
            }
            .into_any();
        };
        view! {
            <a
                class="button quiet small icon"
                href=format!("/standing/{name}")
                rel=rel
                title=format!("{word} session: {name}")
                aria-label=format!("{word} session: {name}")
                aria-keyshortcuts=key
            >
                <Mark name=mark />
            </a>
        }
        .into_any()
    };
    view! {
        <nav class="turn" aria-label="Sessions">
            <span>{format!("{number} of {all}")}</span>
            {link(before, "prev", "up", "Previous", "k")}
            {link(after, "next", "down", "Next", "j")}
        </nav>
    }
    .into_any()
}

/// Renders the tabs of a phone.
#[component]
pub(crate) fn Tabs(name: String, tab: Tab) -> impl IntoView {
    let links = Tab::ALL.map(|one| {
        let (title, query) = match one {
            Tab::Pane => ("Pane", ""),
            Tab::Timeline => ("Timeline", "?tab=timeline"),
            Tab::About => ("About", "?tab=about"),
        };
        view! {
            <a href=format!("/standing/{name}{query}") aria-current=(one == tab).then_some("page") data-tab=one.as_str()>
                {title}
            </a>
        }
    });
    view! {
        <nav class="tabs" aria-label="Parts of the session">
            {links.into_iter().collect_view()}
        </nav>
    }
    .into_any()
}
