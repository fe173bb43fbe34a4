//! The sessions in three groups: those that need someone, those that run, those that are stopped.

use std::sync::Arc;

use leptos::prelude::*;

use crate::{
    counts::Summary,
    filter::{Facts, Filter},
    look::{Appearance, Group, has_prompt},
    page::{Common, FEW, Page, Session},
    query::{Order, Query},
    screens::{row::SessionRow, summary::Head},
    when,
};

/// Renders headings and rows. Rows that do not match the filter are hidden, not left out, so that the browser can show
/// them at once.
#[component]
pub(crate) fn List(page: Page) -> impl IntoView {
    let common = page.common.clone();
    let summary = page.summary();
    let filter = Filter::parse(&common.query.filter);
    let now = when::now();
    let sessions = sorted(page.sessions(), common.query.order);
    let mut matches = 0;
    let groups = Group::ALL.map(|group| {
        let mut rows = String::new();
        for session in sessions.iter().filter(|session| Appearance::of(&session.row).group == group) {
            let directory = common.shown(&session.row.cwd);
            let shown = filter.matches(&facts(session, &directory), now);
            matches += usize::from(shown);
            let row = row_html(session, &common);
            rows.push_str(if shown { "" } else { "<li hidden" });
            rows.push_str(if shown { &row } else { row.strip_prefix("<li").unwrap_or(&row) });
        }
        let class = if group == Group::Needs { "rows urgent" } else { "rows" };
        let name = group.as_str();
        let as_of = page.blind.as_ref().map(|blind| blind.since.clone()).unwrap_or_default();
        view! {
            <Head group=group sessions=summary.of_group(group) as_of=as_of />
            <ol class=class id=format!("rows-{name}") data-group=name aria-label=group.title() inner_html=rows></ol>
        }
    });
    let folded = is_folded(&summary, &common.query);
    view! {
        <div
            class="list"
            id="list"
            data-order=common.query.order.as_str()
            data-folded=folded.then_some("")
            data-matches=matches.to_string()
        >
            {groups.into_iter().collect_view()}
            <p class="nothing" id="nothing" hidden=matches > 0>
                "No session matches "
                <q id="nothing-filter">{common.query.filter.clone()}</q>
                ". "
                <a href=Query { filter: String::new(), ..common.query.plain() }.address() data-clear="">
                    "Clear the filter"
                </a>
            </p>
        </div>
    }
    .into_any()
}

/// True if the stopped sessions are behind one line.
pub(crate) fn is_folded(summary: &Summary, query: &Query) -> bool {
    summary.all > FEW && !query.stopped && query.filter.is_empty()
}

/// Renders the row of a session as HTML.
pub(crate) fn row_html(session: &Session, common: &Arc<Common>) -> Arc<str> {
    let render = || view! { <SessionRow session=session.clone() common=common.clone() /> }.to_html();
    // A form with a key is new for every reader: two must never send the same key.
    if session.open || has_prompt(&session.row) {
        return render().into();
    }
    common.rows.get_or_render(&session.row, session.screen.as_deref(), session.stale, render)
}

fn sorted(sessions: &[Session], order: Order) -> Vec<Session> {
    let mut sorted = sessions.to_vec();
    sorted.sort_by_cached_key(|session| {
        let row = &session.row;
        let first = match order {
            Order::Urgency => String::new(),
            Order::Directory => row.cwd.clone(),
            Order::Harness => row.harness.clone(),
            Order::Name => row.name.clone(),
        };
        (first, Appearance::of(row).rank(row))
    });
    sorted
}

fn facts<'a>(session: &'a Session, directory: &'a str) -> Facts<'a> {
    let row = &session.row;
    Facts {
        name: &row.name,
        state: Appearance::of(row).word,
        harness: &row.harness,
        directory,
        path: &row.cwd,
        source: if row.declared { "declared" } else { "created" },
        since: when::seconds(&row.since),
        texts: [&row.description, &row.last_line],
    }
}
