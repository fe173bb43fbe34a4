//! The page's forms, posted by hand: what cannot be read is told, and nobody is sent back without a word.

use axum::{
    body::Body,
    http::{Request, StatusCode},
};

use crate::app::{AUTHORITY, Answer, App};

async fn form(app: &App, verb: &str, fields: &str) -> Answer {
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
        (StatusCode::NOT_FOUND, "there is no page at `/app/standing/nothing`\n")
    );
}
