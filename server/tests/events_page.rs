//! The Events page: the log of all sessions, filtered and paged by plain links, and its news as finished items.

use ::app::{
    AppContext,
    timeline::{EventsQuery, NewsOf, Timeline, TimelineProps, load_events, news, of_session},
};
use axum::http::StatusCode;
use engine::Engine;
use leptos::prelude::{Owner, RenderHtml as _};
use serde_json::json;
use standing::{DeleteRequest, SessionName};

use crate::{
    app::{App, SESSIONS},
    forms::form,
};

/// Returns the items of a page: their names of events, newest first.
fn events(page: &str) -> Vec<&str> {
    page.split(" data-event=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect()
}

/// Returns the address of the page before this one; empty if there is none.
fn older(page: &str) -> String {
    let link = page.split("<a ").find(|link| link.contains("rel=\"next\"")).unwrap_or_default();
    let address = link.split("href=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    address.replace("&amp;", "&")
}

/// Writes a log of so many events, every third one of the session `ops`.
fn write_log(app: &App, lines: usize) {
    let logs = app.home.project().join(".the-loop/logs");
    std::fs::create_dir_all(&logs).expect("a folder");
    let line = |number: usize| {
        let session = if number.is_multiple_of(3) { "ops" } else { "other" };
        let ts = format!("2026-05-08T12:00:{:02}.{:03}Z", number / 10, number % 10);
        json!({ "ts": ts, "source": "cli", "event": format!("test.event-{number}"), "level": "info", "pid": 1,
            "standing": session })
    };
    let log: String = (0..lines).map(|number| line(number).to_string() + "\n").collect();
    std::fs::write(logs.join("events.jsonl"), log).expect("written");
}

async fn create(app: &App, name: &str) {
    let created = app.post(&format!("{SESSIONS}/create"), json!({ "name": name, "harness": "demo" }).to_string()).await;
    assert_eq!(created.status, StatusCode::OK, "{}", created.text());
}

async fn delete(app: &App, name: &str) {
    let the_loop = app.home.the_loop();
    let request = DeleteRequest { name: name.to_owned() };
    let deleted = tokio::task::spawn_blocking(move || the_loop.standing().delete(&request).map(|_| ()));
    deleted.await.expect("no panic").expect("deleted");
}

#[tokio::test]
async fn events_are_shown_as_text_and_filtered_by_session_kind_surface_and_time() {
    let app = App::new();
    for name in ["ops", "other"] {
        create(&app, name).await;
    }
    form(&app, "say", "name=ops&text=%3Cscript%3Ealert(1)%3C%2Fscript%3E%1b%5D0%3Bowned%07").await;
    let page = app.get("/events").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.header("content-security-policy").contains("script-src 'self'"), "{:?}", page.headers);
    let page = page.text();
    assert_eq!(events(&page)[0], "standing.said");
    assert!(
        page.contains("&lt;script&gt;alert(1)&lt;/script&gt;]0;owned") && !page.contains("<script>alert"),
        "{page}"
    );
    assert!(!page.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
    assert!(page.contains("submitted, seen in the transcript") && page.contains("data-surface=\"page\""), "{page}");

    let only = async |query: &str| events(&app.get(&format!("/events?{query}")).await.text()).join(" ");
    assert_eq!(only("session=ops&kind=messages").await, "standing.said");
    assert_eq!(only("session=other&kind=messages").await, "");
    assert_eq!(only("session=other").await, "standing.started standing.created");
    assert_eq!(only("surface=page").await, "standing.said");
    assert_eq!(only("surface=cli&session=&kind=&since=&until=").await, "");
    assert_eq!(only("kind=messages&since=1h").await, "standing.said");
    assert_eq!(only("until=1h").await, "");
    let mistakes = app.get("/events?session=No+Name&since=yesterday&before=nowhere").await;
    assert_eq!((mistakes.status, events(&mistakes.text()).len()), (StatusCode::OK, 0));
    assert!(mistakes.text().contains("not allowed here in a session name"), "{}", mistakes.text());
    assert!(mistakes.text().contains("value=\"yesterday\"") && mistakes.text().contains("or a time span such as 2h"));
    for name in ["ops", "other"] {
        delete(&app, name).await;
    }
}

#[tokio::test]
async fn earlier_events_are_on_pages_of_their_own() {
    let app = App::new();
    write_log(&app, 120);
    for (filter, expected, pages) in [("", 120, 3), ("?session=ops", 40, 1), ("?kind=messages", 0, 1)] {
        let (mut address, mut found, mut visited) = (format!("/events{filter}"), Vec::new(), 0);
        while !address.is_empty() {
            let page = app.get(&address).await.text();
            found.extend(events(&page).into_iter().map(str::to_owned));
            address = older(&page);
            visited += 1;
            assert!(visited <= pages, "{filter}: more pages than {pages}");
        }
        assert_eq!((found.len(), visited), (expected, pages), "{filter}");
        assert!(found.iter().all(|event| found.iter().filter(|other| *other == event).count() == 1), "{found:?}");
    }
}

#[tokio::test]
async fn the_timeline_of_a_session_has_pages_and_a_choice_of_messages() {
    let app = App::new();
    write_log(&app, 180);
    let context = AppContext::new(Engine::new(app.home.the_loop()));
    let ops = SessionName::parse("ops").expect("a name");
    let (mut before, mut found) = (String::new(), Vec::new());
    loop {
        let timeline = of_session(&context, &ops, "", &before).await;
        let html = Owner::new().with(|| Timeline(TimelineProps { timeline }).to_html());
        assert!(html.contains("<a href=\"/standing/ops#timeline\" aria-current=\"true\">All</a>"), "{html}");
        assert!(html.contains("href=\"/standing/ops?kind=messages#timeline\""), "{html}");
        found.extend(events(&html).into_iter().map(str::to_owned));
        let Some((_, rest)) = older(&html).split_once("before=").map(|(a, b)| (a.to_owned(), b.to_owned())) else {
            break;
        };
        before = rest.trim_end_matches("#timeline").to_owned();
    }
    let expected: Vec<String> =
        (0..180).rev().filter(|number| number % 3 == 0).map(|number| format!("test.event-{number}")).collect();
    assert_eq!(found, expected);
    let timeline = of_session(&context, &ops, "messages", "").await;
    let html = Owner::new().with(|| Timeline(TimelineProps { timeline }).to_html());
    assert!(html.contains("No messages yet") && events(&html).is_empty(), "{html}");
}

#[tokio::test]
async fn news_are_finished_items_in_order() {
    let app = App::new();
    create(&app, "ops").await;
    let context = AppContext::new(Engine::new(app.home.the_loop()));
    let position = load_events(&context, EventsQuery::default()).await.position();
    for text in ["first", "%3Cb%3Esecond%3C%2Fb%3E"] {
        form(&app, "say", &format!("name=ops&text={text}")).await;
    }
    let ops = SessionName::parse("ops").expect("a name");
    let of_session = NewsOf::Session { name: ops, kind: "messages".to_owned() };
    let of_all = NewsOf::Events(EventsQuery::parse("kind=messages"));
    for (of, level) in [(of_session, "h3"), (of_all, "h2")] {
        let told = news(&context, &of, position).await;
        let [first, second] = &told.items[..] else { panic!("{told:#?}") };
        assert!(first.html.starts_with("<li ") && first.html.contains("first"), "{first:?}");
        assert!(second.html.contains("&lt;b&gt;second&lt;/b&gt;") && second.html.ends_with("</li>"), "{second:?}");
        assert!(second.id.starts_with("message-") && second.html.contains(&format!("id=\"{}\"", second.id)));
        assert_eq!(second.head, format!("<{level} class=\"day\">Today</{level}>"));
        let none = news(&context, &of, told.position).await;
        assert_eq!((none.items.len(), none.position, none.gap), (0, told.position, false));
    }
    let nothing = NewsOf::Events(EventsQuery::parse("session=other"));
    assert!(news(&context, &nothing, position).await.items.is_empty());
    delete(&app, "ops").await;
}
