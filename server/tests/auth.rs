//! Access: the service accepts its own user, a client with the token and a signed-in browser, and refuses all others.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    process::{Command, Stdio},
};

use axum::{body::Body, http::Request};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::json;
use server::access::Peer;
use standing::config::{AuthMode, Service};
use testkit::{TestHome, TestService, wait_for};

use crate::app::{AUTHORITY, Answer, App, SESSIONS, THE_LOOP, problem};

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

const FORM: Option<&str> = Some("application/x-www-form-urlencoded");

/// The address that `open` prints, with a code in it.
fn open(home: &TestHome) -> String {
    home.reconfigure("/service/auth/mode", json!("token"));
    let told = home.command(THE_LOOP).arg("open").output().expect("it runs");
    assert!(told.status.success(), "{told:?}");
    String::from_utf8_lossy(&told.stdout).trim().to_owned()
}

/// Signs in, and gives the answer.
async fn sign_in(app: &App, next: &str) -> Answer {
    let code = open(&app.home).split_once("#code=").expect("a code").1.to_owned();
    app.post_as("/signin", FORM, format!("next={next}&code={code}")).await
}

/// `name=value` of the cookie that an answer sets.
fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").split(';').next().expect("a value").to_owned()
}

async fn cookie_name(app: &App) -> String {
    cookie(&sign_in(app, "").await).split_once('=').expect("a name").0.to_owned()
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
        let name = cookie_name(&app).await;
        for wrong in [format!("{name}="), format!("{name}=9999999999.a.b"), format!("{name}={token}")] {
            problem(&ask(&app, path, "cookie", &wrong).await, 401, "forbidden");
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

#[tokio::test]
async fn the_sign_in_page_lets_the_browser_say_that_its_form_is_ours() {
    let app = App::over(home(), &token_mode());
    for path in ["/", "/nowhere", "/signin"] {
        let page = ask(&app, path, "accept", "text/html").await;
        assert_eq!((page.status.as_u16(), page.header("referrer-policy")), (401, "same-origin"), "{path}");
    }
    let code = open(&app.home).split_once("#code=").expect("a code").1.to_owned();
    let post = |origin: &str| {
        let request = Request::post("/signin").header("host", AUTHORITY).header("origin", origin);
        let request = request.header("sec-fetch-site", "same-origin");
        app.send(request.body(Body::from(format!("code={code}"))).expect("a request"))
    };
    problem(&post("null").await, 403, "forbidden");
    assert_eq!(post(&format!("http://{AUTHORITY}")).await.status, 303);
}

#[tokio::test]
async fn two_services_on_one_host_do_not_sign_each_other_out() {
    let (one, other) = (App::over(home(), &token_mode()), App::over(home(), &token_mode()));
    let jar = [cookie(&sign_in(&one, "").await), cookie(&sign_in(&other, "").await)];
    let names: Vec<&str> = jar.iter().map(|cookie| cookie.split('=').next().expect("a name")).collect();
    assert_ne!(names[0], names[1], "a browser sends both to every port of the host, under names of their own");
    for app in [&one, &other] {
        assert_eq!(ask(app, "/health", "cookie", &jar.join("; ")).await.status, 200);
    }
    problem(&ask(&other, "/health", "cookie", &jar[0]).await, 401, "forbidden");
}

#[tokio::test]
async fn signing_in_leads_back_to_what_was_asked_for() {
    let app = App::over(home(), &token_mode());
    let page = ask(&app, "/?q=%22ops&show=created", "accept", "text/html").await;
    assert!(page.text().contains("value=\"/?q=%22ops&amp;show=created\""), "{}", page.text());
    let back = sign_in(&app, "%2F%3Fq%3Dops%26show%3Dcreated").await;
    assert_eq!((back.status.as_u16(), back.header("location")), (303, "/?q=ops&show=created#/standing"));
    for elsewhere in ["//evil.example", "%2F%5Cevil.example", "http://evil.example/", "/%0d%0aset-cookie:a=b"] {
        assert_eq!(sign_in(&app, elsewhere).await.header("location"), "/#/standing", "{elsewhere}");
    }
    let in_already = cookie(&sign_in(&app, "").await);
    assert_eq!(ask(&app, "/signin", "cookie", &in_already).await.header("location"), "/#/standing");
    // A code may be pasted with the address around it.
    let address = open(&app.home);
    let pasted = format!("code={}", address.replace('#', "%23").replace(':', "%3A")) + "%20";
    assert_eq!(app.post_as("/signin", FORM, pasted).await.status, 303);
}

#[tokio::test]
async fn a_form_that_comes_after_the_end_of_a_sign_in_is_not_lost() {
    let app = App::over(home(), &token_mode());
    let request = Request::post("/app/standing/say")
        .header("host", AUTHORITY)
        .header("origin", format!("http://{AUTHORITY}"))
        .header("referer", format!("http://{AUTHORITY}/?q=ops"))
        .header("accept", "text/html")
        .header("content-type", FORM.expect("a type"));
    let form = "name=ops&key=k&text=half+a+%3Cb%3Ethought%3C%2Fb%3E";
    let page = app.send(request.body(Body::from(form)).expect("a request")).await;
    let text = page.text();
    assert_eq!((page.status.as_u16(), page.header("content-type")), (401, "text/html; charset=utf-8"));
    assert!(text.contains("half a &lt;b&gt;thought&lt;/b&gt;") && text.contains("nothing was sent"), "{text}");
    assert!(text.contains("value=\"/?q=ops\""), "{text}");
}

#[test]
fn what_comes_over_the_unix_socket_from_a_forwarder_needs_a_token() {
    let home = home();
    let ask = |home: &TestHome, extra: &str| {
        let path = home.project().join(".the-loop/local/service.sock");
        let mut stream = UnixStream::connect(path).expect("connected");
        write!(stream, "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{extra}\r\n").expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("read");
        text
    };
    let service = TestService::start(THE_LOOP, &home);
    let refused = ask(&home, "x-forwarded-for: 203.0.113.9\r\n");
    assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("service.auth.mode: token"), "{refused}");
    drop(service);
    home.reconfigure("/service/auth/mode", json!("token"));
    let _service = TestService::start(THE_LOOP, &home);
    assert!(ask(&home, "x-forwarded-for: 203.0.113.9\r\n").starts_with("HTTP/1.1 401"));
    let token = format!("authorization: Bearer {}\r\n", token_of(&home));
    assert!(ask(&home, &format!("x-forwarded-for: 203.0.113.9\r\n{token}")).starts_with("HTTP/1.1 200"));
}

/// Returns a command that runs a script as another user of this machine. Returns `None` where that is not possible.
fn as_another_user(script: &str) -> Option<Command> {
    if !nix_is_root() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: only root can act as another user");
        return None;
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--clear-groups", "--", "bash", "-c", script]).current_dir("/");
    Some(command)
}

#[test]
fn another_user_who_closes_the_connection_at_once_is_not_taken_for_root() {
    let home = home();
    let service = TestService::start(THE_LOOP, &home);
    let authority = service.http().authority().to_owned();
    let (host, port) = authority.split_once(':').expect("an authority");
    let body = r#"{"name":"intruder","harness":"demo"}"#;
    let request = format!(
        "POST {SESSIONS}/create HTTP/1.1\r\nhost: {authority}\r\ncontent-type: application/json\r\ncontent-length: \
         {}\r\n\r\n{body}",
        body.len()
    );
    let Some(mut command) = as_another_user(&format!("exec 3<>/dev/tcp/{host}/{port}; printf '%s' \"$REQUEST\" >&3"))
    else {
        return;
    };
    let pid = Pid::from_raw(i32::try_from(service.pid()).expect("a pid"));
    // The service finds the connection only when its other end is closed: then the kernel lists it as root's.
    kill(pid, Signal::SIGSTOP).expect("stopped");
    let sent = command.env("REQUEST", request).status().expect("setpriv runs");
    kill(pid, Signal::SIGCONT).expect("goes on");
    assert!(sent.success());
    wait_for("the request to be refused", || service.log().contains("processes of the user it runs as").then_some(()));
    assert!(!home.records().join("intruder.json").exists());
}

#[test]
fn another_user_who_takes_every_place_keeps_nobody_out() {
    let home = home();
    let service = TestService::start(THE_LOOP, &home);
    let authority = service.http().authority().to_owned();
    let (host, port) = authority.split_once(':').expect("an authority");
    let script = format!(
        "for ((i = 0; i < 900; i++)); do exec {{fd}}<>/dev/tcp/{host}/{port} || break; done; echo ready; read -r line"
    );
    let Some(mut command) = as_another_user(&script) else { return };
    let mut greedy =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("setpriv runs");
    let mut ready = [0; 5];
    greedy.stdout.take().expect("piped").read_exact(&mut ready).expect("it says that it is ready");
    let socket = home.project().join(".the-loop/local/service.sock");
    for _ in 0..10 {
        assert_eq!(service.http().get("/health").status, 200);
        let mut stream = UnixStream::connect(&socket).expect("connected");
        write!(stream, "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("read");
        assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    }
    drop(greedy.stdin.take());
    greedy.wait().expect("it ends");
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
    assert!(refused.contains("processes of the user it runs as"), "{refused}");
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
