//! Access: the guard checks every route. One test runs it in the real service as well.

use axum::{body::Body, http::Request};
use standing::config::{AuthMode, Service};
use testkit::{TestHome, TestService};

use crate::app::{AUTHORITY, Answer, App, THE_LOOP, problem};

/// One address of each kind: page, asset, REST, unknown.
const EVERYWHERE: [&str; 6] = ["/", "/pkg/the-loop.js", "/health", "/api/v1/standing-sessions", "/api/x", "/nowhere"];

async fn ask(app: &App, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.send(request.body(Body::empty()).expect("a request")).await
}

fn app_with(hosts: &[&str], origins: &[&str]) -> App {
    let own = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let settings = Service { allowed_hosts: own(hosts), cors_allow_origins: own(origins), ..Service::default() };
    App::over(TestHome::builder().exe(THE_LOOP).build(), &settings)
}

#[tokio::test]
async fn a_foreign_host_gets_nothing_anywhere() {
    let app = App::new();
    for path in EVERYWHERE {
        for host in [
            "evil.example:4114",
            "evil.example",
            "127.0.0.1",
            "localhost:4115",
            "127.0.0.1:4114.evil.example",
            "127.0.0.1.nip.io:4114",
        ] {
            problem(&ask(&app, path, &[("host", host)]).await, 403, "forbidden");
        }
        problem(&ask(&app, path, &[]).await, 403, "forbidden");
        problem(&ask(&app, path, &[("host", AUTHORITY), ("host", "evil.example")]).await, 403, "forbidden");
    }
}

#[tokio::test]
async fn a_forwarded_host_is_not_believed() {
    let app = App::new();
    for forwarded in ["x-forwarded-host", "forwarded", "x-host", "x-original-host"] {
        let own = if forwarded == "forwarded" { format!("host={AUTHORITY}") } else { AUTHORITY.to_owned() };
        for path in EVERYWHERE {
            let headers = [("host", "evil.example:4114"), (forwarded, own.as_str())];
            problem(&ask(&app, path, &headers).await, 403, "forbidden");
        }
    }
    // With a token the kernel vouches for nobody, and the name is still that of `Host` alone.
    let open = Service { auth_mode: AuthMode::None, ..Service::default() };
    let app = App::over(TestHome::builder().exe(THE_LOOP).build(), &open);
    for forwarded in ["x-forwarded-host", "forwarded", "x-host", "x-original-host"] {
        let answer = ask(&app, "/", &[("host", AUTHORITY), (forwarded, "evil.example")]).await;
        assert!(answer.status == 200 && !answer.text().contains("evil.example"), "{forwarded}");
    }
}

#[tokio::test]
async fn a_forwarded_request_is_not_vouched_for_on_any_route() {
    let app = App::new();
    let operations = server::openapi::operations().map(|(method, path)| (method, path.to_owned()));
    let others =
        ["/", "/mcp", "/pkg/the-loop.css", "/favicon.svg", "/app/standing/say", "/app/standing/stop", "/nowhere"];
    let others = others.iter().flat_map(|path| ["GET", "POST"].map(|method| (method.to_owned(), (*path).to_owned())));
    for (method, path) in operations.chain(others) {
        let request = Request::builder().method(method.as_str()).uri(&path).header("host", AUTHORITY);
        let request = request.header("x-forwarded-for", "203.0.113.9");
        let answer = app.send(request.body(Body::empty()).expect("a request")).await;
        problem(&answer, 403, "forbidden");
        assert!(answer.text().contains("service.auth.mode: token"), "{method} {path}: {}", answer.text());
    }
    for name in [
        "Forwarded",
        "Via",
        "X-Forwarded-Proto",
        "X-Forwarded-Whatever",
        "X_Forwarded_For",
        "X-Real-IP",
        "CF-Connecting-IP",
        "CF-Ray",
        "Tailscale-User-Login",
        "TAILSCALE-NEW-THING",
        "True-Client-IP",
        "X-Client-IP",
        "X-Envoy-External-Address",
        "X-Original-URL",
        "Fly-Client-IP",
        "Cdn-Loop",
    ] {
        let answer = ask(&app, "/api/v1/standing-sessions", &[("host", AUTHORITY), (name, "")]).await;
        problem(&answer, 403, "forbidden");
        assert!(answer.text().contains("service.auth.mode: token"), "{name}: {}", answer.text());
    }
    for name in ["x-request-id", "traceparent", "user-agent", "accept-language", "idempotency-key"] {
        assert_eq!(ask(&app, "/health", &[("host", AUTHORITY), (name, "x")]).await.status, 200, "{name}");
    }
}

#[tokio::test]
async fn a_foreign_page_gets_nothing_anywhere() {
    let app = App::new();
    for path in EVERYWHERE {
        for origin in ["http://evil.example", "null", "http://localhost:4114", "http://127.0.0.1:3000"] {
            problem(&ask(&app, path, &[("host", AUTHORITY), ("origin", origin)]).await, 403, "forbidden");
        }
        for site in ["cross-site", "same-site", "odd"] {
            problem(&ask(&app, path, &[("host", AUTHORITY), ("sec-fetch-site", site)]).await, 403, "forbidden");
        }
    }
}

#[tokio::test]
async fn its_own_page_and_plain_programs_are_let_in() {
    let app = App::new();
    let origin = format!("http://{AUTHORITY}");
    for headers in [
        vec![("host", AUTHORITY)],
        vec![("host", AUTHORITY), ("origin", origin.as_str()), ("sec-fetch-site", "same-origin")],
        vec![("host", AUTHORITY), ("sec-fetch-site", "none")],
        vec![("host", "[::1]:4114")],
        vec![("host", "LocalHost:4114")],
    ] {
        let answer = ask(&app, "/api/v1/standing-sessions", &headers).await;
        assert_eq!(answer.status, 200, "{headers:?}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_host_in_the_request_line_counts_as_well() {
    let app = App::new();
    let answer = ask(&app, "http://evil.example/api/v1/health", &[("host", AUTHORITY)]).await;
    problem(&answer, 403, "forbidden");
    let answer = ask(&app, "http://127.0.0.1:4114/api/v1/health", &[("host", AUTHORITY)]).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_named_host_and_a_named_origin_are_let_in() {
    let app = app_with(&["loop.example"], &["https://dash.example"]);
    assert_eq!(ask(&app, "/health", &[("host", "loop.example")]).await.status, 200);
    let headers = [("host", AUTHORITY), ("origin", "https://dash.example"), ("sec-fetch-site", "cross-site")];
    let answer = ask(&app, "/api/v1/standing-sessions", &headers).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), "https://dash.example");
}

#[tokio::test]
async fn a_preflight_is_answered_for_a_named_origin_alone() {
    let app = app_with(&[], &["https://dash.example"]);
    let preflight = |origin: &str| {
        let request = Request::options("/api/v1/standing-sessions/say").header("host", AUTHORITY);
        let request = request.header("origin", origin).header("access-control-request-method", "POST");
        request.header("access-control-request-headers", "content-type").body(Body::empty()).expect("a request")
    };
    let answer = app.send(preflight("https://dash.example")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), "https://dash.example");
    problem(&app.send(preflight("https://evil.example")).await, 403, "forbidden");
}

#[tokio::test]
async fn a_refusal_says_what_to_do() {
    let app = App::new();
    let answer = ask(&app, "/", &[("host", "evil.example:4114")]).await;
    let detail = answer.json()["detail"].as_str().expect("a detail").to_owned();
    for part in ["evil.example:4114", "http://127.0.0.1:4114/", "service.allowedHosts", "service.auth.mode: token"] {
        assert!(detail.contains(part), "{detail}");
    }
}

#[tokio::test]
async fn a_browser_that_is_refused_gets_a_page_that_says_what_to_set() {
    let app = App::new();
    let forwarded = [("host", "localhost:4115"), ("accept", "text/html"), ("sec-fetch-mode", "navigate")];
    let answer = ask(&app, "/", &forwarded).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (403, "text/html; charset=utf-8"));
    let text = answer.text();
    let (key, open) = (
        text.find("allowedHosts: [&quot;localhost:4115").or(text.find(r#"allowedHosts: ["localhost:4115"]"#)),
        text.find("http://127.0.0.1:4114/"),
    );
    assert!(key.is_some() && key < open, "the key first, with the name in it: {text}");
    assert!(!text.contains("auth.mode"), "a name of this machine needs no token: {text}");
    let hostile = [("host", "<b>evil</b>"), ("accept", "text/html")];
    let answer = ask(&app, "/", &hostile).await;
    assert!(answer.status == 403 && !answer.text().contains("<b>"), "{}", answer.text());
    // A script that asks for the page is told as data.
    let script = [("host", "localhost:4115"), ("accept", "text/html"), ("sec-fetch-mode", "cors")];
    problem(&ask(&app, "/", &script).await, 403, "forbidden");
}

#[tokio::test]
async fn every_answer_has_the_headers_for_browsers() {
    let app = App::new();
    for path in EVERYWHERE {
        let answer = app.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert!(answer.header("content-security-policy").contains("frame-ancestors 'none'"), "{path}");
        assert!(!answer.header("x-request-id").is_empty(), "{path}");
    }
}

#[test]
fn the_real_service_goes_by_the_port_it_got() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let http = service.http();
    assert_eq!(http.get("/api/v1/health").status, 200);
    let ask = |line: &str, host: &str| http.raw(&format!("{line}\r\n{host}connection: close\r\n\r\n"));
    let own = format!("host: {}\r\n", http.authority());
    assert_eq!(ask("GET /health HTTP/1.1", "host: 127.0.0.1:4114\r\n").status, 403);
    assert_eq!(ask("GET /health HTTP/1.1", &format!("{own}host: evil.example\r\n")).status, 403);
    assert_eq!(ask("GET http://evil.example/health HTTP/1.1", &own).status, 403);
    assert_eq!(ask("GET /health HTTP/1.0", "").status, 403);
    assert_eq!(ask("GET /health HTTP/1.1", &own).status, 200);
}

#[tokio::test]
async fn no_route_is_forgotten() {
    let app = App::new();
    let operations = server::openapi::operations().map(|(method, path)| (method, path.to_owned()));
    let others = ["/", "/mcp", "/pkg/the-loop.css", "/favicon.svg", "/app/say", "/nowhere"];
    let others = others.iter().flat_map(|path| ["GET", "POST"].map(|method| (method.to_owned(), (*path).to_owned())));
    let routes: Vec<_> = operations.chain(others).collect();
    assert!(routes.len() > 25, "{routes:?}");
    for (method, path) in routes {
        for headers in [
            vec![("host", "evil.example:4114")],
            vec![("host", AUTHORITY), ("origin", "http://evil.example")],
            vec![("host", AUTHORITY), ("sec-fetch-site", "cross-site")],
        ] {
            let mut request = Request::builder().method(method.as_str()).uri(&path);
            for (name, value) in &headers {
                request = request.header(*name, *value);
            }
            let answer = app.send(request.body(Body::empty()).expect("a request")).await;
            assert_eq!(answer.status, 403, "{method} {path} {headers:?}");
        }
    }
}

#[tokio::test]
async fn what_is_typed_into_sessions_is_held_to_a_rate() {
    for (verb, body) in [("say", r#"{"name":"nobody","text":"x"}"#), ("answer", r#"{"name":"nobody","choice":"1"}"#)] {
        let app = App::new();
        let mut slowed = None;
        for _ in 0..2000 {
            let answer = app.post(&format!("/api/v1/standing-sessions/{verb}"), body).await;
            if answer.status == 429 {
                slowed = Some(answer);
                break;
            }
            assert_eq!(answer.status, 404, "{}", answer.text());
        }
        let slowed = slowed.unwrap_or_else(|| panic!("{verb} was let through every time"));
        problem(&slowed, 429, "too-many");
        assert!(slowed.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0));
        assert_eq!(app.get("/api/v1/standing-sessions").await.status, 200, "reading goes on");
    }
}
