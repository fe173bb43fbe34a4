//! The strip above the list: filter, states, order, and the button for a new session.

use leptos::prelude::*;

use crate::{
    page::Page,
    query::{Order, Query},
    screens::{
        mark::Mark,
        summary::{Bar, Chips},
    },
};

#[component]
pub(crate) fn Strip(page: Page) -> impl IntoView {
    let query = page.common.query.clone();
    let summary = page.summary();
    let new = Query { new: true, ..query.plain() };
    view! {
        <section class="strip" id="strip" aria-label="Filter">
            <div class="tools">
                <FilterForm query=query.clone() />
                <output class="matches" id="matches" for="filter-text"></output>
                <Chips summary=summary.clone() query=query.clone() />
                <Orders query=query />
                <a class="button filled" href=new.address() data-opens="new" id="open-new" aria-keyshortcuts="n">
                    <Mark name="plus" />
                    "New session"
                </a>
            </div>
            <Bar summary=summary />
        </section>
    }
    .into_any()
}

#[component]
fn FilterForm(query: Query) -> impl IntoView {
    let order = (query.order != Order::Urgency)
        .then(|| view! { <input type="hidden" name="order" value=query.order.as_str() /> });
    view! {
        <form class="filter" method="get" action="/" id="filter" role="search" data-filter="">
            <label class="visually-hidden" for="filter-text">
                "Filter by words, or by state:, dir:, harness:, source: and since:"
            </label>
            <Mark name="search" />
            <input
                type="search"
                id="filter-text"
                name="q"
                value=query.filter.clone()
                placeholder="Filter sessions"
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                aria-keyshortcuts="/"
                title="Words, or state:idle dir:~/src harness:codex source:created since:>2h"
            />
            {order}
            <kbd class="needs-script" aria-hidden="true">
                "/"
            </kbd>
            <noscript>
                <button class="button small quiet" type="submit">
                    "Filter"
                </button>
            </noscript>
        </form>
    }
    .into_any()
}

/// Renders the choice of order as links, so that it works without scripts and can be kept as an address.
#[component]
fn Orders(query: Query) -> impl IntoView {
    let now = query.order;
    let choice = |order: Order| {
        let target = Query { order, ..query.plain() };
        view! {
            <a class="item" href=target.address() data-order=order.as_str() aria-current=(order == now).then_some("true")>
                {order.title()}
            </a>
        }
    };
    view! {
        <details class="menu orders" id="orders" name="menu">
            <summary class="button quiet" aria-label=format!("Order: {}", now.title())>
                <Mark name="sort" />
                <span id="order-now">{now.title()}</span>
            </summary>
            <div class="menu-panel">{Order::ALL.map(choice).into_iter().collect_view()}</div>
        </details>
    }
    .into_any()
}
