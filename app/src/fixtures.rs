//! Fixture: a page with a session in every state, for tests of the rendered page.

use std::sync::Arc;

use leptos::prelude::*;
use wire::{Activity, Block, Blocked, Row, SessionName, State, Status};

use crate::{
    Assets, Page, Query, Shell,
    notices::Notice,
    page::{Common, Harness, Session, Trouble},
};

/// Returns one session.
pub(crate) fn session(name: &str, state: State, activity: Activity) -> Session {
    let parsed = SessionName::parse(name).expect("a name");
    let row = Row {
        state,
        activity,
        status: if state == State::Running { Status::Running } else { Status::Stopped },
        running: state == State::Running,
        harness: "claude".to_owned(),
        cwd: "/home/u/src/loop".to_owned(),
        harness_session_id: "8c1f93aa-0f5e-4f7e-9f0e-2c6de02a0001".to_owned(),
        started_at: "2026-05-02T08:00:00Z".to_owned(),
        auto_start: true,
        ..Row::bare(&parsed)
    };
    Session { row, screen: None, stale: false, open: false }
}

/// Returns a session with an obstacle, which ends at noon if it is a usage limit.
pub(crate) fn blocked(name: &str, kind: Block, evidence: &str) -> Session {
    let mut session = session(name, State::Running, Activity::Idle);
    session.row.set_blocked(Some(Blocked {
        kind,
        since: "2026-05-02T09:00:00Z".to_owned(),
        until: (kind == Block::Limited).then(|| "2026-05-02T12:00:00Z".to_owned()),
        evidence: evidence.to_owned(),
    }));
    session
}

/// Returns a page of these sessions.
pub(crate) fn page(sessions: Vec<Session>, query: Query) -> Page {
    Page {
        sessions: Ok(sessions),
        blind: None,
        version: 7,
        harnesses: [("claude", false), ("demo", true)]
            .map(|(name, found)| Harness { name: name.to_owned(), found })
            .into(),
        common: Arc::new(Common {
            query,
            notice: None,
            config_file: "/home/u/.the-loop/cli-config.yaml".to_owned(),
            home: "/home/u".to_owned(),
            tmux: "tmux".to_owned(),
            rows: Arc::default(),
        }),
    }
}

/// Returns the page with a notice on it.
pub(crate) fn with_notice(mut page: Page, notice: Notice) -> Page {
    Arc::make_mut(&mut page.common).notice = Some(notice);
    page
}

/// Renders the whole document.
pub(crate) fn html(page: Page) -> String {
    let leptos = LeptosOptions::builder().output_name("the-loop").site_pkg_dir("pkg").build();
    let assets = Assets {
        bundle: Some(leptos),
        stylesheet: Some("/style/main.css".to_owned()),
        icon: Some("/favicon.svg".to_owned()),
        manifest: None,
    };
    Owner::new().with(|| view! { <Shell assets=assets page=page /> }.to_html())
}

/// Returns a session in every state.
pub(crate) fn every_state() -> Vec<Session> {
    let mut sessions = vec![
        session("release-watch", State::Running, Activity::Waiting),
        session("supervisor", State::Running, Activity::Busy),
        session("docs-gardener", State::Running, Activity::Idle),
        session("custom", State::Running, Activity::Unknown),
        session("morning", State::Starting, Activity::Unknown),
        session("evening", State::Stopping, Activity::Unknown),
        session("lost", State::Orphaned, Activity::Unknown),
        session("silent", State::Unknown, Activity::Unknown),
        session("nightly-bench", State::Ended, Activity::Unknown),
        session("triage", State::Stopped, Activity::Unknown),
        session("fresh", State::Absent, Activity::Unknown),
        session("guest", State::Foreign, Activity::Unknown),
        session("torn", State::Unreadable, Activity::Unknown),
        session("unlisted", State::Unrecorded, Activity::Unknown),
        blocked("nightly-audit", Block::Limited, "its transcript says: You've hit your 5-hour limit"),
    ];
    sessions[0].row.question = "Run `git push origin release/11.2`?\n❯ 1. Yes\n  2. No, tell it what to do".into();
    sessions[0].row.description = "Follows the release branch".into();
    sessions[1].row.declared = true;
    sessions[1].row.description = "Watches the items in flight, recovers what is stuck".into();
    sessions[1].row.slack_channel = "#loop-ops".into();
    sessions[1].screen = Some(
        "● Checking 3 items in flight\n  └ #277 implementing · #281 review · #283 no progress for 40 min\n\
         ✻ Reading the last events of #283… (12s)\n\n"
            .to_owned(),
    );
    sessions[2].row.declared = true;
    sessions[8].row.reason = "exit 1 · 03:12".into();
    sessions[8].screen = Some("error: the build directory is gone\n$".to_owned());
    sessions[9].row.declared = true;
    sessions[9].row.auto_start = false;
    sessions[10].row.declared = true;
    sessions[10].row.started_at = String::new();
    sessions[10].row.harness_session_id = String::new();
    sessions[11].row.harness_session_id = String::new();
    sessions[12].row.reason = "expected `,` or `}` at line 3 column 1".into();
    sessions[13].row.reason =
        "running, but its record is missing; restore its record with `the-loop standing restore unlisted`".into();
    sessions
}

/// Returns the page with an invalid config.
pub(crate) fn misconfigured() -> Page {
    let reason = "/home/u/.the-loop/cli-config.yaml:7:5: `standingSessions.sessions[2].name`: `Ops` is not a name";
    Page { sessions: Err(Trouble::Config(vec![reason.to_owned()])), ..page(vec![], Query::default()) }
}
