//! Form for a new session: the common fields first, the rest under "More".

use leptos::prelude::*;

use crate::{
    islands::hint::RULE,
    notices::{Notice, Place},
    page::Page,
    screens::{
        create_more::{HarnessField, More},
        mark::Mark,
        notice::Slot,
        typed::typed,
        wrong::{Wrong, wrong},
    },
};

/// Renders a dialog with scripts, a section of the page without.
#[component]
pub(crate) fn CreateDialog(page: Page) -> impl IntoView {
    let common = page.common.clone();
    let refused = common.notice_at(&Place::Create);
    let form = page.create_form();
    let plain = common.query.plain();
    let mistakes = refused.as_ref().map(|notice| notice.mistakes.clone()).unwrap_or_default();
    // Each mistake is below its field, so the notice is only their sum.
    let refused = refused.map(|notice| Notice { mistakes: Vec::new(), ..notice });
    // The field is usually left unchanged, but matters when the default harness does not work.
    let harness = (!page.default_harness_found())
        .then(|| view! { <HarnessField page=page.clone() form=form.clone() mistakes=mistakes.clone() /> });
    let open = page.sessions.is_ok() && (common.query.new || refused.is_some());
    view! {
        <dialog class="dialog" id="new" open=open aria-labelledby="new-title">
            <form method="post" action="/app/standing/create" id="create-form" data-clears="">
                <div class="dialog-head">
                    <h2 id="new-title">"New session"</h2>
                    <a class="button quiet icon" href=plain.address() data-closes="" aria-label="Close">
                        <Mark name="close" />
                    </a>
                </div>
                <div class="body">
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
                        aria-describedby="wrong-name new-name-hint"
                        aria-invalid=wrong(&mistakes, "name")
                        autofocus=true
                    />
                    <Wrong field="name" mistakes=mistakes.clone() />
                    <p class="hint" id="new-name-hint">
                        {RULE}
                    </p>
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
                        aria-describedby="wrong-cwd"
                        aria-invalid=wrong(&mistakes, "cwd")
                    />
                    <Wrong field="cwd" mistakes=mistakes.clone() />
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
                        aria-describedby="wrong-brief"
                        aria-invalid=wrong(&mistakes, "brief")
                    >
                        {typed(&form.brief)}
                    </textarea>
                    <Wrong field="brief" mistakes=mistakes.clone() />
                </div>
                {harness}
                <More page=page form=form mistakes=mistakes />
                </div>
                <div class="dialog-foot">
                    <Slot id="notice-create" notice=refused />
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
