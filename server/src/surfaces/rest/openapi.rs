//! OpenAPI document, generated from the types and handlers that it describes.
//!
//! REST routes are added to the router together with their description, so that none can be served without one. Code
//! that needs all routes, such as the guard's test, reads them from here. `schemas/openapi.json` is a copy of the
//! document; a test keeps it current.

pub(crate) mod page;

use std::sync::LazyLock;

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use crate::refusals::{Refused, refusals};

/// Parts of the document besides its routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "the-loop",
        description = "Standing sessions: named, long-lived tmux sessions that host AI coding agents.\n\nEvery \
                       response has an `x-request-id` header; a client may choose its value (up to 64 letters, \
                       digits, `-`, `_` and `.`). Every error is a problem document (RFC 9457): branch on its \
                       `code`, show its `detail`, offer its `remedies`. A session that fails to start is not an \
                       error but a row whose `outcome` is `failed`. Times are UTC. Fields may be added, never \
                       renamed.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/", description = "The service that serves this document")),
    tags(
        (name = "sessions", description = "Standing sessions"),
        (name = "service", description = "The service")
    ),
    components(schemas(wire::Problem, wire::ProblemCode))
)]
pub(crate) struct Head;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = serde_json::to_value(super::described()).unwrap_or_default();
    tidy(&mut document);
    name_the_request(&mut document);
    name_the_token(&mut document);
    explain_words(&mut document);
    document
});

static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}\n", *DOCUMENT));

/// Returns the document.
pub fn document() -> &'static Value {
    &DOCUMENT
}

/// Returns the method and path of every operation in the document, as in `GET /api/v1/health`.
pub fn operations() -> impl Iterator<Item = (String, &'static str)> {
    each_operation(document()).map(|(method, path, _)| (method.to_ascii_uppercase(), path))
}

fn each_operation(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| (method.as_str(), path.as_str(), operation))
    })
}

refusals!(Refusals = Refused::with(&[]));

/// This document
///
/// OpenAPI 3.1, generated from the service's own types.
#[utoipa::path(get, path = "/api/openapi.json", operation_id = "get_openapi", tag = "service",
    responses((status = 200, description = "The document", body = Object, content_type = "application/json"), Refusals))]
pub(crate) async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], TEXT.as_str()).into_response()
}

/// Adds a table of its values to the description of each such type.
fn explain_words(document: &mut Value) {
    for (name, words) in words() {
        let rows = words.iter().map(|[word, label, about]| format!("| `{word}` | {label} | {about} |"));
        let table = std::iter::once("\n\n| value | label | meaning |\n|---|---|---|".to_owned()).chain(rows);
        let table = table.collect::<Vec<_>>().join("\n");
        if let Some(Value::String(description)) =
            document.pointer_mut(&format!("/components/schemas/{name}/description"))
        {
            description.push_str(&table);
        }
    }
}

/// Returns the published word, label and explanation of each value of the types for states and results.
pub fn words() -> [(&'static str, Vec<[&'static str; 3]>); 10] {
    macro_rules! of {
        ($type:ident) => {
            (
                stringify!($type),
                wire::$type::ALL.iter().map(|value| [value.as_str(), value.label(), value.about()]).collect(),
            )
        };
    }
    [
        of!(Status),
        of!(State),
        of!(Activity),
        of!(Block),
        of!(Need),
        of!(Source),
        of!(Outcome),
        of!(Verdict),
        of!(Evidence),
        of!(TurnState),
    ]
}

/// Removes the brackets of rustdoc links from descriptions.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "description" => *text = text.replace("[`", "`").replace("`]", "`"),
                    other => tidy(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Adds the request's ID to every answer, here instead of at each route.
fn name_the_request(document: &mut Value) {
    let header = json!({
        "description": "Id of the request, also in the log of the service",
        "required": true,
        "schema": { "type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$" },
    });
    document["components"]["headers"] = json!({ "x-request-id": header });
    let operations = document["paths"].as_object_mut().into_iter().flatten();
    let operations = operations.flat_map(|(_, methods)| methods.as_object_mut().into_iter().flatten());
    let answers = operations.flat_map(|(_, operation)| operation["responses"].as_object_mut().into_iter().flatten());
    for (_, answer) in answers {
        let headers = answer.as_object_mut().map(|answer| answer.entry("headers").or_insert(Map::new().into()));
        if let Some(headers) = headers {
            headers["x-request-id"] = json!({ "$ref": "#/components/headers/x-request-id" });
        }
    }
}

/// Adds the token as an optional security scheme: only token mode requires it.
fn name_the_token(document: &mut Value) {
    let about = "With `service.auth.mode: token`: the content of `local/service.token` in the state directory";
    let token = json!({ "type": "http", "scheme": "bearer", "description": about });
    document["components"]["securitySchemes"] = json!({ "token": token });
    document["security"] = json!([{}, { "token": [] }]);
}
