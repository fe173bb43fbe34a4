//! HTML page of the document, rendered here without scripts or external resources.

use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{Html, IntoResponse, Response},
};
use leptos::prelude::*;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Refused, document, each_operation, refusals};

/// The tokens of the page, and the style of this one.
const STYLE: &str = concat!(include_str!("../../../../../style/tokens.css"), include_str!("page.css"));

refusals!(Refusals = Refused::with(&[]));

/// This document as a page
#[utoipa::path(get, path = "/api/docs", operation_id = "get_docs", tag = "service",
    responses((status = 200, description = "The page", body = String, content_type = "text/html"), Refusals))]
pub(crate) async fn docs(headers: HeaderMap) -> Response {
    let authority = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1:4114");
    let nonce = Uuid::new_v4().simple().to_string();
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let page = format!("<!DOCTYPE html>{}", whole(document(), nonce, authority, app::theme_of(&headers)).to_html());
    let mut response = Html(page).into_response();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn whole(document: &Value, nonce: String, authority: &str, theme: &'static str) -> impl IntoView + use<> {
    let title = format!("{} {}", text(&document["info"]["title"]), text(&document["info"]["version"]));
    let about =
        text(&document["info"]["description"]).split("\n\n").map(|part| view! { <p>{prose(part)}</p> }).collect_view();
    let links = each_operation(document).map(|(method, path, operation)| link(method, path, operation)).collect_view();
    let operations = each_operation(document)
        .map(|(method, path, described)| operation(document, method, path, described, authority))
        .collect_view();
    let schemas =
        object(&document["components"]["schemas"]).map(|(name, schema)| component(name, schema)).collect_view();
    view! {
        <html lang="en" data-theme=theme>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <title>{format!("API · {title}")}</title>
                <style nonce=nonce>{STYLE}</style>
            </head>
            <body>
                <a class="skip" href="#main">"Skip to content"</a>
                <header class="top">
                    <a class="brand" href="/" aria-label="the-loop, home">"the"<span aria-hidden="true">"·"</span>"loop"</a>
                    <nav aria-label="Main">
                        <a href="/#/standing">"Standing"</a>
                        <a href="/events">"Events"</a>
                        <a href="/api/docs" aria-current="page">"API"</a>
                    </nav>
                </header>
                <div class="columns">
                    <nav class="operations" aria-label="Operations"><ul>{links}</ul></nav>
                    <main id="main" tabindex="-1">
                        <h1>{title}</h1>
                        {about}
                        <p><a href="/api/openapi.json">"OpenAPI 3.1 document"</a></p>
                        {operations}
                        {schemas}
                    </main>
                </div>
            </body>
        </html>
    }
}

fn link(method: &str, path: &str, operation: &Value) -> impl IntoView + use<> {
    let (method, path) = (method.to_ascii_uppercase(), path.to_owned());
    let (to, summary) = (format!("#{}", text(&operation["operationId"])), text(&operation["summary"]).to_owned());
    view! {
        <li>
            <span class="method">{method}</span>" "<a href=to><code>{path}</code></a>" "
            <span class="summary">{summary}</span>
        </li>
    }
}

fn operation(document: &Value, method: &str, path: &str, operation: &Value, authority: &str) -> AnyView {
    let id = text(&operation["operationId"]).to_owned();
    let about = operation["description"].as_str().map(|about| view! { <p>{prose(about)}</p> });
    let parameters: Vec<Field> = array(&operation["parameters"]).map(parameter).collect();
    let body = reference(&operation["requestBody"]["content"]["application/json"]["schema"]);
    let fields = body.map(|name| fields_of(&document["components"]["schemas"][name]));
    let answers = object(&operation["responses"]).map(|(status, answer)| response(status, answer)).collect_view();
    let example = example(document, method, path, operation, authority);
    view! {
        <section>
            <h2 id=id>
                <span class="method">{method.to_ascii_uppercase()}</span>" "<code>{path.to_owned()}</code>" "
                <span class="summary">{text(&operation["summary"]).to_owned()}</span>
            </h2>
            {about}
            <pre><code>{example}</code></pre>
            {(!parameters.is_empty()).then(|| view! { <h3>"Parameters"</h3>{table(parameters)} })}
            {fields.map(|fields| view! { <h3>"Body"</h3>{table(fields)} })}
            <h3>"Answers"</h3>
            <div class="table"><table><tbody>{answers}</tbody></table></div>
        </section>
    }
    .into_any()
}

fn response(status: &str, answer: &Value) -> impl IntoView + use<> {
    let content = object(&answer["content"]).map(|(media, content)| (media.to_owned(), kind(&content["schema"])));
    let content = content.map(|(media, kind)| view! { <code>{media}</code>" "{kind}<br/> }).collect_view();
    let (status, about) = (status.to_owned(), prose(text(&answer["description"])));
    view! { <tr><td>{status}</td><td>{about}</td><td>{content}</td></tr> }
}

fn component(name: &str, schema: &Value) -> AnyView {
    let about = schema["description"].as_str().map(|about| view! { <p>{prose(about)}</p> });
    let words =
        array(&schema["enum"]).map(|word| view! { <li><code>{text(word).to_owned()}</code></li> }).collect_view();
    let fields = fields_of(schema);
    view! {
        <section>
            <h2 id=format!("schema-{name}")>{name.to_owned()}</h2>
            {about}
            {schema["enum"].is_array().then(|| view! { <ul>{words}</ul> })}
            {(!fields.is_empty()).then(|| table(fields))}
        </section>
    }
    .into_any()
}

/// A parameter, or a field of an object.
struct Field {
    name: String,
    kind: AnyView,
    required: bool,
    about: String,
}

fn parameter(parameter: &Value) -> Field {
    Field {
        name: text(&parameter["name"]).to_owned(),
        kind: kind(&parameter["schema"]),
        required: parameter["required"] == true,
        about: format!("{} (in the {})", text(&parameter["description"]), text(&parameter["in"])),
    }
}

fn fields_of(schema: &Value) -> Vec<Field> {
    let required = |name: &str| array(&schema["required"]).any(|required| required == name);
    let fields = object(&schema["properties"]).map(|(name, field)| Field {
        name: name.to_owned(),
        kind: kind(field),
        required: required(name),
        about: text(&field["description"]).to_owned(),
    });
    fields.collect()
}

fn table(fields: Vec<Field>) -> impl IntoView {
    let row = |field: Field| {
        let needed = if field.required { "required" } else { "" };
        view! { <tr><td><code>{field.name}</code></td><td>{field.kind}</td><td>{needed}</td><td>{prose(&field.about)}</td></tr> }
    };
    let rows = fields.into_iter().map(row).collect_view();
    view! {
        <div class="table">
            <table>
                <thead><tr><th scope="col">"Name"</th><th scope="col">"Type"</th><th scope="col"></th><th scope="col">"Meaning"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// Renders the type of a value; a named type links to its description.
fn kind(schema: &Value) -> AnyView {
    let named =
        reference(schema).or_else(|| array(&schema["oneOf"]).chain(array(&schema["allOf"])).find_map(reference));
    if let Some(name) = named {
        return view! { <a href=format!("#schema-{name}")>{name.to_owned()}</a> }.into_any();
    }
    if schema["items"].is_object() {
        return view! { "list of "{kind(&schema["items"])} }.into_any();
    }
    let words: Vec<&str> = schema["type"].as_str().into_iter().chain(array(&schema["type"]).map(text)).collect();
    words.join(" or ").into_any()
}

/// Returns a command that calls the operation and can be run unchanged.
fn example(document: &Value, method: &str, path: &str, operation: &Value, authority: &str) -> String {
    let query =
        array(&operation["parameters"]).find(|parameter| parameter["in"] == "query" && parameter["required"] == true);
    let query = query.map(|parameter| format!("?{}={}", text(&parameter["name"]), text(&parameter["example"])));
    let address = format!("'http://{authority}{path}{}'", query.unwrap_or_default());
    let Some(body) = reference(&operation["requestBody"]["content"]["application/json"]["schema"]) else {
        return format!("curl {address}");
    };
    let schema = &document["components"]["schemas"][body];
    let mut fields = Map::new();
    for (name, field) in object(&schema["properties"]) {
        let word = reference(field).and_then(|kind| document["components"]["schemas"][kind]["enum"].get(0));
        if let Some(example) = field.get("example").or(word) {
            fields.insert(name.to_owned(), example.clone());
        }
    }
    let body = Value::Object(fields);
    format!(
        "curl -X {} {address} \\\n  -H 'content-type: application/json' \\\n  -d '{body}'",
        method.to_ascii_uppercase()
    )
}

/// Renders text with code in backticks.
fn prose(source: &str) -> impl IntoView + use<> {
    let part = |(index, part): (usize, &str)| {
        let part = part.to_owned();
        if index % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
    };
    source.split('`').enumerate().map(part).collect_view()
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn object(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}
