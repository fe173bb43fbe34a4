//! Socket Mode.

use axum::{
    extract::{
        Path, State,
        ws::{Message, WebSocket, WebSocketUpgrade},
    },
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::Shared;

/// Command for a socket.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// Send this text.
    Say(String),
    /// End without a message.
    Cut,
    /// Stop all activity.
    Freeze,
}

pub(super) async fn open(
    State(shared): State<Shared>,
    Path(ticket): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !shared.world().tickets.remove(&ticket) {
        return StatusCode::FORBIDDEN.into_response();
    }
    upgrade.on_upgrade(move |socket| serve(shared, socket))
}

async fn serve(shared: Shared, mut socket: WebSocket) {
    let (orders, mut told) = mpsc::unbounded_channel();
    let (id, count) = {
        let mut world = shared.world();
        world.opened += 1;
        let id = u64::try_from(world.opened).unwrap_or(u64::MAX);
        (id, world.sockets.len() + 1)
    };
    let hello = json!({ "type": "hello", "num_connections": count, "connection_info": { "app_id": "A0STUB" } });
    if socket.send(Message::Text(hello.to_string().into())).await.is_err() {
        return;
    }
    {
        let mut world = shared.world();
        world.sockets.insert(id, orders);
        world.most = world.most.max(world.sockets.len());
    }
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(Message::Text(text))) => acknowledge(&shared, &text),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            },
            order = told.recv() => match order {
                Some(Order::Say(text)) => {
                    if socket.send(Message::Text(text.into())).await.is_err() {
                        break;
                    }
                }
                Some(Order::Cut) | None => break,
                Some(Order::Freeze) => {
                    shared.world().sockets.remove(&id);
                    std::future::pending::<()>().await;
                }
            },
        }
    }
    shared.world().sockets.remove(&id);
}

fn acknowledge(shared: &Shared, text: &str) {
    let told: Value = serde_json::from_str(text).unwrap_or_default();
    if let Some(id) = told["envelope_id"].as_str() {
        shared.world().acknowledge(id);
    }
}
