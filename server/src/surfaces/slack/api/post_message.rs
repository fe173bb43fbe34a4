//! `chat.postMessage`: posts a message to a channel or a thread.

use super::{Api, ApiError, Token};
use crate::surfaces::slack::ts::Ts;

/// Location of a posted message. A channel that was given by name has its ID here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::surfaces::slack) struct Posted {
    pub(in crate::surfaces::slack) channel: String,
    pub(in crate::surfaces::slack) ts: Ts,
}

impl Api {
    /// Posts a text that is already in Slack's markup, into a thread if one is given.
    pub(in crate::surfaces::slack) async fn post_message(
        &self,
        channel: &str,
        thread: Option<&Ts>,
        text: &str,
    ) -> Result<Posted, ApiError> {
        let mut form = vec![("channel", channel), ("text", text), ("unfurl_links", "false"), ("unfurl_media", "false")];
        if let Some(thread) = thread {
            form.push(("thread_ts", thread.as_str()));
        }
        let answer = self.call("chat.postMessage", Token::Bot, &form).await?;
        let told = (answer["channel"].as_str(), answer["ts"].as_str().and_then(Ts::parse));
        match told {
            (Some(channel), Some(ts)) if !channel.is_empty() => Ok(Posted { channel: channel.to_owned(), ts }),
            _ => Err(ApiError::Refused { word: "no_ts".to_owned() }),
        }
    }
}
