//! Fetches a page from the server and merges it into the open one.

use std::cell::Cell;

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortSignal, Document, DomParser, Element, Headers, RequestInit, Response, SupportedType, UrlSearchParams,
    js_sys::{JSON, Reflect},
};

use super::{document, drafts, every, first, live, morph, root, set, window};

/// Statuses of a proxy that cannot reach the service.
const UNREACHED: [u16; 3] = [502, 503, 504];

/// Timeout for a page, in milliseconds.
const TOO_LONG: u32 = 10_000;

thread_local! {
    /// Counts the shown pages. A page that was requested before the last one was shown is out of date.
    static SHOWN: Cell<u32> = const { Cell::new(0) };
}

/// A page as the server rendered it, with its address.
pub(super) struct Fetched {
    pub(super) document: Document,
    pub(super) address: String,
    asked_after: u32,
}

/// Reason why there is no page.
pub(super) enum Failure {
    /// The service does not answer.
    Silent,
    /// The browser is not signed in.
    SignedOut,
    /// The service refused the request, for this reason.
    Refused(String),
}

impl From<JsValue> for Failure {
    fn from(_: JsValue) -> Self {
        Self::Silent
    }
}

/// Fetches a page. With a form, posts the form and follows the redirect.
pub(super) async fn fetch(address: &str, form: Option<&UrlSearchParams>) -> Result<Fetched, Failure> {
    let asked_after = SHOWN.get();
    let request = RequestInit::new();
    let headers = Headers::new()?;
    // A refusal arrives as data, so that its reason can be shown alone.
    headers.set("accept", "text/html, application/problem+json")?;
    request.set_headers(&headers);
    match form {
        Some(form) => {
            request.set_method("POST");
            request.set_body(form);
        }
        // A verb has no timeout. A page that takes this long will not arrive.
        None => request.set_signal(Some(&AbortSignal::timeout_with_u32(TOO_LONG))),
    }
    let response = JsFuture::from(window().fetch_with_str_and_init(address, &request)).await?;
    let response: Response = response.unchecked_into();
    let text = JsFuture::from(response.text()?).await?.as_string().unwrap_or_default();
    if !response.ok() {
        return Err(refused(&response, &text));
    }
    let document = DomParser::new()?.parse_from_string(&text, SupportedType::TextHtml)?;
    if document.get_element_by_id("main").is_none() {
        let reason = "Unexpected answer from the service. Reload the page.";
        return Err(Failure::Refused(reason.to_owned()));
    }
    Ok(Fetched { document, address: response.url(), asked_after })
}

/// Returns the reason from a refusal, never the document that contains it.
fn refused(response: &Response, text: &str) -> Failure {
    let kind = response.headers().get("content-type").ok().flatten().unwrap_or_default();
    let detail = if kind.contains("json") {
        JSON::parse(text).ok().and_then(|problem| Reflect::get(&problem, &"detail".into()).ok()?.as_string())
    } else {
        kind.starts_with("text/plain").then(|| text.trim().to_owned())
    };
    let status = response.status();
    match detail.filter(|detail| !detail.is_empty()) {
        _ if status == 401 => Failure::SignedOut,
        None if UNREACHED.contains(&status) => Failure::Silent,
        Some(detail) => Failure::Refused(detail),
        None => {
            let mut reason = String::from("The service answered with HTTP status ");
            reason.push_str(&status.to_string());
            Failure::Refused(reason)
        }
    }
}

impl Fetched {
    /// True if nothing newer was shown since this page was requested.
    pub(super) fn is_newest(&self) -> bool {
        self.asked_after == SHOWN.get()
    }

    /// Updates the open page.
    pub(super) fn show(&self) {
        if self.is_of_another_build() {
            let _ = window().location().reload();
            return;
        }
        SHOWN.set(SHOWN.get().wrapping_add(1));
        live::up_to_date();
        document().set_title(&self.document.title());
        if let Some(theme) = self.document.document_element().and_then(|html| html.get_attribute("data-theme")) {
            set(&root(), "data-theme", &theme);
        }
        if let (Some(open), Some(new)) = (document().body(), self.document.body()) {
            morph::morph(&open, &new);
        }
        drafts::restore();
    }

    /// True if the server was upgraded: its style sheet has another address. Unsent text is not discarded for that.
    fn is_of_another_build(&self) -> bool {
        let sheet = |sheet: Option<Element>| sheet.and_then(|link| link.get_attribute("href"));
        let selector = "link[rel=stylesheet]";
        let new = self.document.query_selector(selector).ok().flatten();
        sheet(first(selector)) != sheet(new) && !every("textarea, input").iter().any(morph::is_dirty)
    }
}
