//! Refusals of a route in the document: one response per status, with its problem codes.

use std::collections::BTreeMap;

use utoipa::openapi::{
    Ref, RefOr,
    content::ContentBuilder,
    header::HeaderBuilder,
    response::{Response, ResponseBuilder},
    schema::{ObjectBuilder, Type},
};
use wire::ProblemCode;

/// Refusals of one route.
#[derive(Debug)]
pub(crate) struct Refused(BTreeMap<u16, Vec<(ProblemCode, &'static str)>>);

impl Refused {
    /// Returns the refusals of a route, in addition to those of every route.
    pub(crate) fn with(codes: &[ProblemCode]) -> Self {
        let mut refused = Self(BTreeMap::new());
        for &code in codes.iter().chain(&[ProblemCode::Forbidden, ProblemCode::Internal]) {
            refused = refused.and(code.http_status(), code, code.title());
        }
        refused.and(401, ProblemCode::Forbidden, "Token required")
    }

    /// Adds the refusals of a route that answers in JSON only.
    pub(crate) fn of_json(self) -> Self {
        self.and(406, ProblemCode::InvalidRequest, "The client does not accept JSON")
    }

    /// Adds the refusals of a route that reads a query.
    pub(crate) fn of_query(self) -> Self {
        self.and(422, ProblemCode::InvalidBody, "Missing, unknown or ill-typed parameter")
    }

    /// Adds the refusals of a route that reads a JSON body.
    pub(crate) fn of_body(self) -> Self {
        self.and(400, ProblemCode::InvalidBody, "The body is not JSON")
            .and(413, ProblemCode::TooLarge, "The body is too large")
            .and(415, ProblemCode::InvalidBody, "Content-Type is not application/json")
            .and(422, ProblemCode::InvalidBody, ProblemCode::InvalidBody.title())
    }

    /// Adds the refusals of a route with a limited number of streams.
    pub(crate) fn of_stream(self) -> Self {
        self.and(503, ProblemCode::TooMany, "Maximum number of open streams reached")
    }

    fn and(mut self, status: u16, code: ProblemCode, text: &'static str) -> Self {
        let of_status = self.0.entry(status).or_default();
        if !of_status.iter().any(|(known, _)| *known == code) {
            of_status.push((code, text));
        }
        self
    }

    /// Returns the responses for the document.
    pub(crate) fn responses(self) -> BTreeMap<String, RefOr<Response>> {
        self.0.into_iter().map(|(status, codes)| (status.to_string(), RefOr::T(response(&codes)))).collect()
    }
}

fn response(codes: &[(ProblemCode, &str)]) -> Response {
    let texts: Vec<String> = codes.iter().map(|(code, text)| format!("{text} (`{}`)", code.as_str())).collect();
    let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    let response = ResponseBuilder::new().description(texts.join("; ")).content("application/problem+json", problem);
    if !codes.iter().any(|(code, _)| *code == ProblemCode::TooMany) {
        return response.build();
    }
    let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).build();
    let after = HeaderBuilder::new().schema(Some(seconds)).description(Some("Seconds to wait before retrying")).build();
    response.header("retry-after", after).build()
}

/// Defines a type that stands for the refusals of one route in its description.
macro_rules! refusals {
    ($name:ident = $refused:expr) => {
        struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::Response>> {
                $refused.responses()
            }
        }
    };
}
pub(crate) use refusals;
