//! The Standing screen: all sessions, grouped by what they need, and the form for a new one.

mod act;
mod banner;
mod confirm;
mod create_form;
mod create_more;
mod empty;
mod foot;
mod list;
mod mark;
mod menu;
mod notice;
mod once;
mod prompt;
mod row;
mod say_box;
mod strip;
mod summary;
mod trouble;
mod typed;
mod wrong;

use leptos::prelude::*;

use crate::{look::Group, notices::Place, page::Page};
use banner::Banner;
use confirm::ConfirmDialog;
use create_form::CreateDialog;
use empty::Empty;
use foot::Foot;
use list::List;
use strip::Strip;
use summary::Heading;
use trouble::TroubleBox;

pub(crate) use act::Act;
pub(crate) use confirm::ConfirmForm;
pub(crate) use list::row_html;
pub(crate) use mark::Mark;
pub(crate) use menu::{Copy, CopyLine, DeleteItem, Menu};
pub(crate) use notice::{NoticeBox, Slot, sentence};
pub(crate) use prompt::{Answers, Question};
pub(crate) use row::{Excerpt, bytes, how};
pub(crate) use say_box::SayBox;

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
    use leptos::prelude::*;
    use wire::{Activity, State};

    use super::{Menu, row_html};
    use crate::{
        Query,
        fixtures::{every_state, html, misconfigured, page, session, with_notice},
        notices::{Draft, Notice, Place, Tone},
        page::Session,
        serverfns::CreateForm,
    };

    /// Returns the row of a session as text.
    fn row<'a>(html: &'a str, name: &str) -> &'a str {
        let id = html.find(&format!("id=\"session-{name}\"")).expect("a row");
        let start = html[..id].rfind("<li").expect("its tag");
        let end = html[id + 1..].find("id=\"session-").map_or(html.len(), |next| id + 1 + next);
        &html[start..end]
    }

    /// Returns a session as an unfolded row.
    fn unfolded(session: Session) -> String {
        let page = page(vec![session.clone()], Query::default());
        let open = Session { open: true, ..session };
        Owner::new().with(|| row_html(&open, &page.common).to_string())
    }

    fn menu(session: Session) -> String {
        let page = page(vec![session.clone()], Query::default());
        Owner::new().with(|| view! { <Menu row=session.row common=page.common /> }.to_html())
    }

    fn of(name: &str) -> Session {
        every_state().into_iter().find(|session| session.row.name == name).expect("a session")
    }

    #[test]
    fn every_session_has_its_exact_word_and_only_what_can_be_done() {
        let list = html(page(every_state(), Query::default()));
        for (name, word, offered, not) in [
            ("release-watch", "waiting", "standing/stop", "standing/start"),
            ("supervisor", "working", "standing/say", "standing/start"),
            ("docs-gardener", "idle", "standing/restart", "standing/start"),
            ("nightly-audit", "usage limit", "hit your 5-hour limit", "standing/start"),
            ("silent", "unknown", "as of", "standing/stop"),
            ("nightly-bench", "exited", "standing/start", "standing/stop"),
            ("triage", "stopped", "standing/start", "standing/stop"),
            ("guest", "not managed by the-loop", "attach -r -t", "standing/stop"),
            ("unlisted", "running without a record", "standing restore unlisted", "standing/stop"),
            ("torn", "record unreadable", "line 3 column 1", "standing/start"),
        ] {
            assert!(row(&list, name).contains(&format!("<b>{word}</b>")), "{name}: {}", row(&list, name));
            let all = [unfolded(of(name)), menu(of(name))].concat();
            assert!(all.contains(offered), "{name} lacks {offered}: {all}");
            assert!(!all.contains(&format!("\"/app/{not}\"")), "{name} has {not}: {all}");
        }
    }

    #[test]
    fn a_declared_session_has_no_delete_and_says_why() {
        let menu = menu(of("triage"));
        assert!(!menu.contains("confirm=delete"), "{menu}");
        assert!(menu.contains("~/.the-loop/cli-config.yaml") && menu.contains("standingSessions.sessions"), "{menu}");
        let html = html(page(every_state(), Query::parse("confirm=delete&name=triage")));
        assert!(!html.contains("confirm-form"), "a link must not get round it");
        assert!(html.contains("declared in the config"));
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
        hostile.row.last_line = markup.to_owned();
        hostile.row.harness_session_id = markup.to_owned();
        hostile.row.choices = vec![wire::Choice { key: markup.to_owned(), text: markup.to_owned() }];
        (hostile.row.slack_channel, hostile.row.slack_thread) = (markup.to_owned(), markup.to_owned());
        hostile.screen = Some(markup.to_owned());
        hostile.open = true;
        let notice = Notice {
            place: Place::Session("x".to_owned()),
            tone: Tone::Failed,
            text: markup.to_owned(),
            remedies: vec![],
            quote: markup.to_owned(),
            at: String::new(),
            draft: Some(Draft::Say(markup.to_owned())),
            mistakes: vec![],
        };
        let query = Query::parse("q=%3Cscript%3Ealert(1)%3C/script%3E");
        let html = html(with_notice(page(vec![hostile], query), notice));
        assert!(!html.contains("<script>alert"), "{html}");
        assert!(!html.contains("<img"), "{html}");
        assert_eq!(html.matches("</textarea>").count(), 4, "{html}");
    }

    #[test]
    fn the_answers_of_a_prompt_are_in_the_folded_row() {
        let mut asking = session("ops", State::Running, Activity::Waiting);
        asking.row.question = "Go on?".to_owned();
        asking.row.choices = vec![wire::Choice { key: "1".to_owned(), text: "Yes".to_owned() }];
        let html = html(page(vec![asking], Query::default()));
        let answers = html.split_once("action=\"/app/standing/answer\"").expect("a form").1;
        assert!(answers.contains("name=\"question\" value=\"Go on?\""), "{answers}");
        assert!(answers.contains("name=\"choice\" value=\"1\"") && answers.contains("Yes"), "{answers}");
    }

    #[test]
    fn the_last_known_state_is_shown_with_its_time_while_tmux_is_silent() {
        let mut stale = session("ops", State::Running, Activity::Idle);
        stale.stale = true;
        stale.row.since = "2026-05-02T08:00:00Z".to_owned();
        (stale.row.cpu, stale.row.memory) = (Some(50), Some(1_000_000));
        let mut page = page(vec![stale], Query::default());
        page.blind = Some(::standing::Blind {
            since: "2026-05-02T09:00:00Z".to_owned(),
            reason: "no answer within 5 s".to_owned(),
        });
        let html = html(page);
        assert!(html.contains("<b>idle</b> since "), "{html}");
        assert!(html.contains("tmux does not answer since"), "{html}");
        assert!(html.contains("no answer within 5 s"), "{html}");
        assert!(!html.contains("50 %") && !html.contains("1 MB"), "an old measurement says nothing");
    }

    #[test]
    fn a_refused_session_keeps_what_was_typed_with_each_mistake_below_its_field() {
        let typed = CreateForm { name: "Ops".to_owned(), brief: "two\nlines".to_owned(), ..CreateForm::default() };
        let mistake = |field, text: &str, fix: Option<&str>| ::standing::Mistake {
            field,
            text: text.to_owned(),
            fix: fix.map(str::to_owned),
        };
        let mistakes = vec![mistake("name", "`O` is not allowed", Some("ops")), mistake("cwd", "no such folder", None)];
        let notice = Notice { draft: Some(Draft::Create(Box::new(typed))), ..Notice::of_mistakes(mistakes) };
        let html = html(with_notice(page(every_state(), Query::default()), notice));
        let start = html.find("<dialog id=\"new\" open").expect("it is open");
        let form = &html[start..];
        assert!(form.contains("2 fields need a change"));
        assert!(form.contains("value=\"Ops\"") && form.contains("two\nlines</textarea>"));
        let below = form.split_once("id=\"wrong-name\"").expect("a place").1;
        assert!(below.split("</div>").next().is_some_and(|below| below.contains("is not allowed")), "{below}");
        assert_eq!(form.matches("no such folder").count(), 1);
        assert_eq!(form.matches("aria-invalid=\"true\"").count(), 2);
    }

    #[test]
    fn a_config_that_cannot_be_used_is_quoted_and_stop_is_still_there() {
        let html = html(misconfigured());
        assert!(html.contains("cli-config.yaml:7:5: `standingSessions.sessions[2].name`: `Ops` is not a name"));
        assert!(html.contains("action=\"/app/standing/stop\""));
        assert!(!html.contains("id=\"open-new\""));
    }

    #[test]
    fn the_filter_hides_and_never_drops() {
        let html = html(page(every_state(), Query::parse("q=state:idle+source:declared")));
        assert!(row(&html, "docs-gardener").starts_with("<li id"), "{}", row(&html, "docs-gardener"));
        assert!(row(&html, "supervisor").starts_with("<li hidden"), "{}", row(&html, "supervisor"));
        assert!(html.contains("data-matches=\"1\""), "{html}");
    }

    #[test]
    fn the_empty_page_teaches() {
        let html = html(page(vec![], Query::default()));
        assert!(html.contains("the-loop standing create supervisor --harness demo"));
        assert!(html.contains("No standing sessions yet"));
    }
}
