//! The page's forms, posted by hand: what cannot be read is told, and nobody is sent back without a word.

use axum::{
    body::Body,
    http::{Request, StatusCode},
};

use crate::app::{AUTHORITY, Answer, App, problem};

pub(crate) async fn form(app: &App, verb: &str, fields: &str) -> Answer {
    let request = Request::post(format!("/app/standing/{verb}"))
        .header("host", AUTHORITY)
        .header("origin", format!("http://{AUTHORITY}"))
        .header("sec-fetch-site", "same-origin")
        .header("accept", "text/html")
        .header("content-type", "application/x-www-form-urlencoded");
    app.send(request.body(Body::from(fields.to_owned())).expect("a request")).await
}

#[tokio::test]
async fn a_field_that_is_missing_is_told_on_the_page() {
    let app = App::new();
    for verb in ["create", "say", "answer", "start", "stop", "restart", "delete"] {
        let sent = form(&app, verb, "nme=ops").await;
        assert_eq!(sent.status, StatusCode::SEE_OTHER, "{verb}: {}", sent.text());
        let page = app.get(sent.header("location")).await;
        assert!(page.text().contains("data-notice=\"failed\""), "{verb}: nothing is told");
    }
}

#[tokio::test]
async fn what_cannot_be_read_at_all_is_refused_with_the_reason() {
    let app = App::new();
    let wrong = form(&app, "say", "name=ops&text=hello&force=perhaps").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.text().contains("`true` or `false`"), "{}", wrong.text());
    let unknown = form(&app, "nothing", "name=ops").await;
    assert_eq!(
        (unknown.status, unknown.text().as_str()),
        (StatusCode::NOT_FOUND, "no page at `/app/standing/nothing`\n")
    );
}

/// Posts a form as a program does, which takes a compressed answer as well.
async fn by_program(app: &App, verb: &str, fields: impl Into<Body>) -> Answer {
    let request = Request::post(format!("/app/standing/{verb}"))
        .header("host", AUTHORITY)
        .header("accept", "*/*")
        .header("accept-encoding", "gzip")
        .header("content-type", "application/x-www-form-urlencoded");
    app.send(request.body(fields.into()).expect("a request")).await
}

#[tokio::test]
async fn a_program_that_posts_a_form_gets_a_problem_document_for_every_refusal_and_fault() {
    let app = App::new();
    let refused = by_program(&app, "say", "name=gone&text=hello").await;
    problem(&refused, 404, "unknown-session");
    assert_eq!(refused.json()["remedies"][0]["action"], "list", "{}", refused.text());
    for verb in ["create", "answer", "start", "stop", "restart", "delete", "selected"] {
        let refused = by_program(&app, verb, "nme=ops").await;
        let code = refused.json()["code"].as_str().expect("a code").to_owned();
        problem(&refused, 400, &code);
    }
    let unreadable = by_program(&app, "say", "name=ops&text=hello&force=perhaps").await;
    problem(&unreadable, 422, "invalid-body");
    assert!(unreadable.json()["detail"].as_str().expect("text").contains("`true` or `false`"), "{}", unreadable.text());
    problem(&by_program(&app, "say", vec![0xff, 0xfe]).await, 422, "invalid-body");
    problem(&by_program(&app, "nothing", "name=ops").await, 404, "no-route");
    // A browser is sent back to its page with the notice, as ever.
    let sent = form(&app, "say", "name=gone&text=hello").await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER, "{}", sent.text());
    assert!(app.get(sent.header("location")).await.text().contains("no session named `gone`"));
    assert!(!sent.header("location").contains("__err"), "{}", sent.header("location"));
}

#[tokio::test]
async fn no_control_character_of_a_description_or_a_draft_reaches_the_page() {
    let app = App::new();
    let hostile = "%1b%5D0;owned%07%c2%9b2J%00";
    let recorded = form(
        &app,
        "create",
        &format!("form[name]=ops&form[description]=a{}&form[record-only]=true", hostile.replace("%00", "")),
    )
    .await;
    let page = app.get(recorded.header("location")).await.text();
    assert!(page.contains("a]0;owned2J"), "{page}");
    let refused = form(&app, "say", &format!("name=ops&text={hostile}")).await;
    let refused = app.get(refused.header("location")).await.text();
    let asked = app.get(&format!("/?q={hostile}&show={hostile}")).await.text();
    for page in [page, refused, asked] {
        let raw: Vec<char> = page.chars().filter(|&c| c.is_control() && c != '\n' && c != '\t').collect();
        assert!(raw.is_empty(), "{raw:?}");
    }
}

#[tokio::test]
async fn a_form_whose_answer_was_lost_is_done_once() {
    let app = App::new();
    form(&app, "create", "form[name]=ops&form[harness]=demo").await;
    let said = || {
        let events = app.home.events();
        events.iter().filter(|event| event["event"] == "standing.said").count()
    };
    for _ in 0..3 {
        form(&app, "say", "name=ops&key=a&text=hello").await;
    }
    assert_eq!(said(), 1, "the same words under the same key");
    form(&app, "say", "name=ops&key=a&text=other+words").await;
    form(&app, "say", "name=ops&key=b&text=hello").await;
    assert_eq!(said(), 3, "other words, and another form");
    let page = app.get("/").await.text();
    let keys: Vec<&str> = page.split("name=\"key\" value=\"").skip(1).map(|rest| &rest[..32]).collect();
    assert!(!keys.is_empty() && !app.get("/").await.text().contains(keys[0]), "each rendering has a key of its own");
    app.home.the_loop().standing().delete(&standing::DeleteRequest { name: "ops".to_owned() }).expect("deleted");
}

#[tokio::test]
async fn the_colours_are_chosen_by_a_field_that_may_be_missing() {
    let app = App::new();
    let theme = |fields: &'static str, accept: &'static str| {
        let request = Request::post("/app/view/theme")
            .header("host", AUTHORITY)
            .header("accept", accept)
            .header("content-type", "application/x-www-form-urlencoded");
        app.send(request.body(Body::from(fields)).expect("a request"))
    };
    for accept in ["text/html", "*/*"] {
        assert_eq!(theme("name=sup", accept).await.status, StatusCode::SEE_OTHER, "{accept}");
        let dark = theme("choice=dark", accept).await;
        assert!(dark.header("set-cookie").contains("dark"), "{accept}");
        // What cannot be read is the caller's mistake, whoever calls.
        assert_eq!(theme("choice=a&choice=b", accept).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{accept}");
    }
}

#[tokio::test]
async fn a_method_that_the_page_does_not_take_is_told() {
    let app = App::new();
    for method in ["POST", "OPTIONS", "DELETE"] {
        let request = Request::builder().method(method).uri("/").header("host", AUTHORITY);
        let answer = app.send(request.body(Body::empty()).expect("a request")).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert!(answer.header("allow").contains("GET"), "{method}");
        assert!(answer.text().contains(&format!("`/` does not take {method}")), "{method}: {}", answer.text());
    }
}
