//! Form for a new session: the common fields first, the rest under "More".

use leptos::prelude::*;

use crate::{
    islands::NameHint,
    notices::Place,
    page::Page,
    query::Query,
    screens::{
        back::BackFields,
        create_more::{HarnessField, More},
        notice::Slot,
        typed::typed,
    },
};

/// Renders a dialog with scripts, a section of the page without.
#[component]
pub(crate) fn CreateDialog(page: Page) -> impl IntoView {
    let common = page.common.clone();
    let refused = common.notice_at(&Place::Create);
    let form = page.create_form();
    let plain = Query::plain(&common.query.filter);
    // The field is usually left unchanged, but matters when the default harness does not work.
    let harness =
        (!page.default_harness_found()).then(|| view! { <HarnessField page=page.clone() form=form.clone() /> });
    let open = page.sessions.is_ok() && (common.query.new || refused.is_some());
    view! {
        <dialog class="dialog" id="new" open=open aria-labelledby="new-title">
            <form method="post" action="/app/standing/create" id="create-form" data-clears="">
                <div class="dialog-head">
                    <h2 id="new-title">"New session"</h2>
                    <a class="button quiet" href=plain.address() data-closes="" aria-label="Close">
                        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
                            <path d="m4 4 8 8m0-8-8 8" />
                        </svg>
                    </a>
                </div>
                <Slot id="notice-create" notice=refused />
                <BackFields back=common.query.filter.back() />
                <div class="field">
                    <label for="new-name">"Name"</label>
                    <input
                        class="mono"
                        id="new-name"
                        name="form[name]"
                        value=form.name.clone()
                        required=true
                        autocomplete="off"
                        autocapitalize="none"
                        spellcheck="false"
                        aria-describedby="new-name-hint"
                        autofocus=true
                    />
                    <NameHint />
                </div>
                <div class="field">
                    <label for="new-cwd">"Working directory"</label>
                    <input
                        class="mono"
                        id="new-cwd"
                        name="form[cwd]"
                        value=form.cwd.clone()
                        placeholder="default from config"
                        autocomplete="off"
                        spellcheck="false"
                    />
                </div>
                <div class="field">
                    <label for="new-description">"Description"</label>
                    <input
                        id="new-description"
                        name="form[description]"
                        value=form.description.clone()
                        placeholder="for people, not sent to the agent"
                        autocomplete="off"
                    />
                </div>
                <div class="field">
                    <label for="new-brief">"Brief"</label>
                    <textarea
                        id="new-brief"
                        name="form[brief]"
                        rows="3"
                        placeholder="instructions for the agent, added to the standard ones"
                        data-send=""
                    >
                        {typed(&form.brief)}
                    </textarea>
                </div>
                {harness} <More page=page form=form />
                <div class="dialog-acts">
                    <a class="button" href=plain.address() data-closes="">
                        "Cancel"
                    </a>
                    <button class="button filled" type="submit">
                        "Create session"
                    </button>
                </div>
            </form>
        </dialog>
    }
    .into_any()
}
