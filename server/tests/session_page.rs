//! The page of one session over HTTP: what it shows, where its forms lead, and what its stream says of the pane.

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream},
    http::Request,
};
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_stream::StreamExt as _;

use crate::app::{AUTHORITY, Answer, App, SESSIONS};

const CAP: Duration = Duration::from_secs(20);

async fn with_echoer(app: &App) {
    let made = app.post(&format!("{SESSIONS}/create"), json!({ "name": "ops", "harness": "echoer" }).to_string()).await;
    assert!(made.status.is_success(), "{}", made.text());
}

/// Posts a form as a browser without scripts does, from a page.
async fn posted(app: &App, verb: &str, form: &str, from: &str) -> Answer {
    let request = Request::post(format!("/app/standing/{verb}"))
        .header("host", AUTHORITY)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("accept", "text/html")
        .header("referer", from);
    app.send(request.body(Body::from(form.to_owned())).expect("a request")).await
}

/// Asks until the page contains a text.
async fn page_with(app: &App, text: &str) -> String {
    let asked = async {
        loop {
            let page = app.get("/standing/ops").await;
            assert_eq!(page.status, 200, "{}", page.text());
            if page.text().contains(text) {
                return page.text();
            }
        }
    };
    timeout(CAP, asked).await.unwrap_or_else(|_| panic!("timed out waiting for {text}"))
}

#[tokio::test]
async fn the_page_shows_the_pane_and_its_forms_lead_back_to_it() {
    let app = App::new();
    with_echoer(&app).await;
    let page = page_with(&app, "echoer is ready").await;
    for text in ["<span id=\"l-0\">", "data-session=\"ops\"", "data-pane=\"ops\"", "action=\"/app/standing/stop\""] {
        assert!(page.contains(text), "{text} in {page}");
    }
    assert!(!page.contains(" style="), "the policy forbids it");

    let here = format!("http://{AUTHORITY}/standing/ops");
    let said = posted(&app, "say", "name=ops&text=marmalade", &here).await;
    assert_eq!(said.status, 303, "{}", said.text());
    assert!(said.header("location").starts_with("/standing/ops?notice="), "{}", said.header("location"));
    let answered = app.get(said.header("location")).await.text();
    assert!(answered.contains("<q>marmalade</q>"), "{answered}");
    page_with(&app, "echo: marmalade").await;

    let stopped = posted(&app, "stop", "name=ops", &here).await;
    let answered = app.get(stopped.header("location")).await.text();
    assert!(answered.contains("action=\"/app/standing/start\"") && answered.contains("No pane."), "{answered}");
    for elsewhere in ["https://evil.example/standing/ops//x", "https://evil.example//evil.example", "/standing/../x"] {
        let led = posted(&app, "stop", "name=ops", elsewhere).await;
        let to = led.header("location");
        assert!(to.starts_with("/?") || to.starts_with("/standing/ops?"), "{elsewhere} leads to {to}");
    }
}

#[tokio::test]
async fn an_unknown_name_is_not_found_and_similar_ones_are_shown() {
    let app = App::new();
    with_echoer(&app).await;
    let missing = app.get("/standing/opps").await;
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("href=\"/standing/ops\""), "{}", missing.text());
    for strange in ["/standing/%3Cscript%3E", "/standing/..%2f..%2fetc", "/standing/OPS%20"] {
        let answer = app.get(strange).await;
        assert_eq!(answer.status, 404, "{strange}");
        assert!(!answer.text().contains("<script>"), "{}", answer.text());
    }
}

#[tokio::test]
async fn the_history_is_served_in_pages_of_numbered_lines() {
    let app = App::new();
    let script = "i=1; while [ $i -le 700 ]; do echo line-$i-; i=$((i+1)); done; exec sleep 600";
    app.home.reconfigure("/routing/harnesses/echoer", json!({ "command": ["sh", "-c", script], "newArgs": ["x"] }));
    with_echoer(&app).await;
    let page = page_with(&app, "line-700-").await;
    let first = page.split_once("data-first=\"").and_then(|(_, rest)| rest.split_once('"')).expect("a number").0;
    let above = app.get(&format!("/standing/ops/scrollback?before={first}")).await;
    assert_eq!(above.status, 200);
    assert_eq!(above.text().matches("<span id=\"l-").count(), 500);
    let last = first.parse::<usize>().expect("a number") - 1;
    assert!(above.text().contains(&format!("<span id=\"l-{last}\">line-{first}-</span>")), "{}", above.text());
    assert_eq!(app.get("/standing/ops/scrollback?before=x").await.status, 400);
    assert_eq!(app.get("/standing/nothing/scrollback?before=1").await.status, 404);
    app.home.tmux().start_foreign("loop-standing-theirs");
    let theirs = app.get("/standing/theirs/scrollback?before=1").await;
    assert!(theirs.status.is_client_error() && !theirs.text().contains("foreign"), "{}", theirs.text());
}

/// Reads the stream until an event about the pane is as it should be.
async fn pane_event(stream: &mut BodyDataStream, wanted: impl Fn(&Value) -> bool) -> Value {
    let read = async {
        let mut text = String::new();
        while let Some(chunk) = stream.next().await {
            text.push_str(&String::from_utf8_lossy(&chunk.expect("the stream goes on")));
            while let Some((event, rest)) =
                text.split_once("\n\n").map(|(event, rest)| (event.to_owned(), rest.to_owned()))
            {
                text = rest;
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                let is_pane = event.lines().any(|line| line == "event: pane");
                if let Some(change) = data.filter(|_| is_pane).map(|data| serde_json::from_str(data).expect("JSON"))
                    && wanted(&change)
                {
                    return change;
                }
            }
        }
        panic!("the stream ended");
    };
    timeout(CAP, read).await.expect("an event in time")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stream_sends_the_lines_that_changed() {
    let app = App::new();
    with_echoer(&app).await;
    let page = page_with(&app, "echoer is ready").await;
    let version = page.split_once("data-version=\"").and_then(|(_, rest)| rest.split_once('"')).expect("a version").0;
    let stream = app.open(&format!("/app/stream?after={version}&page=ops&pane=ops")).await;
    let mut stream = stream.into_body().into_data_stream();
    let text = |change: &Value| change["lines"].to_string();
    let whole = pane_event(&mut stream, |_| true).await;
    assert!(text(&whole).contains("echoer is ready") && whole["alive"] == true, "{whole}");
    app.home.tmux().run(&["send-keys", "-t", "=loop-standing-ops:", "marmalade", "Enter"]);
    let change = pane_event(&mut stream, |change| text(change).contains("echo: marmalade")).await;
    assert!(!text(&change).contains("echoer is ready"), "an unchanged line does not travel: {change}");
    assert_eq!(change["name"], "ops");
}
