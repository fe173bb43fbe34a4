//! Signing a browser in, in token mode: a page that takes the one-use code, from the address's fragment or typed.
//!
//! It stands inside the check of name and origin and outside the check of the token, and shows nothing of the service.

use axum::{
    body::{Body, to_bytes},
    http::{HeaderValue, Method, Request, StatusCode, header},
    response::{IntoResponse, Response},
};

use super::auth::Auth;

/// A code and its field's name are short.
const MAX_FORM: usize = 1024;

const SCRIPT: &str = r#"const code = new URLSearchParams(location.hash.slice(1)).get("code");
if (code) {
  history.replaceState(null, "", "/");
  document.forms[0].elements.code.value = code;
  document.forms[0].submit();
}
"#;

const STYLE: &str = "\
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 15vh auto; padding: 0 1rem; }
code { font-family: ui-monospace, monospace; }
input, button { font: inherit; padding: 0.5rem 0.75rem; }
input { width: 100%; box-sizing: border-box; margin: 0.25rem 0 0.75rem; }
";

/// Answers what belongs to signing in; `None` for every other request.
pub(super) async fn answer(auth: &Auth, request: Request<Body>) -> Result<Response, Request<Body>> {
    if !matches!(auth, Auth::Token(_)) {
        return Err(request);
    }
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/signin.js") => Ok(text("text/javascript; charset=utf-8", SCRIPT)),
        (&Method::GET, "/signin.css") => Ok(text("text/css; charset=utf-8", STYLE)),
        (&Method::POST, "/signin") => Ok(exchange(auth, request.into_body()).await),
        _ => Err(request),
    }
}

/// The page, for a browser that asked for one without being signed in.
pub(super) fn page(note: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Sign in · the-loop</title>\
         <link rel=\"stylesheet\" href=\"/signin.css\"><script src=\"/signin.js\" defer></script></head>\
         <body><main><h1>Sign in</h1><p role=\"status\">{note}</p>\
         <p>Type <code>the-loop open</code> on the machine that runs the service, and open the address it prints. \
         The code in it works once, for five minutes.</p>\
         <form method=\"post\" action=\"/signin\"><label>Code<input name=\"code\" autocomplete=\"off\" required></label>\
         <button>Sign in</button></form></main></body></html>"
    );
    let mut response = text("text/html; charset=utf-8", html);
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    let csp = "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; \
               base-uri 'none'";
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(csp));
    response
}

async fn exchange(auth: &Auth, body: Body) -> Response {
    let form = to_bytes(body, MAX_FORM).await.unwrap_or_default();
    let code = form.strip_prefix(b"code=").and_then(|code| std::str::from_utf8(code).ok()).unwrap_or_default();
    let Some(cookie) = auth.sign_in(code).and_then(|cookie| HeaderValue::from_str(&cookie).ok()) else {
        return page("That code was used already, is older than five minutes, or is none.");
    };
    let headers = [(header::LOCATION, HeaderValue::from_static("/#/standing")), (header::SET_COOKIE, cookie)];
    (StatusCode::SEE_OTHER, headers).into_response()
}

fn text(kind: &'static str, body: impl Into<Body>) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")];
    (headers, body.into()).into_response()
}
