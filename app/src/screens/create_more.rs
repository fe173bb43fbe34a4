//! Fields of the form that are usually left unchanged.

use ::standing::Mistake;
use leptos::prelude::*;

use crate::{
    page::Page,
    screens::{
        typed::typed,
        wrong::{Wrong, wrong},
    },
    serverfns::{ArgsChoice, CreateForm},
};

#[component]
pub(crate) fn More(page: Page, form: CreateForm, mistakes: Vec<Mistake>) -> impl IntoView {
    let harness = page.default_harness_found();
    let blank = CreateForm { auto_start: true, ..CreateForm::default() };
    let touched = CreateForm {
        name: String::new(),
        cwd: String::new(),
        description: String::new(),
        brief: String::new(),
        harness: if harness { form.harness.clone() } else { String::new() },
        ..form.clone()
    } != blank
        || mistakes.iter().any(|mistake| matches!(mistake.field, "harness" | "env"));
    view! {
        <details class="more" id="new-more" open=touched>
            <summary>{if harness { "More: harness, arguments, environment, start, Slack" } else { "More: arguments, environment, start, Slack" }}</summary>
            <div class="more-body">
                {harness.then(|| view! { <HarnessField page=page form=form.clone() mistakes=mistakes.clone() /> })}
                <ArgsField form=form.clone() />
                <EnvField form=form.clone() mistakes=mistakes />
                <fieldset class="field checks">
                    <legend>"Start"</legend>
                    <label>
                        <input type="checkbox" name="form[auto-start]" value="true" checked=form.auto_start />
                        "Auto-start: start it whenever the-loop starts"
                    </label>
                    <label>
                        <input type="checkbox" name="form[record-only]" value="true" checked=form.record_only />
                        "Save only: do not start it now"
                    </label>
                </fieldset>
                <fieldset class="field checks">
                    <legend>"Slack"</legend>
                    <label>
                        <input type="checkbox" name="form[slack]" value="true" checked=form.slack />
                        "Announce it in Slack and accept replies in its thread"
                    </label>
                    <label class="visually-hidden" for="new-slack-channel">
                        "Slack channel"
                    </label>
                    <input
                        class="mono"
                        id="new-slack-channel"
                        name="form[slack-channel]"
                        value=form.slack_channel.clone()
                        placeholder="channel (default from config)"
                        autocomplete="off"
                        spellcheck="false"
                    />
                </fieldset>
            </div>
        </details>
    }
    .into_any()
}

/// Renders the choice of harness, with the reason if the default one cannot be started.
#[component]
pub(super) fn HarnessField(page: Page, form: CreateForm, mistakes: Vec<Mistake>) -> impl IntoView {
    let first = page.harnesses.first().cloned();
    let default = first.as_ref().map_or_else(String::new, |harness| harness.name.clone());
    let why = first.filter(|harness| !harness.found).map(|harness| {
        view! {
            <p class="hint" id="new-harness-hint">
                <code>{harness.name}</code> " was not found on the PATH of the service. "
                <code>"demo"</code> " is a built-in test agent that needs no account."
            </p>
        }
    });
    let chosen = form.harness.clone();
    let options = page.harnesses.into_iter().map(|harness| {
        let selected = chosen == harness.name;
        let missing = if harness.found { "" } else { " (not found)" };
        view! {
            <option value=harness.name.clone() selected=selected>
                {harness.name.clone()}
                {missing}
            </option>
        }
    });
    view! {
        <div class="field">
            <label for="new-harness">"Harness"</label>
            <select
                id="new-harness"
                name="form[harness]"
                aria-describedby="wrong-harness new-harness-hint"
                aria-invalid=wrong(&mistakes, "harness")
            >
                <option value="" selected=form.harness.is_empty()>
                    {format!("default from config ({default})")}
                </option>
                {options.collect_view()}
            </select>
            <Wrong field="harness" mistakes=mistakes />
            {why}
        </div>
    }
    .into_any()
}

/// Renders the environment variables. Secrets have no field: a declaration reads them from commands and files.
#[component]
fn EnvField(form: CreateForm, mistakes: Vec<Mistake>) -> impl IntoView {
    view! {
        <div class="field">
            <label for="new-env">"Environment"</label>
            <textarea
                class="mono"
                id="new-env"
                name="form[env]"
                rows="2"
                placeholder="NAME=value, one per line"
                aria-describedby="wrong-env new-env-hint"
                aria-invalid=wrong(&mistakes, "env")
                spellcheck="false"
            >
                {typed(&form.env)}
            </textarea>
            <Wrong field="env" mistakes=mistakes />
            <p class="hint" id="new-env-hint">
                "Do not put secrets here: values are stored in the session's record."
            </p>
        </div>
    }
    .into_any()
}

/// Renders the arguments. Leaving them out and passing none are different, so they are separate choices.
#[component]
fn ArgsField(form: CreateForm) -> impl IntoView {
    let choice = |value: &'static str, choice: ArgsChoice, label: &'static str| {
        let checked = form.args_from == choice;
        view! {
            <label>
                <input type="radio" name="form[args-from]" value=value checked=checked />
                {label}
            </label>
        }
    };
    view! {
        <fieldset class="field checks">
            <legend>"Harness arguments"</legend>
            <div class="choices">
                {choice("inherit", ArgsChoice::Inherit, "Default from config")}
                {choice("none", ArgsChoice::None, "None")}
                {choice("these", ArgsChoice::These, "Custom:")}
            </div>
            <label class="visually-hidden" for="new-args">
                "Arguments, one per line"
            </label>
            <textarea
                class="mono"
                id="new-args"
                name="form[args]"
                rows="2"
                placeholder="one per line"
                spellcheck="false"
            >
                {typed(&form.args)}
            </textarea>
        </fieldset>
    }
    .into_any()
}
