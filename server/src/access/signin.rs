//! Signs a browser in, in token mode: a page takes the one-time code from the address's fragment or an input field.
//!
//! The page passes the check of name and origin but not the check of the token, and shows nothing of the service. After
//! signing in, the browser returns to the page that it requested.

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, header, uri::Authority},
    response::{IntoResponse, Response},
};
use leptos::prelude::*;
use standing::text;

use super::{Peer, auth::Auth};
use crate::surfaces::rest::MAX_BODY_BYTES;

/// Largest form, in bytes: a code, a return address, and their names.
const MAX_FORM: usize = 8 << 10;

/// Longest return address, in bytes.
const MAX_NEXT: usize = 2 << 10;

/// Default page after signing in.
const HOME: &str = "/#/standing";

/// Script of the page. A new fragment alone does not reload a page, so an address with a code that is opened in the
/// same tab would otherwise do nothing.
const SCRIPT: &str = r#"const form = document.forms[0];
const code = new URLSearchParams(location.hash.slice(1)).get("code");
if (code) {
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.code.value = code;
  form.submit();
} else if (location.hash) {
  form.elements.next.value += location.hash;
}
addEventListener("hashchange", () => location.reload());
"#;

/// The tokens of the page, and the style of this one.
const STYLE: &str = concat!(include_str!("../../../style/tokens.css"), include_str!("signin.css"));

/// Variable parts of the page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Note on the previous attempt.
    note: &'static str,
    /// Return address.
    next: String,
    /// Text of a form that was refused, kept so that it is not lost.
    typed: Vec<String>,
}

/// Answers sign-in requests; returns any other request.
pub(crate) async fn answer(auth: &Auth, peer: Peer, request: Request<Body>) -> Result<Response, Request<Body>> {
    if !matches!(auth, Auth::Token(_)) {
        return Err(request);
    }
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/signin.js") => Ok(plain("text/javascript; charset=utf-8", SCRIPT)),
        (&Method::GET, "/signin.css") => Ok(plain("text/css; charset=utf-8", STYLE)),
        (&Method::GET, "/signin") if auth.admit(peer, request.headers()).is_ok() => Ok(see_other(HOME)),
        (&Method::GET, "/signin") => Ok(Page::default().show()),
        (&Method::POST, "/signin") => Ok(exchange(auth, request.into_body()).await),
        _ => Err(request),
    }
}

/// Answers a browser's unauthenticated request with the sign-in page.
pub(crate) async fn instead_of(request: Request<Body>) -> Response {
    if request.method() == Method::GET {
        let next = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
        return Page { next, ..Page::default() }.show();
    }
    let next = came_from(request.headers()).unwrap_or_default();
    let typed = typed(request.into_body()).await;
    let note = "You are signed out, so nothing was sent. Sign in and send it again.";
    Page { note, next, typed }.show()
}

/// Returns the page of this service that posted the form.
fn came_from(headers: &HeaderMap) -> Option<String> {
    let value = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let from: Uri = value(header::REFERER)?.parse().ok()?;
    let ours = from.authority().map(Authority::as_str) == Some(value(header::HOST)?);
    ours.then(|| from.path_and_query().map(ToString::to_string)).flatten()
}

/// Returns the texts that a person typed into a form of the Standing screen.
async fn typed(body: Body) -> Vec<String> {
    let form = to_bytes(body, MAX_BODY_BYTES).await.unwrap_or_default();
    form_urlencoded::parse(&form)
        .filter(|(name, value)| (name == "text" || name.starts_with("form[")) && !value.trim().is_empty())
        .map(|(_, value)| value.into_owned())
        .collect()
}

async fn exchange(auth: &Auth, body: Body) -> Response {
    let form = to_bytes(body, MAX_FORM).await.unwrap_or_default();
    let field = |wanted: &str| {
        let found = form_urlencoded::parse(&form).find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    let (code, next) = (field("code"), field("next"));
    // The whole address that `open` prints is accepted as well.
    let code = code.rsplit("code=").next().unwrap_or_default().trim();
    let Some(cookie) = auth.sign_in(code).and_then(|cookie| HeaderValue::from_str(&cookie).ok()) else {
        let note = "This code is invalid, expired or already used.";
        return Page { note, next, ..Page::default() }.show();
    };
    let mut response = see_other(&address(&next));
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}

/// Returns the return address: always a page of this service, whatever the request contains.
fn address(next: &str) -> String {
    // Invariant: one leading `/`, no second one and no `\`, since `//host` and `/\host` are other sites.
    let rest = next.strip_prefix('/').filter(|rest| !rest.starts_with('/') && !next.contains('\\'));
    let plain = next.len() <= MAX_NEXT && next.bytes().all(|byte| byte.is_ascii_graphic());
    match rest.filter(|rest| plain && !rest.starts_with("signin")) {
        Some(rest) if (rest.is_empty() || rest.starts_with('?')) && !rest.contains('#') => format!("{next}#/standing"),
        Some(_) => next.to_owned(),
        None => HOME.to_owned(),
    }
}

fn see_other(address: &str) -> Response {
    let address = HeaderValue::from_str(address).unwrap_or(HeaderValue::from_static(HOME));
    (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response()
}

impl Page {
    fn show(self) -> Response {
        let mut response = plain("text/html; charset=utf-8", self.html());
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        let csp = "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; \
                   frame-ancestors 'none'; base-uri 'none'";
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(csp));
        // Without a referrer a browser posts the form with `Origin: null`, which the guard must refuse.
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        response
    }

    fn html(self) -> String {
        let typed = (!self.typed.is_empty()).then(|| {
            let texts = self.typed.iter().map(|typed| view! { <pre>{text::inert(typed)}</pre> }).collect_view();
            view! { <h2>"Your input"</h2> {texts} }
        });
        let page = view! {
            <html lang="en">
                <head>
                    <meta charset="utf-8"/>
                    <meta name="viewport" content="width=device-width, initial-scale=1"/>
                    <title>"Sign in · the-loop"</title>
                    <link rel="stylesheet" href="/signin.css"/>
                    <script src="/signin.js" defer></script>
                </head>
                <body>
                    <main>
                        <h1>"Sign in"</h1>
                        <p role="status">{self.note}</p>
                        <p>
                            "Run " <code>"the-loop open"</code> " on the machine that runs the service, then open \
                                                                 the address it prints, or paste it here. The code \
                                                                 in it works once and expires after five minutes."
                        </p>
                        <form method="post" action="/signin">
                            <input type="hidden" name="next" value=self.next/>
                            <label>"Code" <input name="code" autocomplete="off" required autofocus/></label>
                            <button>"Sign in"</button>
                        </form>
                        {typed}
                    </main>
                </body>
            </html>
        };
        format!("<!doctype html>{}", page.to_html())
    }
}

fn plain(kind: &'static str, body: impl Into<Body>) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")];
    (headers, body.into()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_in_leads_back_to_a_page_of_ours_alone() {
        assert_eq!(address(""), HOME);
        assert_eq!(address("/"), HOME);
        assert_eq!(address("/?q=ops&show=created"), "/?q=ops&show=created#/standing");
        assert_eq!(address("/?q=ops#/other"), "/?q=ops#/other");
        assert_eq!(address("/api/docs"), "/api/docs");
        for elsewhere in [
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "http://evil.example",
            "x",
            "/signin",
            "/a b",
            "/é",
        ] {
            assert_eq!(address(elsewhere), HOME, "{elsewhere:?}");
        }
        assert_eq!(address(&format!("/{}", "x".repeat(MAX_NEXT))), HOME);
    }
}
