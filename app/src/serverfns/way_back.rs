//! Address to which a form leads after its answer: the page that it was sent from.
//!
//! Only the path and the known parts of the query are taken from the browser's `Referer`, so no request can lead a
//! browser elsewhere.

use http::{HeaderMap, Uri, header::REFERER, request::Parts};
use wire::SessionName;

use crate::{notices::Place, query::Query};

/// Header of the page's own scripts, which need the notice and not the page.
const PART: &str = "x-part";

/// Path of a notice, without its ID.
pub(crate) const NOTICE: &str = "/app/notice/";

/// Path of a session's page, without its name.
const SESSION: &str = "/standing/";

/// True if the caller is a script of the page.
pub(super) fn wants_part(parts: &Parts) -> bool {
    parts.headers.contains_key(PART)
}

/// Returns the address of a notice.
pub(super) fn to_notice(id: &str) -> String {
    [NOTICE, id].concat()
}

/// Returns the address of the page that the form was sent from, with a notice.
pub(super) fn to_page(parts: Option<&Parts>, place: &Place, notice: Option<String>) -> String {
    let from = parts.and_then(|parts| referer(&parts.headers));
    let path = from.as_ref().map_or("/", Uri::path);
    if let Some(name) = path.strip_prefix(SESSION).and_then(|name| SessionName::parse(name).ok()) {
        let query = notice.map(|id| format!("?notice={id}")).unwrap_or_default();
        // The page of a deleted session no longer exists, so its notice is about the list.
        if *place != Place::Page {
            return format!("{SESSION}{name}{query}");
        }
        return format!("/{query}");
    }
    let query = from.as_ref().filter(|uri| uri.path() == "/").and_then(Uri::query).unwrap_or_default();
    let address = Query { notice, ..Query::parse(query).plain() }.address();
    match place {
        Place::Session(name) if SessionName::parse(name).is_ok() => format!("{address}#session-{name}"),
        _ => address,
    }
}

fn referer(headers: &HeaderMap) -> Option<Uri> {
    headers.get(REFERER)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn back(referer: &str, place: &Place) -> String {
        let parts = Request::builder().header(REFERER, referer).body(()).expect("a request").into_parts().0;
        to_page(Some(&parts), place, Some("1f".to_owned()))
    }

    #[test]
    fn a_form_leads_back_to_its_own_page_and_nowhere_else() {
        let session = Place::Session("ops".to_owned());
        assert_eq!(back("http://127.0.0.1:1/?q=idle&new", &Place::Create), "/?q=idle&notice=1f");
        assert_eq!(back("http://127.0.0.1:1/?q=idle", &session), "/?q=idle&notice=1f#session-ops");
        assert_eq!(back("http://127.0.0.1:1/standing/ops?notice=2", &session), "/standing/ops?notice=1f");
        assert_eq!(back("http://127.0.0.1:1/standing/ops", &Place::Page), "/?notice=1f");
        for other in
            ["https://evil.example//evil.example/", "//evil.example", "\u{e4}", "/standing/../x", "/standing/A B"]
        {
            let parts = Request::builder().header(REFERER, other.as_bytes()).body(());
            let Ok(request) = parts else { continue };
            let address = to_page(Some(&request.into_parts().0), &Place::Page, None);
            assert_eq!(address, "/", "{other}");
        }
        assert_eq!(to_page(None, &Place::Page, None), "/");
    }
}
