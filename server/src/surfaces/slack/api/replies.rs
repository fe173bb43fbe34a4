//! `conversations.replies`: messages of a thread. Called for bound threads only.

use serde_json::Value;

use super::{Api, ApiError, Token};
use crate::surfaces::slack::ts::Ts;

/// A page of a thread, oldest message first. The first message of the thread is on every page.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::surfaces::slack) struct Page {
    pub(in crate::surfaces::slack) messages: Vec<Value>,
    /// Cursor of the next page; empty on the last one.
    pub(in crate::surfaces::slack) next: String,
}

impl Api {
    /// Returns the messages of a thread after a point in time.
    pub(in crate::surfaces::slack) async fn replies(
        &self,
        channel: &str,
        thread: &Ts,
        after: &Ts,
        page: &str,
    ) -> Result<Page, ApiError> {
        let mut form =
            vec![("channel", channel), ("ts", thread.as_str()), ("oldest", after.as_str()), ("limit", "200")];
        if !page.is_empty() {
            form.push(("cursor", page));
        }
        let mut answer = self.call("conversations.replies", Token::Bot, &form).await?;
        let next = answer["response_metadata"]["next_cursor"].as_str().unwrap_or_default().to_owned();
        let messages = match answer["messages"].take() {
            Value::Array(messages) => messages,
            _ => Vec::new(),
        };
        Ok(Page { messages, next })
    }
}
