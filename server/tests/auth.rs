//! Who is let in: our own user, whoever holds the token, a browser that was signed in, and nobody else.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    process::{Command, Stdio},
};

use axum::{body::Body, http::Request};
use serde_json::json;
use server::host::Peer;
use standing::config::{AuthMode, Service};
use testkit::{TestHome, TestService};

use crate::app::{AUTHORITY, Answer, App, THE_LOOP, problem};

/// One address of each kind.
const EVERYWHERE: [&str; 6] = ["/", "/pkg/the-loop.js", "/health", "/api/v1/standing-sessions", "/api/x", "/nowhere"];

fn token_mode() -> Service {
    Service { auth_mode: AuthMode::Token, ..Service::default() }
}

fn home() -> TestHome {
    TestHome::builder().exe(THE_LOOP).build()
}

fn token_of(home: &TestHome) -> String {
    let path = home.project().join(".the-loop/local/service.token");
    assert_eq!(fs::metadata(&path).expect("a token").permissions().mode() & 0o777, 0o600);
    fs::read_to_string(path).expect("read").trim().to_owned()
}

async fn ask(app: &App, path: &str, name: &str, value: &str) -> Answer {
    app.get_with(path, name, value).await
}

#[tokio::test]
async fn a_stranger_gets_nothing_anywhere() {
    let app = App::asked_by(home(), &Service::default(), Peer::stranger());
    for path in EVERYWHERE {
        problem(&app.get(path).await, 403, "forbidden");
    }
    let open = App::asked_by(home(), &Service { auth_mode: AuthMode::None, ..Service::default() }, Peer::stranger());
    assert_eq!(open.get("/health").await.status, 200);
}

#[tokio::test]
async fn in_token_mode_only_the_token_opens() {
    let app = App::over(home(), &token_mode());
    let token = token_of(&app.home);
    for path in EVERYWHERE {
        problem(&app.get(path).await, 401, "forbidden");
        for wrong in ["Bearer ", "Bearer x", "Basic eDp5", token.as_str(), "Bearer  "] {
            problem(&ask(&app, path, "authorization", wrong).await, 401, "forbidden");
        }
        for wrong in ["the-loop=", "the-loop=9999999999.a.b", &format!("the-loop={token}")] {
            problem(&ask(&app, path, "cookie", wrong).await, 401, "forbidden");
        }
    }
    assert_eq!(app.get("/health").await.header("www-authenticate"), "Bearer");
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let answer = ask(&app, "/api/v1/standing-sessions", "authorization", &format!("{scheme} {token}")).await;
        assert_eq!(answer.status, 200, "{scheme}: {}", answer.text());
    }
    for query in [format!("token={token}"), format!("a=b&token={token}")] {
        let answer = ask(&app, &format!("/health?{query}"), "authorization", &format!("Bearer {token}")).await;
        problem(&answer, 403, "forbidden");
    }
}

#[tokio::test]
async fn a_browser_is_signed_in_once_by_a_code() {
    let app = App::over(home(), &token_mode());
    let page = ask(&app, "/", "accept", "text/html").await;
    assert_eq!(page.status, 401);
    assert!(page.text().contains("the-loop open"), "{}", page.text());
    assert!(page.header("content-security-policy").contains("script-src 'self'"));
    assert_eq!(app.get("/signin.js").await.status, 200);

    let told = app.home.command(THE_LOOP).arg("open").output().expect("it runs");
    // The config file of this home does not ask for a token; what is left is left by the same function.
    assert!(told.status.success(), "{told:?}");
    app.home.reconfigure("/service/auth/mode", json!("token"));
    let told = app.home.command(THE_LOOP).arg("open").output().expect("it runs");
    let address = String::from_utf8_lossy(&told.stdout).trim().to_owned();
    let code = address.split_once("#code=").expect("a code in the fragment").1.to_owned();

    let other = if code.starts_with('0') { "1" } else { "0" };
    let bad = format!("code={other}{}", &code[1..]);
    let bad = app.post_as("/signin", Some("application/x-www-form-urlencoded"), bad).await;
    assert!(bad.status == 401 && bad.headers.get("set-cookie").is_none());
    let good = app.post_as("/signin", Some("application/x-www-form-urlencoded"), format!("code={code}")).await;
    assert_eq!((good.status.as_u16(), good.header("location")), (303, "/#/standing"));
    let cookie = good.header("set-cookie").to_owned();
    for flag in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(flag), "{cookie}");
    }
    let value = cookie.split(';').next().expect("a value");
    assert_eq!(ask(&app, "/api/v1/standing-sessions", "cookie", &format!("a=b; {value}")).await.status, 200);
    let again = app.post_as("/signin", Some("application/x-www-form-urlencoded"), format!("code={code}")).await;
    assert_eq!(again.status, 401, "used up");
    let foreign = Request::post("/signin").header("host", AUTHORITY).header("origin", "http://evil.example");
    problem(&app.send(foreign.body(Body::from("code=x")).expect("a request")).await, 403, "forbidden");
}

#[test]
fn another_user_of_this_machine_is_refused() {
    let home = home();
    let service = TestService::start(THE_LOOP, &home);
    let authority = service.http().authority().to_owned();
    if !nix_is_root() {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED another_user_of_this_machine_is_refused: only root can act as one");
        return;
    }
    let (host, port) = authority.split_once(':').expect("an authority");
    let script = format!(
        "exec 3<>/dev/tcp/{host}/{port}; printf 'GET /api/v1/standing-sessions HTTP/1.1\\r\\nhost: {authority}\\r\\n\
         connection: close\\r\\n\\r\\n' >&3; cat <&3"
    );
    let ask = |uid: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", uid, "--clear-groups", "--", "bash", "-c", &script]).current_dir("/");
        String::from_utf8_lossy(&command.stderr(Stdio::null()).output().expect("setpriv runs").stdout).into_owned()
    };
    let refused = ask("65534");
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    assert!(refused.contains("another's"), "{refused}");
    assert!(ask("0").starts_with("HTTP/1.1 200"));
}

fn nix_is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
}

#[test]
fn the_unix_socket_is_ours_alone_and_speaks_to_no_page() {
    let home = home();
    home.reconfigure("/service/auth/mode", json!("token"));
    let mut service = TestService::start(THE_LOOP, &home);
    let path = home.project().join(".the-loop/local/service.sock");
    assert_eq!(fs::metadata(&path).expect("a socket").permissions().mode() & 0o777, 0o600);
    let ask = |extra: &str| {
        let mut stream = UnixStream::connect(&path).expect("connected");
        write!(stream, "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{extra}\r\n").expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("read");
        text
    };
    assert!(ask("").starts_with("HTTP/1.1 200"), "no token is needed where the kernel vouches");
    assert!(ask("origin: http://localhost\r\n").starts_with("HTTP/1.1 403"));
    assert_eq!(service.http().get("/health").status, 401, "over the port it is");
    service.stop();
    let again = TestService::start(THE_LOOP, &home);
    assert!(ask("").starts_with("HTTP/1.1 200"), "a socket that was left is replaced: {}", again.log());
}

#[test]
fn senders_that_dawdle_do_not_keep_others_out() {
    let home = home();
    let service = TestService::start(THE_LOOP, &home);
    let authority = service.http().authority().to_owned();
    let dawdlers: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = TcpStream::connect(&authority).expect("connected");
            stream.write_all(b"GET /health HTTP/1.1\r\nhost: ").expect("sent");
            stream
        })
        .collect();
    assert_eq!(service.http().get("/health").status, 200);
    drop(dawdlers);
}

#[test]
fn a_host_that_others_reach_needs_a_token() {
    let home = TestHome::builder().exe(THE_LOOP).set("/service/exposed", json!(true)).build();
    let told = home.command(THE_LOOP).args(["serve", "--host", "0.0.0.0", "--port", "0"]).output().expect("it runs");
    assert_eq!(told.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&told.stderr).contains("service.auth.mode: token"), "{told:?}");
}
