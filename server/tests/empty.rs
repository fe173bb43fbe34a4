//! A value that is missing is never every session, and never a silent default: on the command line, over REST, through
//! the client and from the page.

use client::{Client, ControlRequest, ControlVerb, Refusal as _, StandingApi as _};
use engine::Engine;
use serde_json::{Value, json};
use standing::CreateRequest;
use testkit::{TestHome, TestService};

use crate::{
    app::{AUTHORITY, App, SESSIONS, Said, THE_LOOP, problem},
    forms::form,
};

/// Two created sessions that run.
fn running() -> TestHome {
    let home = TestHome::builder().exe(THE_LOOP).build();
    for name in ["a", "b"] {
        assert!(home.the_loop().standing().create(&CreateRequest::named(name)).expect("created").ok);
    }
    home
}

fn run(home: &TestHome, args: &[&str]) -> Said {
    Said::of(&home.command(THE_LOOP).args(args).output().expect("the binary runs"))
}

#[track_caller]
fn both_run(home: &TestHome) {
    assert_eq!(home.tmux().sessions(), ["loop-standing-a", "loop-standing-b"]);
}

#[test]
fn a_shell_variable_that_is_not_set_stops_nothing() {
    let home = running();
    let service = TestService::start(THE_LOOP, &home);
    let address = service.address().trim_end_matches("/#/standing").to_owned();
    for by in [&[][..], &["--service", &address]] {
        for empty in ["", " ", "\t\n"] {
            for verb in ["start", "stop", "restart", "delete", "get", "answer"] {
                let said = run(&home, &[by, &["standing", verb, empty]].concat());
                assert_eq!((said.code, said.out.as_str()), (2, ""), "{verb} {empty:?}: {said:?}");
                let reason = if empty.is_empty() { "empty name" } else { "the name contains only white space" };
                assert!(said.err.contains(reason), "{verb}: {}", said.err);
            }
            for verb in ["start", "stop"] {
                let said = run(&home, &[by, &["standing", verb, empty]].concat());
                assert!(said.err.contains("`--all`"), "{verb}: {}", said.err);
            }
            let said = run(&home, &[by, &["standing", "say", empty, "hello"]].concat());
            assert_eq!(said.code, 2, "{said:?}");
        }
    }
    both_run(&home);
    let both = run(&home, &["standing", "stop", "a", "--all"]);
    assert_eq!(both.code, 2, "a name or all, not both: {both:?}");
    both_run(&home);
}

#[test]
fn all_is_asked_for_by_its_own_word() {
    let home = running();
    for by in ["here", "service"] {
        let service = (by == "service").then(|| TestService::start(THE_LOOP, &home));
        let address = service.as_ref().map(|service| service.address().trim_end_matches("/#/standing").to_owned());
        let by: Vec<&str> = address.as_deref().map_or_else(Vec::new, |address| vec!["--service", address]);
        let stopped = run(&home, &[&by[..], &["standing", "stop", "--all"]].concat());
        assert_eq!((stopped.code, stopped.err.as_str()), (0, ""), "{stopped:?}");
        assert!(stopped.out.contains("a  stopped") && stopped.out.contains("b  stopped"), "{}", stopped.out);
        let started = run(&home, &[&by[..], &["standing", "start", "--all"]].concat());
        assert_eq!((started.code, started.err.as_str()), (0, ""), "{started:?}");
        both_run(&home);
    }
    // The published form: no name at all.
    let stopped = run(&home, &["standing", "stop"]);
    assert_eq!((stopped.code, stopped.err.as_str()), (0, ""), "{stopped:?}");
    assert!(stopped.out.contains("a  stopped") && stopped.out.contains("b  stopped"), "{}", stopped.out);
    let none = run(&home, &["standing", "restart", "--all"]);
    assert_eq!(none.code, 2, "restart needs the `name` of one session {none:?}");
}

#[test]
fn an_option_that_is_given_with_nothing_is_a_mistake_and_not_the_default() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let calls: &[&[&str]] = &[
        &["-c", "", "standing", "list"],
        &["--config=", "standing", "stop", "--all"],
        &["--service", "", "standing", "list"],
        &["--service", " ", "standing", "stop", "--all"],
        &["standing", "create", "x", "--harness", ""],
        &["standing", "create", "x", "--cwd", ""],
        &["standing", "create", "x", "--cwd", " "],
        &["standing", "create", "x", "--prompt-file", ""],
        &["standing", "create", "x", "--slack-channel", ""],
        &["standing", "create", ""],
        &["standing", "say", "x", "hello", "--idempotency-key", ""],
        &["standing", "say", "x", ""],
        &["standing", "say", "x", "--text", ""],
        &["standing", "answer", "x", ""],
        &["standing", "answer", "x", "1", "--question", ""],
        &["events", "--session", ""],
        &["events", "--type", ""],
        &["events", "--since", ""],
        &["events", "--limit", ""],
        &["serve", "--host", ""],
        &["serve", "--port", ""],
        &["start", "--host", ""],
        &["stop", ""],
        &["restart", ""],
        &["status", ""],
        &["man", ""],
    ];
    for args in calls {
        let said = run(&home, args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {said:?}");
        assert!(!said.err.is_empty(), "{args:?}");
    }
    assert!(!home.project().join(".the-loop/local").exists(), "nothing was written");
    // By convention a variable that is empty is one that is not set.
    let unset = home.command(THE_LOOP).args(["standing", "list"]).env("THE_LOOP_CLI_CONFIG", "").output();
    assert_eq!(Said::of(&unset.expect("it runs")).code, 0);
}

#[test]
fn an_empty_state_root_is_refused_and_nothing_is_stopped_in_its_place() {
    let home = running();
    let whole = home.config();
    for root in ["", " ", "\t"] {
        let mut config = whole.clone();
        config["state"] = json!({ "root": root });
        home.write_config(&config.to_string());
        for args in [&["standing", "list"][..], &["standing", "start", "--all"], &["status"]] {
            let said = run(&home, args);
            assert_eq!(said.code, 2, "{root:?} {args:?}: {said:?}");
        }
    }
    both_run(&home);
}

#[tokio::test]
async fn over_rest_all_is_asked_for_by_its_own_word() {
    let app = App::over(running(), &standing::config::Service::default());
    let control = async |body: Value| app.post(&format!("{SESSIONS}/control"), body.to_string()).await;
    for verb in ["start", "stop", "restart"] {
        for (body, status) in [
            (json!({ "verb": verb, "name": "", "all": false }), 400),
            (json!({ "verb": verb, "all": false }), 400),
            (json!({ "verb": verb, "name": "a", "all": true }), 400),
            (json!({ "verb": verb, "name": " " }), 400),
            (json!({ "verb": verb, "name": null }), 422),
            (json!({ "verb": verb, "all": null }), 422),
            (json!({ "verb": verb, "all": "" }), 422),
            (json!({ "verb": verb, "name": [] }), 422),
        ] {
            let answer = control(body.clone()).await;
            assert_eq!(answer.status.as_u16(), status, "{body}: {}", answer.text());
        }
    }
    problem(&control(json!({ "verb": "restart", "all": true })).await, 400, "invalid-request");
    problem(&app.post(&format!("{SESSIONS}/delete"), r#"{"name":""}"#).await, 400, "invalid-name");
    both_run(&app.home);
    let stopped = control(json!({ "verb": "stop", "all": true })).await.json();
    let outcomes: Vec<&Value> =
        stopped["sessions"].as_array().expect("rows").iter().map(|row| &row["outcome"]).collect();
    assert_eq!(outcomes, ["stopped", "stopped"], "{stopped:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sdk_and_the_client_have_a_call_of_its_own_for_all() {
    let home = running();
    let service = TestService::start(THE_LOOP, &home);
    let client = Client::new(service.http().authority()).expect("an address");
    for verb in [ControlVerb::Start, ControlVerb::Stop, ControlVerb::Restart] {
        for name in ["", " "] {
            let request = ControlRequest { name: name.to_owned(), verb };
            let refused = client.control(&request).await.expect_err("no name");
            assert_eq!(refused.problem().expect("a refusal").status, 400, "{verb:?} {name:?}");
            let refused = Engine::new(home.the_loop()).control(&request).await.expect_err("no name");
            assert_eq!(refused.problem().status, 400, "{verb:?} {name:?}");
        }
    }
    both_run(&home);
    let stopped = client.stop_all().await.expect("a report");
    assert_eq!((stopped.ok, stopped.sessions.len()), (true, 2), "{stopped:?}");
    assert!(client.start_all().await.expect("a report").ok);
    both_run(&home);
    assert!(standing_api_stop(&Engine::new(home.the_loop())).await);
}

/// Stops all sessions through the trait, with any implementation of it.
async fn standing_api_stop<A: client::StandingApi>(api: &A) -> bool {
    api.stop_all().await.is_ok_and(|report| report.ok && report.sessions.len() == 2)
}

#[tokio::test]
async fn a_form_without_a_name_does_nothing_to_any_session() {
    let app = App::over(running(), &standing::config::Service::default());
    for verb in ["start", "stop", "restart", "delete", "say", "answer"] {
        for fields in ["", "name=", "name=+", "nme=a", "all=false", "name=&all=", "name=a&all=true"] {
            if matches!(verb, "restart" | "delete" | "say" | "answer") && fields.ends_with("all=true") {
                continue;
            }
            let sent = form(&app, verb, fields).await;
            assert!(sent.status.is_redirection() || sent.status.is_client_error(), "{verb} {fields}: {}", sent.text());
        }
        both_run(&app.home);
    }
    let known: Vec<_> = app.get(SESSIONS).await.json().as_array().expect("rows").clone();
    assert_eq!(known.len(), 2, "none was deleted, at {AUTHORITY}");
}
