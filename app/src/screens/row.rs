//! Row of one session in the list: one line of aligned cells, unfolded to a card where someone can act.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Activity, Row, State};

use crate::{
    look::{Appearance, Group, has_prompt},
    notices::Place,
    page::{Common, Session},
    screens::{
        act::{Act, Acts},
        mark::Mark,
        notice::Slot,
        prompt::{Answers, Question},
        say_box::SayBox,
    },
    when::{Ago, Moment, seconds},
};

/// Renders a session. Folded rows contain no form, so the same text serves every reader.
#[component]
pub(crate) fn SessionRow(session: Session, common: Arc<Common>) -> impl IntoView {
    let Session { row, screen, stale, open } = session;
    let look = Appearance::of(&row);
    let name = row.name.clone();
    let source = if row.declared { "declared" } else { "created" };
    let class = match (open, look.group) {
        (true, _) => "row open",
        (false, Group::Needs) => "row acts",
        (false, _) => "row",
    };
    let directory = common.shown(&row.cwd);
    let used = (!stale).then_some((row.cpu, row.memory));
    let cpu = used.and_then(|(cpu, _)| cpu).map(|cpu| format!("{cpu} %"));
    let memory = used.and_then(|(_, memory)| memory).map(bytes);
    let about = Some(row.description.clone()).filter(|about| !about.is_empty());
    let asks = !open && has_prompt(&row);
    let up = is_up(&row).then(|| view! { <Ago time=row.started_at.clone() /> });
    view! {
        <li
            class=class
            id=format!("session-{name}")
            data-name=name.clone()
            data-state=look.word
            data-mark=look.mark
            data-group=look.group.as_str()
            data-rank=look.rank(&row)
            data-since=seconds(&row.since).map(|since| since.to_string())
            data-source=source
            data-about=about
        >
            <Mark name=look.mark class="mark" />
            <a class="name" href=format!("/standing/{name}") title=(name.len() > LONG).then(|| name.clone())>
                {cut(&name)}
            </a>
            <StateCell row=row.clone() word=look.word stale=stale />
            <LastCell row=row.clone() screen=screen.clone() open=open />
            <span class="fact harness">{row.harness.clone()}</span>
            <code class="fact dir" title=row.cwd.clone()>{directory}</code>
            <span class="fact num cpu">{cpu}</span>
            <span class="fact num mem">{memory}</span>
            <span class="fact num">{up}</span>
            <button class="dots needs-script" type="button" tabindex="-1" data-menu=name.clone() aria-label=format!("Actions for {name}")>
                <Mark name="dots" />
            </button>
            {open.then(|| view! { <More row=row.clone() screen=screen common=common.clone() /> })}
            {asks.then(|| view! { <FoldedAnswers row=row.clone() /> })}
        </li>
    }
    .into_any()
}

/// Renders the answers of a folded row. A phone shows those of the longest wait, and a button in the place of the others.
#[component]
fn FoldedAnswers(row: Row) -> impl IntoView {
    let name = row.name.clone();
    view! {
        <div class="more" id=format!("more-{name}")>
            <a class="button small later" href=format!("/standing/{name}") data-unfold=name.clone()>
                "Answer…"
                <span class="visually-hidden">" " {name.clone()}</span>
            </a>
            <Answers row=row small=true />
        </div>
    }
    .into_any()
}

/// Number of characters of a name that have place.
const LONG: usize = 20;

/// Cuts a long name in its middle, since names often differ at their ends.
fn cut(name: &str) -> String {
    if name.len() <= LONG {
        return name.to_owned();
    }
    // Names are ASCII.
    let half = (LONG - 1) / 2;
    format!("{}…{}", &name[..=half], &name[name.len() - half..])
}

/// True if the harness of a session is running, as far as is known.
fn is_up(row: &Row) -> bool {
    matches!(
        row.state,
        State::Running | State::Starting | State::Stopping | State::Orphaned | State::Unrecorded | State::Unknown
    ) && !row.started_at.is_empty()
}

/// Formats a size in memory, at most four characters and the unit.
pub(crate) fn bytes(bytes: u64) -> String {
    const MEGA: u64 = 1_000_000;
    match bytes / MEGA {
        mega @ ..1_000 => format!("{mega} MB"),
        mega => format!("{}.{} GB", mega / 1_000, mega % 1_000 / 100),
    }
}

#[component]
fn StateCell(row: Row, word: &'static str, stale: bool) -> impl IntoView {
    let since = row.since.clone();
    let until = row.blocked.as_ref().and_then(|blocked| blocked.until.clone());
    let time = match (row.state, until) {
        (_, Some(until)) if row.activity != Activity::Waiting => view! { " until " <Moment time=until /> }.into_any(),
        (State::Unknown, _) => view! { " as of " <Moment time=row.as_of.clone() /> }.into_any(),
        _ if since.is_empty() => ().into_any(),
        _ if stale => view! { " since " <Moment time=since /> }.into_any(),
        (State::Stopped, _) => view! { " " <Moment time=since /> }.into_any(),
        (State::Ended, _) => view! { " " {how(&row.reason)} ", " <Moment time=since /> }.into_any(),
        _ => view! { " " <Ago time=since /> }.into_any(),
    };
    let reason = (row.state == State::Ended && row.since.is_empty()).then(|| format!(" {}", how(&row.reason)));
    view! {
        <p class="state" title=(!row.reason.is_empty()).then(|| row.reason.clone())>
            <b>{word}</b>
            {time}
            {reason}
        </p>
    }
    .into_any()
}

/// Returns how a session exited, without the word that stands before it.
pub(crate) fn how(reason: &str) -> String {
    reason.trim_start_matches("it ").trim_start_matches("exited ").replacen("with status ", "code ", 1)
}

/// Renders what the session shows: its prompt, its last words, or the reason for its state.
#[component]
fn LastCell(row: Row, screen: Option<String>, open: bool) -> impl IntoView {
    if has_prompt(&row) {
        return view! { <Question row=row /> }.into_any();
    }
    if let Some(blocked) = &row.blocked {
        return view! { <p class="last why">{blocked.evidence.clone()}</p> }.into_any();
    }
    let trouble =
        matches!(row.state, State::Orphaned | State::Unrecorded | State::Unreadable | State::Foreign | State::Unknown);
    if trouble {
        return view! { <p class="last why" title=(!row.reason.is_empty()).then(|| row.reason.clone())>{row.reason.clone()}</p> }.into_any();
    }
    if row.state == State::Ended && !open {
        let words = screen.as_deref().map_or_else(|| row.last_line.clone(), |screen| tail(screen, 2));
        return view! {
            <div class="inline">
                <pre class="words">{words}</pre>
                <Act verb="start" label="Start" class="button small" name=row.name />
            </div>
        }
        .into_any();
    }
    if matches!(row.state, State::Stopped | State::Absent) && !open {
        return view! {
            <div class="inline">
                <p class="last desc">{row.description}</p>
                <Act verb="start" label="Start" class="button small" name=row.name />
            </div>
        }
        .into_any();
    }
    // An unfolded row shows its description here, since its pane is below.
    let (class, text) = if open { ("last desc", row.description) } else { ("last", row.last_line) };
    view! { <p class=class>{text}</p> }.into_any()
}

/// Returns the last lines of a text.
fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// Renders what an unfolded row contains: the pane, the prompt, the message box and the common actions.
#[component]
fn More(row: Row, screen: Option<String>, common: Arc<Common>) -> impl IntoView {
    let name = row.name.clone();
    let excerpt = screen.map(|text| view! { <Excerpt name=name.clone() text=text /> });
    let asks = has_prompt(&row);
    // The ID keeps its element, with what is typed in it, when a prompt beside it opens or closes.
    view! {
        <div class="more" id=format!("more-{name}")>
            {(!asks).then_some(excerpt)}
            {asks.then(|| view! { <Answers row=row.clone() small=false /> })}
            <SayBox row=row.clone() common=common.clone() />
            <div class="after">
                <Slot id=format!("receipt-{name}") notice=common.notice_at(&Place::Session(name.clone())) />
                <div class="acts">
                    <a class="button small quiet" href=format!("/standing/{name}")>
                        "Open page"
                        <kbd class="needs-script" aria-hidden="true">"o"</kbd>
                        <span class="visually-hidden">" of " {name.clone()}</span>
                    </a>
                    <Acts row=row />
                </div>
            </div>
        </div>
    }
    .into_any()
}

/// Renders the last lines of the pane, anchored at their end.
#[component]
pub(crate) fn Excerpt(name: String, text: String) -> impl IntoView {
    view! {
        <div class="excerpt" id=format!("excerpt-{name}") role="region" aria-label=format!("Last output of {name}")>
            <pre>{text}</pre>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(cut("release-watch"), "release-watch");
        let long = "customer-import-dry-run-eu-2";
        assert_eq!(cut(long), "customer-i…-run-eu-2");
        assert_eq!(cut(long).chars().count(), LONG);
    }

    #[test]
    fn an_exit_is_said_once_and_short() {
        assert_eq!(how("exited with status 1"), "code 1");
        assert_eq!(how("killed by SIGKILL"), "killed by SIGKILL");
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(bytes(999_400_000), "999 MB");
        assert_eq!(bytes(1_250_000_000), "1.2 GB");
        assert_eq!(bytes(40), "0 MB");
    }
}
