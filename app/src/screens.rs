//! The Standing screen: all sessions, grouped by what they need, and the form for a new one.

mod act;
mod banner;
mod confirm;
mod create_form;
mod create_more;
mod empty;
mod foot;
mod list;
mod menu;
mod notice;
mod once;
mod prompt;
mod row;
mod rows;
mod say_box;
mod state;
mod strip;
mod summary;
mod trouble;
mod typed;

use leptos::prelude::*;

use crate::{notices::Place, page::Page};
use banner::Banner;
use confirm::ConfirmDialog;
use create_form::CreateDialog;
use empty::Empty;
use foot::Foot;
use list::List;
use notice::Slot;
use strip::Strip;
use summary::Heading;
use trouble::TroubleBox;

pub(crate) use confirm::ConfirmForm;
pub(crate) use list::{FEW, row_html};
pub(crate) use menu::Menu;
pub(crate) use notice::NoticeBox;
pub(crate) use row::{Excerpt, bytes};
pub(crate) use rows::Rows;
pub(crate) use state::{Appearance, Group, Mark};
pub(crate) use summary::Summary;

/// Renders the whole screen.
#[component]
pub(crate) fn Screen(page: Page) -> impl IntoView {
    let common = page.common.clone();
    let body = match &page.sessions {
        Err(trouble) => view! { <TroubleBox trouble=trouble.clone() common=common.clone() /> }.into_any(),
        Ok(sessions) if sessions.is_empty() => view! { <Empty page=page.clone() /> }.into_any(),
        Ok(_) => view! {
            <Strip page=page.clone() />
            <Banner page=page.clone() />
            <List page=page.clone() />
            <Foot page=page.clone() />
        }
        .into_any(),
    };
    view! {
        <main id="main" tabindex="-1" data-view="list">
            <Heading summary=page.summary() />
            <Slot id="notice-page" notice=common.notice_at(&Place::Page) />
            <CreateDialog page=page.clone() />
            <ConfirmDialog page=page />
            {body}
        </main>
    }
    .into_any()
}

/// Renders the parts of the screen that follow from all sessions, by the ID of their element.
pub(crate) fn parts(page: &Page) -> Vec<(&'static str, String)> {
    let summary = page.summary();
    let as_of = page.blind.as_ref().map(|blind| blind.since.clone()).unwrap_or_default();
    let head = |group: Group| {
        view! { <summary::Head group=group sessions=summary.of_group(group) as_of=as_of.clone() /> }.to_html()
    };
    vec![
        ("summary", view! { <Heading summary=summary.clone() /> }.to_html()),
        ("chips", view! { <summary::Chips summary=summary.clone() query=page.common.query.clone() /> }.to_html()),
        ("bar", view! { <summary::Bar summary=summary.clone() /> }.to_html()),
        ("banner", view! { <Banner page=page.clone() /> }.to_html()),
        ("head-needs", head(Group::Needs)),
        ("head-running", head(Group::Running)),
        ("head-stopped", head(Group::Stopped)),
        ("foot", view! { <Foot page=page.clone() /> }.to_html()),
    ]
}

#[cfg(test)]
mod tests {
    use wire::{Activity, State};

    use crate::{
        Query,
        fixtures::{every_state, html, misconfigured, page, session, with_notice},
        notices::{Draft, Notice, Place, Tone},
        serverfns::CreateForm,
    };

    /// Returns the card of a session as text.
    fn card<'a>(html: &'a str, name: &str) -> &'a str {
        let start = html.find(&format!("<article id=\"session-{name}\"")).expect("a card");
        let end = html[start..].find("</article>").expect("its end");
        &html[start..start + end]
    }

    #[test]
    fn every_session_has_its_exact_word_and_only_what_can_be_done() {
        let html = html(page(every_state(), Query::default()));
        for (name, word, offered, not) in [
            ("release-watch", "waiting", "standing/stop", "standing/start"),
            ("supervisor", "working", "standing/say", "standing/start"),
            ("docs-gardener", "idle", "standing/restart", "standing/start"),
            ("silent", "unknown", "confirm=silent", "standing/stop"),
            ("nightly-bench", "exited", "standing/start", "standing/stop"),
            ("triage", "stopped", "standing/start", "standing/stop"),
            ("guest", "not managed by the-loop", "attach -r -t", "standing/stop"),
            ("unlisted", "running without a record", "standing restore unlisted", "standing/stop"),
            ("torn", "record unreadable", "line 3 column 1", "standing/start"),
        ] {
            let card = card(&html, name);
            assert!(card.contains(&format!("<strong>{word}</strong>")), "{name}: {card}");
            assert!(card.contains(offered), "{name} lacks {offered}: {card}");
            assert!(!card.contains(&format!("\"/app/{not}\"")), "{name} has {not}: {card}");
        }
    }

    #[test]
    fn a_declared_session_has_no_delete_and_says_why() {
        let html = html(page(every_state(), Query::parse("confirm=triage")));
        let card = card(&html, "triage");
        assert!(!card.contains("confirm=triage"), "{card}");
        assert!(card.contains("~/.the-loop/cli-config.yaml") && card.contains("standingSessions.sessions"), "{card}");
        assert!(!html.contains("delete-form"), "a link must not get round it");
    }

    #[test]
    fn what_others_wrote_is_text() {
        let mut hostile = session("x", State::Running, Activity::Waiting);
        let markup = "</pre></textarea><script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
        hostile.row.description = markup.to_owned();
        hostile.row.question = markup.to_owned();
        hostile.row.reason = markup.to_owned();
        hostile.row.cwd = markup.to_owned();
        hostile.row.harness = markup.to_owned();
        hostile.row.harness_session_id = markup.to_owned();
        hostile.row.choices = vec![wire::Choice { key: markup.to_owned(), text: markup.to_owned() }];
        (hostile.row.slack_channel, hostile.row.slack_thread) = (markup.to_owned(), markup.to_owned());
        hostile.screen = Some(markup.to_owned());
        let notice = Notice {
            place: Place::Session("x".to_owned()),
            tone: Tone::Failed,
            text: markup.to_owned(),
            remedies: vec![],
            quote: markup.to_owned(),
            at: String::new(),
            draft: Some(Draft::Say(markup.to_owned())),
        };
        let html = html(with_notice(page(vec![hostile], Query::parse("q=%3Cscript%3Ealert(1)%3C/script%3E")), notice));
        assert!(!html.contains("<script>alert"), "{html}");
        assert!(!html.contains("<img"), "{html}");
        assert_eq!(html.matches("</textarea>").count(), 4, "{html}");
    }

    #[test]
    fn a_session_tells_its_slack_thread_and_offers_the_answers_to_its_question() {
        let mut asking = session("ops", State::Running, Activity::Waiting);
        asking.row.question = "Go on?".to_owned();
        asking.row.choices = vec![wire::Choice { key: "1".to_owned(), text: "Yes".to_owned() }];
        (asking.row.slack_channel, asking.row.slack_thread) = ("C0OPS".to_owned(), "1700000000.000100".to_owned());
        let html = html(page(vec![asking], Query::default()));
        let card = card(&html, "ops").replace("<!>", "");
        assert!(card.contains("Slack C0OPS thread <code>1700000000.000100</code>"), "{card}");
        let answers = card.split_once("action=\"/app/standing/answer\"").expect("a form").1;
        assert!(answers.contains("name=\"question\" value=\"Go on?\""), "{answers}");
        assert!(answers.contains("name=\"choice\" value=\"1\"") && answers.contains("Yes"), "{answers}");
    }

    #[test]
    fn a_refused_session_keeps_what_was_typed_beside_the_refusal() {
        let typed = CreateForm { name: "ops".to_owned(), brief: "two\nlines".to_owned(), ..CreateForm::default() };
        let notice = Notice {
            place: Place::Create,
            tone: Tone::Failed,
            text: "`ops` already exists".to_owned(),
            remedies: vec![],
            quote: String::new(),
            at: String::new(),
            draft: Some(Draft::Create(Box::new(typed))),
        };
        let html = html(with_notice(page(every_state(), Query::default()), notice));
        let start = html.find("<dialog id=\"new\" open").expect("it is open");
        let form = &html[start..];
        assert!(form.contains("`ops` already exists"));
        assert!(form.contains("value=\"ops\"") && form.contains("two\nlines</textarea>"));
    }

    #[test]
    fn a_config_that_cannot_be_used_is_quoted_and_stop_is_still_there() {
        let html = html(misconfigured());
        assert!(html.contains("cli-config.yaml:7:5: `standingSessions.sessions[2].name`: `Ops` is not a name"));
        assert!(html.contains("action=\"/app/standing/stop\""));
        assert!(!html.contains("data-opens=\"new\""));
    }

    #[test]
    fn the_filter_hides_and_never_drops() {
        let html = html(page(every_state(), Query::parse("q=idle&show=declared")));
        assert!(!card(&html, "docs-gardener").contains(" hidden"));
        let head = card(&html, "supervisor").split('>').next().expect("the tag");
        assert!(head.contains("hidden"), "{head}");
        assert!(html.contains("name=\"back[q]\" value=\"idle\""));
    }

    #[test]
    fn the_empty_page_teaches() {
        let html = html(page(vec![], Query::default()));
        assert!(html.contains("the-loop standing create supervisor --harness demo"));
        assert_eq!(html.matches("data-opens=\"new\"").count(), 1);
    }
}
