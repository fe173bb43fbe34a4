//! Web API: form in, JSON out.

use axum::{
    Form, Json,
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse as _, Response},
};
use serde_json::{Value, json};

use super::{
    Fault, Shared, StubSlack,
    world::{Fields, World},
};

pub(super) async fn call(
    State(shared): State<Shared>,
    Path(method): Path<String>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Response {
    let fault = {
        let mut world = shared.world();
        *world.calls.entry(method.clone()).or_default() += 1;
        let fault = world.refusal(&method, &fields);
        if fault.is_none() {
            world.granted.push((method.clone(), fields.clone()));
        }
        fault
    };
    match fault {
        None => answer(&shared, &method, &headers, &fields),
        Some(Fault::Limited(seconds)) => {
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, seconds.to_string())]).into_response()
        }
        Some(Fault::Status(status)) => StatusCode::from_u16(status).unwrap_or_default().into_response(),
        Some(Fault::Refused(word)) => Json(json!({ "ok": false, "error": word })).into_response(),
        Some(Fault::Silent) => std::future::pending().await,
        Some(Fault::Page) => Html("<h1>We will be back soon</h1>").into_response(),
        Some(Fault::Lost) => {
            let _done = answer(&shared, &method, &headers, &fields);
            // The connection ends before the answer is complete.
            let pieces = [Ok("{"), Err(std::io::Error::other("cut"))];
            Body::from_stream(tokio_stream::iter(pieces)).into_response()
        }
    }
}

fn answer(shared: &Shared, method: &str, headers: &HeaderMap, fields: &Fields) -> Response {
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let wanted = if method == "apps.connections.open" { StubSlack::APP_TOKEN } else { StubSlack::BOT_TOKEN };
    let answer = if token == format!("Bearer {wanted}") {
        do_it(shared, method, fields)
    } else if token.ends_with(StubSlack::APP_TOKEN) || token.ends_with(StubSlack::BOT_TOKEN) {
        Err("not_allowed_token_type")
    } else {
        Err("invalid_auth")
    };
    match answer {
        Ok(mut answer) => {
            answer["ok"] = json!(true);
            Json(answer).into_response()
        }
        Err(word) => Json(json!({ "ok": false, "error": word })).into_response(),
    }
}

fn do_it(shared: &Shared, method: &str, fields: &Fields) -> Result<Value, &'static str> {
    let mut world = shared.world();
    match method {
        "auth.test" => Ok(json!({
            "url": "https://stub.example/", "team": "Stub", "team_id": "T0STUB",
            "user": "the-loop", "user_id": StubSlack::BOT_USER, "bot_id": "B0BOT",
        })),
        "apps.connections.open" => {
            let ticket = uuid::Uuid::new_v4().simple().to_string();
            let url = format!("ws://{}/link/{ticket}", shared.address);
            world.tickets.insert(ticket);
            Ok(json!({ "url": url }))
        }
        "chat.postMessage" => post_message(&mut world, fields),
        "chat.update" => update_message(&mut world, fields),
        "files.getUploadURLExternal" => {
            let id = format!("F{}", world.files.len());
            world.files.push(String::new());
            Ok(json!({ "file_id": id, "upload_url": format!("http://{}/upload/{id}", shared.address) }))
        }
        "files.completeUploadExternal" => share_file(&mut world, fields),
        "reactions.add" => add_reaction(&mut world, fields),
        "conversations.replies" => replies(&world, fields),
        "conversations.history" => history(&world, fields),
        _ => Err("unknown_method"),
    }
}

fn channel(fields: &Fields) -> Result<&'static str, &'static str> {
    World::is_channel(fields.get("channel").map_or("", String::as_str)).ok_or("channel_not_found")
}

fn post_message(world: &mut World, fields: &Fields) -> Result<Value, &'static str> {
    let channel = channel(fields)?;
    let text = fields.get("text").filter(|text| !text.is_empty()).ok_or("no_text")?;
    if text.chars().count() > 40_000 {
        return Err("msg_too_long");
    }
    let mut message = json!({ "user": StubSlack::BOT_USER, "bot_id": "B0BOT", "text": text });
    if let Some(thread) = fields.get("thread_ts") {
        message["thread_ts"] = json!(thread);
    }
    let ts = world.say(channel, &message);
    Ok(json!({ "channel": channel, "ts": ts }))
}

/// Replaces the text of one of the app's own messages.
fn update_message(world: &mut World, fields: &Fields) -> Result<Value, &'static str> {
    let (channel, ts) = (channel(fields)?, fields.get("ts").ok_or("message_not_found")?);
    let text = fields.get("text").filter(|text| !text.is_empty()).ok_or("no_text")?;
    let mut message = world.messages.get(&(channel.to_owned(), ts.clone())).ok_or("message_not_found")?.clone();
    if message["user"] != StubSlack::BOT_USER {
        return Err("cant_update_message");
    }
    message["text"] = json!(text);
    world.put(channel, &message);
    Ok(json!({ "channel": channel, "ts": ts }))
}

/// Posts an uploaded file in a thread, as a message with its content.
fn share_file(world: &mut World, fields: &Fields) -> Result<Value, &'static str> {
    let files: Value =
        fields.get("files").and_then(|files| serde_json::from_str(files).ok()).ok_or("invalid_arguments")?;
    let at =
        files[0]["id"].as_str().and_then(|id| id.strip_prefix('F')?.parse::<usize>().ok()).ok_or("file_not_found")?;
    let content = world.files.get(at).filter(|content| !content.is_empty()).ok_or("file_not_found")?.clone();
    let file = json!({ "id": files[0]["id"], "title": files[0]["title"], "content": content });
    let message = json!({
        "user": StubSlack::BOT_USER, "bot_id": "B0BOT", "text": "", "thread_ts": fields.get("thread_ts"), "files": [file],
    });
    world.put(StubSlack::CHANNEL, &message);
    Ok(json!({ "files": files }))
}

/// Takes the content of a file.
pub(super) async fn upload(State(shared): State<Shared>, Path(id): Path<String>, content: String) -> StatusCode {
    let mut world = shared.world();
    let file = id.strip_prefix('F').and_then(|at| world.files.get_mut(at.parse::<usize>().ok()?));
    match file {
        Some(file) => {
            *file = content;
            StatusCode::OK
        }
        None => StatusCode::NOT_FOUND,
    }
}

fn add_reaction(world: &mut World, fields: &Fields) -> Result<Value, &'static str> {
    channel(fields)?;
    let ts = fields.get("timestamp").ok_or("bad_timestamp")?;
    let name = fields.get("name").ok_or("invalid_name")?;
    let marks = world.reactions.entry(ts.clone()).or_default();
    if marks.contains(name) {
        return Err("already_reacted");
    }
    marks.push(name.clone());
    Ok(json!({}))
}

fn replies(world: &World, fields: &Fields) -> Result<Value, &'static str> {
    let channel = channel(fields)?;
    let field = |key: &str| fields.get(key).map_or("", String::as_str);
    let (thread, oldest) = (field("ts"), field("oldest"));
    let all = world.listing(channel, Some(thread));
    if all.is_empty() {
        return Err("thread_not_found");
    }
    let (first, rest) = all.split_first().ok_or("thread_not_found")?;
    let after: Vec<&Value> =
        rest.iter().filter(|message| message["ts"].as_str().unwrap_or_default() > oldest).collect();
    // Pages are small, so that there are several.
    let (from, most) = (field("cursor").parse().unwrap_or(0_usize), if world.page == 0 { 20 } else { world.page });
    let page: Vec<&Value> = std::iter::once(first).chain(after.iter().skip(from).take(most).copied()).collect();
    let next = if from + most < after.len() { (from + most).to_string() } else { String::new() };
    Ok(json!({ "messages": page, "has_more": !next.is_empty(), "response_metadata": { "next_cursor": next } }))
}

/// Lists a channel, newest message first, and only by its ID, as Slack does.
fn history(world: &World, fields: &Fields) -> Result<Value, &'static str> {
    let field = |key: &str| fields.get(key).map_or("", String::as_str);
    if ![StubSlack::CHANNEL, StubSlack::OTHER].contains(&field("channel")) {
        return Err("channel_not_found");
    }
    let mut after = world.listing(field("channel"), None);
    after.retain(|message| message["ts"].as_str().unwrap_or_default() > field("oldest"));
    after.reverse();
    Ok(json!({ "messages": after, "has_more": false }))
}
