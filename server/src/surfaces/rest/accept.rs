//! Checks the `Accept` header: the caller must accept JSON.

use axum::{
    extract::Request,
    http::{HeaderMap, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use wire::ProblemCode;

use super::ApiProblem;

/// Refuses a caller that does not accept JSON, before the request is processed.
pub(super) async fn json(request: Request, next: Next) -> Response {
    if takes_json(request.headers()) {
        return next.run(request).await;
    }
    let text = "this route answers only in JSON: send `accept: application/json`, or no `accept` header";
    ApiProblem::new(ProblemCode::InvalidRequest, text).with_status(406).into_response()
}

/// True without the header, or if one of its ranges covers JSON with a weight above zero.
fn takes_json(headers: &HeaderMap) -> bool {
    let mut ranges = headers.get_all(header::ACCEPT).iter().flat_map(|value| value.as_bytes().split(|&b| b == b','));
    let mut named = false;
    let takes = ranges.any(|range| {
        let range = String::from_utf8_lossy(range).to_ascii_lowercase();
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        named |= !media.is_empty();
        let refused =
            parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q <= 0.0)));
        !refused && matches!(media, "*/*" | "application/*" | "application/json" | "application/problem+json")
    });
    takes || !named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(values: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::ACCEPT, value.parse().expect("a value"));
        }
        takes_json(&headers)
    }

    #[test]
    fn json_is_taken_unless_it_is_left_out() {
        for good in [
            &[][..],
            &[""],
            &["*/*"],
            &["text/html, application/json;q=0.1"],
            &["Application/JSON; charset=utf-8"],
            &["text/html", "application/*;q=0.5"],
        ] {
            assert!(takes(good), "{good:?}");
        }
        for bad in [&["text/html"][..], &["application/json;q=0"], &["image/*, text/*"], &["nonsense"]] {
            assert!(!takes(bad), "{bad:?}");
        }
    }
}
