//! The OpenAPI document: current in the repository, true of the router, and shown on a page that needs nothing else.

use std::{env, fs, path::Path};

use axum::{
    body::Body,
    http::{Request, StatusCode},
};
use serde_json::Value;
use server::openapi;

use crate::app::{AUTHORITY, App};

/// Asserts that a file of `schemas/` says what the code says, or writes it if `UPDATE_SCHEMAS` is set.
pub(crate) fn assert_current(name: &str, value: &Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas").join(name);
    let text = format!("{value:#}\n");
    if env::var_os("UPDATE_SCHEMAS").is_some() {
        fs::write(&file, &text).expect("the schema is written");
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == text,
        "`schemas/{name}` is not current: run this test with UPDATE_SCHEMAS=1 and look at the change"
    );
}

#[test]
fn the_copy_in_the_repository_is_current() {
    assert_current("openapi.json", openapi::document());
}

#[tokio::test]
async fn the_document_is_served() {
    let answer = App::new().get("/api/openapi.json").await;
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "application/json"));
    assert_eq!(&answer.json(), openapi::document());
    assert_eq!(answer.json()["openapi"], "3.1.0");
}

#[tokio::test]
async fn every_operation_is_routed_and_no_other_method_is() {
    let app = App::new();
    for (method, path) in openapi::operations() {
        let ask = |method: &str| {
            let request = Request::builder().method(method).uri(path).header("host", AUTHORITY);
            app.send_for_head(request.body(Body::empty()).expect("a request"))
        };
        assert!(!matches!(ask(&method).await.status.as_u16(), 404 | 405), "{method} {path} is not routed");
        for other in ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"].into_iter().filter(|&other| other != method) {
            let answer = ask(other).await;
            assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{other} {path}");
            assert!(answer.header("allow").contains(&method), "{other} {path}: {}", answer.header("allow"));
        }
    }
}

#[test]
fn every_operation_says_what_it_is_and_how_it_refuses() {
    let paths = openapi::document()["paths"].as_object().expect("paths");
    let mut names = Vec::new();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().expect("methods") {
            let of = format!("{method} {path}");
            names.push(operation["operationId"].as_str().expect(&of).to_owned());
            assert!(!operation["summary"].as_str().expect(&of).is_empty(), "{of}");
            for (status, answer) in operation["responses"].as_object().expect(&of) {
                assert!(!answer["description"].as_str().expect(&of).is_empty(), "{of} {status}");
                assert!(answer["headers"]["x-request-id"].is_object(), "{of} {status}");
                let refusal = &answer["content"]["application/problem+json"]["schema"]["$ref"];
                // Readiness is told in the same words whether it is there or not.
                let tells = status.as_str() < "400" || (path == "/health/ready" && status == "503");
                assert_eq!(tells, refusal.is_null(), "{of} {status}: {answer}");
            }
        }
    }
    let mut unique = names.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), names.len(), "operation ids are unique: {names:?}");
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|value| walk(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(openapi::document(), &mut found);
    assert!(!found.is_empty());
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("a reference into the document");
        assert!(openapi::document().pointer(pointer).is_some(), "{reference}");
    }
    let text = openapi::document().to_string();
    assert!(!text.contains("[`") && !text.contains("::"), "text for readers of the source is left in the document");
}

#[tokio::test]
async fn the_page_needs_nothing_from_elsewhere_and_no_script() {
    let answer = App::new().get("/api/docs").await;
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "text/html; charset=utf-8"));
    let page = answer.text();
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'nonce-") && !policy.contains("unsafe"), "{policy}");
    let nonce = policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce");
    assert!(page.contains(&format!("<style nonce=\"{nonce}\">")), "{page}");
    for absent in ["<script", "src=", "<link", "style=\"", "onclick", "https://"] {
        assert!(!page.contains(absent), "{absent} in {page}");
    }
    for (method, path) in openapi::operations() {
        assert!(page.contains(path) && page.contains(&method), "{method} {path}");
    }
    assert!(page.contains(&format!("http://{AUTHORITY}/api/v1/standing-sessions/say")), "{page}");
}

#[test]
fn the_documentation_has_the_table_of_words() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/api.md");
    let text = fs::read_to_string(file).expect("docs/api.md");
    for (name, words) in openapi::words() {
        for [word, label, about] in words {
            let row = format!("| `{word}` | {label} | {about} |");
            assert!(text.contains(&row), "docs/api.md lacks this row of {name}: {row}");
        }
    }
}
