//! Opens a connection: requests a new address, upgrades over the client that holds the one TLS configuration, and waits
//! for the greeting.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::{
    StatusCode, Upgraded,
    header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE},
};
use tokio::time;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message as Frame,
        handshake::{client::generate_key, derive_accept_key},
        protocol::{Role, WebSocketConfig},
    },
};

use super::envelope::Envelope;
use crate::surfaces::slack::api::{Api, ApiError};

/// Largest accepted frame, in bytes. Events are far smaller.
const MAX_FRAME: usize = 4 * 1024 * 1024;

/// A connection that has received its greeting.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: WebSocketStream<Upgraded>,
    /// Number of connections of the app, including this one.
    pub(super) of: u64,
}

/// Opens a connection and waits for the greeting.
pub(super) async fn connect(api: &Api, wait: Duration) -> Result<Connection, ApiError> {
    let late = || ApiError::Unreachable { reason: "timeout while opening the socket".to_owned(), sent: false };
    time::timeout(wait, open(api)).await.map_err(|_| late())?
}

async fn open(api: &Api) -> Result<Connection, ApiError> {
    let broken = |reason: &str| ApiError::Unreachable { reason: reason.to_owned(), sent: false };
    let address = api.open_connection().await?;
    let key = generate_key();
    let request = api.client().get(address).header(CONNECTION, "Upgrade").header(UPGRADE, "websocket");
    let response = request.header(SEC_WEBSOCKET_VERSION, "13").header(SEC_WEBSOCKET_KEY, &key).send().await?;
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(ApiError::Status { status: response.status().as_u16() });
    }
    if response.headers().get(SEC_WEBSOCKET_ACCEPT).is_none_or(|accept| accept != &derive_accept_key(key.as_bytes())) {
        return Err(broken("the answer is not a WebSocket"));
    }
    let config = WebSocketConfig::default().max_message_size(Some(MAX_FRAME)).max_frame_size(Some(MAX_FRAME));
    let upgraded = response.upgrade().await?;
    let mut stream = WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await;
    while let Some(frame) = stream.next().await {
        match frame {
            Ok(Frame::Text(text)) => match Envelope::parse(&text) {
                Some(Envelope::Hello { of }) => return Ok(Connection { stream, of }),
                _ => return Err(broken("the first message on the socket was not `hello`")),
            },
            Ok(Frame::Close(_)) => break,
            Ok(_) => {}
            Err(_) => return Err(broken("the socket was lost before `hello`")),
        }
    }
    Err(broken("the socket was closed before `hello`"))
}
