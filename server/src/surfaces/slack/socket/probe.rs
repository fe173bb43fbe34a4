//! A connection that waits for one message and accepts nothing else. Slack sends unacknowledged messages again to the
//! next listener.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio_tungstenite::tungstenite::Message as Frame;

use super::{
    connect::{Connection, connect},
    envelope::{Envelope, acknowledgement},
};
use crate::surfaces::slack::{
    api::{Api, ApiError},
    ts::Ts,
};

/// A connection for one message.
#[derive(Debug)]
pub(in crate::surfaces::slack) struct Probe(Connection);

impl Probe {
    pub(in crate::surfaces::slack) async fn open(api: &Api, wait: Duration) -> Result<Self, ApiError> {
        connect(api, wait).await.map(Self)
    }

    /// Waits for a message.
    pub(in crate::surfaces::slack) async fn until(&mut self, channel: &str, ts: &Ts) -> Result<(), String> {
        while let Some(Ok(frame)) = self.0.stream.next().await {
            let Frame::Text(text) = frame else { continue };
            if let Some(Envelope::Event { id, message: Some(message) }) = Envelope::parse(&text)
                && (message.channel.as_str(), &message.ts) == (channel, ts)
            {
                // The message has come back, so a failure of this acknowledgement does not matter.
                let _ = self.0.stream.send(Frame::Text(acknowledgement(&id).into())).await;
                let _ = self.0.stream.close(None).await;
                return Ok(());
            }
        }
        Err("the socket was closed before the message came back".to_owned())
    }
}
