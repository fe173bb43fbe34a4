//! Fetches a page from the server and merges it into the open one.

use std::cell::{Cell, RefCell};

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortSignal, Document, DomParser, Element, Headers, RequestInit, Response, SupportedType, UrlSearchParams,
    js_sys::{JSON, Reflect},
};

use super::{
    document, drafts, every, failure::Failure, filter, first, get, morph, root, set, stale, times, wait, wants, window,
};

/// Statuses of a proxy that cannot reach the service.
const UNREACHED: [u16; 3] = [502, 503, 504];

/// Timeout for a page, in milliseconds.
const TOO_LONG: u32 = 10_000;

thread_local! {
    /// Counts the shown pages. A page that was requested before the last one was shown is out of date.
    static SHOWN: Cell<u32> = const { Cell::new(0) };
    /// ID of the last notice.
    static NOTICE: RefCell<String> = const { RefCell::new(String::new()) };
    /// Called after a page was shown.
    static AFTER: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Sets the function that takes over parts of a shown page.
pub(super) fn follow(run: fn()) {
    AFTER.set(Some(run));
}

/// A page as the server rendered it.
struct Fetched {
    document: Document,
    asked_after: u32,
}

/// Fetches a part of the page as HTML. With a form, posts the form and follows the redirect to its notice.
pub(super) async fn part(address: &str, form: Option<&UrlSearchParams>) -> Result<String, Failure> {
    let (_, text) = ask(address, form, true).await?;
    Ok(text)
}

/// Checks that the service answers and lets this browser in.
pub(super) async fn probe() -> Result<(), Failure> {
    let (response, _) = ask("/favicon.svg", None, false).await?;
    let kind = response.headers().get("content-type").ok().flatten().unwrap_or_default();
    if kind.starts_with("image/svg") { Ok(()) } else { Err(unexpected()) }
}

/// Posts a form that is answered by a whole page, and shows that.
pub(super) async fn reloaded(address: &str, form: &UrlSearchParams) -> Result<String, Failure> {
    fetch(address, Some(form)).await?.show();
    Ok(String::new())
}

/// Requests the page at the current address at once, and shows it.
pub(super) fn refresh() {
    spawn_local(async {
        loop {
            let address = window().location().href();
            let Ok(asked) = &address else { return };
            match fetch(asked, None).await {
                Ok(page) if page.asked_after == SHOWN.get() && window().location().href() == address => {
                    return page.show();
                }
                // The address was changed, or another page shown, in the meantime. This one may be older than the other, or
                // than what was reported since.
                Ok(_) => {}
                Err(Failure::Gone(_)) => return leave(),
                Err(failure) => return stale::failed(&failure),
            }
        }
    });
}

/// Leads from the page of a session that no longer exists to the list, with the last notice.
fn leave() {
    spawn_local(async {
        // A dialog that closes goes back in the history first.
        wait(500).await;
        let notice = NOTICE.with_borrow(String::clone);
        let address = if notice.is_empty() { "/".to_owned() } else { ["/?notice=", &notice].concat() };
        let _ = window().location().replace(&address);
    });
}

/// Records the ID of a notice that is shown.
pub(super) fn noticed(id: &str) {
    NOTICE.set(id.to_owned());
}

/// Fetches a page. With a form, posts the form and follows the redirect.
async fn fetch(address: &str, form: Option<&UrlSearchParams>) -> Result<Fetched, Failure> {
    let asked_after = SHOWN.get();
    let (_, text) = ask(address, form, false).await?;
    let document = DomParser::new()?.parse_from_string(&text, SupportedType::TextHtml)?;
    if document.get_element_by_id("main").is_none() {
        return Err(unexpected());
    }
    Ok(Fetched { document, asked_after })
}

/// The answer is that of another program, such as a proxy with a page of its own.
pub(super) fn unexpected() -> Failure {
    Failure::Refused("Unexpected answer from the service. Reload the page.".to_owned())
}

/// Sends a request and returns the text of its answer.
async fn ask(address: &str, form: Option<&UrlSearchParams>, part: bool) -> Result<(Response, String), Failure> {
    let request = RequestInit::new();
    let headers = Headers::new()?;
    if part {
        headers.set("x-part", "1")?;
    }
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
    Ok((response, text))
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
        detail if status == 404 => Failure::Gone(detail.unwrap_or_else(|| "This no longer exists.".to_owned())),
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
    /// Updates the open page.
    fn show(&self) {
        if self.is_of_another_build() {
            let _ = window().location().reload();
            return;
        }
        SHOWN.set(SHOWN.get().wrapping_add(1));
        stale::answered();
        document().set_title(&self.document.title());
        let html = self.document.document_element();
        for name in ["data-theme", "data-version"] {
            if let Some(value) = html.as_ref().and_then(|html| html.get_attribute(name)) {
                set(&root(), name, &value);
            }
        }
        if let (Some(open), Some(new)) = (document().body(), self.document.body()) {
            morph::morph(&open, &new);
        }
        drafts::restore();
        if let Some(run) = AFTER.get() {
            run();
        }
        times::localise(&root());
        filter::apply_if_any();
        filter::count();
        wants::show(get(&root(), "data-version").parse().unwrap_or(0));
        wants::changed();
    }

    /// True if the server was upgraded: its style sheet has another address. Unsent text is not discarded for that.
    fn is_of_another_build(&self) -> bool {
        let sheet = |sheet: Option<Element>| sheet.and_then(|link| link.get_attribute("href"));
        let selector = "link[rel=stylesheet]";
        let new = self.document.query_selector(selector).ok().flatten();
        sheet(first(selector)) != sheet(new) && !every("textarea, input").iter().any(morph::is_dirty)
    }
}
