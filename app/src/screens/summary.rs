//! Counts of the sessions by state: chips that filter, the bar of marks, headings and the title.

use leptos::prelude::*;

use crate::{
    counts::{Count, Summary},
    filter::{Filter, toggled},
    look::Group,
    query::Query,
    screens::mark::Mark,
};

/// Renders the heading of the page.
#[component]
pub(crate) fn Heading(summary: Summary) -> impl IntoView {
    let needs = summary.of_group(Group::Needs);
    view! {
        <h1 class="visually-hidden" id="summary" data-needs=needs.to_string()>
            {summary.sentence()}
        </h1>
    }
}

/// Renders a chip for each state that a session has. A chip adds its state to the filter, or removes it.
#[component]
pub(crate) fn Chips(summary: Summary, query: Query) -> impl IntoView {
    let filter = Filter::parse(&query.filter);
    let chips = summary.counts.into_iter().map(|count| {
        let pressed = filter.selects(count.word);
        let target = Query { filter: toggled(&query.filter, count.word), ..query.plain() };
        view! {
            <li>
                <a
                    class="chip"
                    href=target.address()
                    data-chip=count.word
                    data-mark=count.mark
                    aria-current=pressed.then_some("true")
                >
                    <Mark name=count.mark />
                    <b>{count.sessions}</b>
                    <span>{count.word}</span>
                </a>
            </li>
        }
    });
    view! {
        <ul class="chips" id="chips" aria-label="States">
            {chips.collect_view()}
        </ul>
    }
    .into_any()
}

/// Number of sessions below which the list itself is short enough.
const BAR_FROM: usize = 20;

/// Renders one cell for each session, in the order of the list: its height says how much it needs a person.
#[component]
pub(crate) fn Bar(summary: Summary) -> impl IntoView {
    let Summary { counts, all } = summary.clone();
    let shown = all >= BAR_FROM;
    let mut from = 0;
    let runs = counts.into_iter().map(|Count { mark, word, group, sessions }| {
        let (start, end) = (from, from + sessions);
        from = end;
        let height = match (group, mark) {
            (Group::Needs, _) => 16,
            (_, "working") => 10,
            (Group::Stopped, _) => 2,
            _ => 5,
        };
        view! {
            <line
                class="run"
                data-mark=mark
                data-chip=word
                x1=(start * CELL).to_string()
                x2=(end * CELL).to_string()
                y1=(18 - height / 2).to_string()
                y2=(18 - height / 2).to_string()
                stroke-width=height.to_string()
                stroke-dasharray="7 1"
            ></line>
        }
    });
    let width = all * CELL;
    let runs = shown.then(|| runs.collect_view());
    view! {
        <div class="bar" id="bar" role="img" aria-label=format!("{}, in the order of the list", summary.words()) hidden=!shown>
            <svg viewBox=format!("0 0 {width} 18") width=width.to_string() height="18" preserveAspectRatio="none">
                {runs}
            </svg>
            <span class="bar-name" id="bar-name" hidden=true></span>
        </div>
    }
    .into_any()
}

/// Width of a cell of the bar.
const CELL: usize = 8;

/// Renders the heading of a group, with the names of the columns.
#[component]
pub(crate) fn Head(group: Group, sessions: usize, as_of: String) -> impl IntoView {
    let as_of =
        (!as_of.is_empty()).then(|| view! { " "<b class="asof">"as of "<crate::when::Moment time=as_of /></b> });
    view! {
        <header class="head" id=format!("head-{}", group.as_str()) hidden=sessions == 0>
            <h2>{group.title()} " " <span class="count">{sessions}</span></h2>
            <span aria-hidden="true">"State" {as_of}</span>
            <span aria-hidden="true">"Last line"</span>
            <span aria-hidden="true">"Harness"</span>
            <span aria-hidden="true" class="dir">"Directory"</span>
            <span aria-hidden="true" class="num cpu">"CPU"</span>
            <span aria-hidden="true" class="num mem">"Memory"</span>
            <span aria-hidden="true" class="num">"Up"</span>
        </header>
    }
    .into_any()
}
