//! Filter of the Events page, a plain form.

use ::standing::timeline::Kinds;
use leptos::prelude::*;

use super::{
    address::{EventsQuery, Mistakes},
    time,
    words::SURFACES,
};

/// Renders the form.
#[component]
pub(crate) fn FilterForm(
    query: EventsQuery,
    mistakes: Mistakes,
    /// Names of the sessions, offered while the reader types.
    names: Vec<String>,
) -> impl IntoView {
    // A surface of another program may be in the address.
    let other = (!query.surface.is_empty() && !SURFACES.iter().any(|(name, _)| *name == query.surface))
        .then(|| (query.surface.clone(), query.surface.clone()));
    let owned = |(value, label): (&str, &str)| (value.to_owned(), label.to_owned());
    let surfaces = [("", "all")].into_iter().chain(SURFACES).map(owned).chain(other).collect();
    let kinds = Kinds::ALL.map(|kinds| owned((kinds.as_str(), kind(kinds)))).into();
    let clear = query.filters().then(|| view! { <a class="button quiet" href="/events">"Clear"</a> });
    view! {
        <form class="events-filter" method="get" action="/events" role="search" aria-label="Filter events">
            <Field name="session" label="Session" mistake=mistakes.session.clone()>
                <input
                    id="events-session"
                    name="session"
                    value=query.session
                    list="events-names"
                    autocomplete="off"
                    aria-invalid=mistakes.session.is_some().then_some("true")
                    aria-describedby=mistakes.session.is_some().then_some("events-session-wrong")
                />
            </Field>
            <datalist id="events-names">
                {names.into_iter().map(|name| view! { <option value=name></option> }).collect_view()}
            </datalist>
            <Field name="kind" label="Kind" mistake=None>
                <select id="events-kind" name="kind">
                    {options(kinds, &query.kind)}
                </select>
            </Field>
            <Field name="surface" label="Surface" mistake=None>
                <select id="events-surface" name="surface">
                    {options(surfaces, &query.surface)}
                </select>
            </Field>
            <Field name="since" label="Since" mistake=mistakes.since>
                <Moment name="since" text=query.since />
            </Field>
            <Field name="until" label="Until" mistake=mistakes.until>
                <Moment name="until" text=query.until />
            </Field>
            <div class="acts">
                <button class="button" type="submit">
                    "Filter"
                </button>
                {clear}
            </div>
            <p class="note">{format!("Times are in the zone of the server, {}.", time::zone())}</p>
        </form>
    }
    .into_any()
}

/// Renders a field with its label, and the mistake in it.
#[component]
fn Field(name: &'static str, label: &'static str, mistake: Option<String>, children: Children) -> impl IntoView {
    let id = format!("events-{name}");
    let wrong = format!("events-{name}-wrong");
    view! {
        <div class="field">
            <label for=id>{label}</label>
            {children()}
            {mistake.map(|mistake| view! { <p class="wrong" id=wrong role="alert">{mistake}</p> })}
        </div>
    }
    .into_any()
}

/// Renders a field for a date and time. A text that is not a time stays visible in a plain field.
#[component]
fn Moment(name: &'static str, text: String) -> impl IntoView {
    let id = format!("events-{name}");
    let value = time::field(&text);
    if value.is_empty() && !text.is_empty() {
        let wrong = format!("events-{name}-wrong");
        return view! { <input id=id name=name value=text aria-invalid="true" aria-describedby=wrong /> }.into_any();
    }
    view! { <input type="datetime-local" id=id name=name value=value /> }.into_any()
}

fn options(choices: Vec<(String, String)>, chosen: &str) -> impl IntoView + use<> {
    let option = |(value, label): (String, String)| {
        let selected = value == chosen;
        view! {
            <option value=value selected=selected>
                {label}
            </option>
        }
    };
    choices.into_iter().map(option).collect_view()
}

const fn kind(kinds: Kinds) -> &'static str {
    match kinds {
        Kinds::All => "all",
        Kinds::Messages => "messages and answers",
        Kinds::Lifecycle => "starts and stops",
        Kinds::Failures => "failures",
        Kinds::Slack => "Slack",
        Kinds::Service => "service",
    }
}
