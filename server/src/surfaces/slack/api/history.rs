//! `conversations.history`: recent messages of a channel. Called only when it is unknown whether one of the app's own
//! messages was posted.

use serde_json::Value;

use super::{Api, ApiError, Token};
use crate::surfaces::slack::ts::Ts;

impl Api {
    /// Returns the newest messages of a channel after a point in time, at most 100. The channel must be given by its
    /// ID: a name is not found.
    pub(in crate::surfaces::slack) async fn history(&self, channel: &str, after: &Ts) -> Result<Vec<Value>, ApiError> {
        let form = [("channel", channel), ("oldest", after.as_str()), ("limit", "100")];
        let mut answer = self.call("conversations.history", Token::Bot, &form).await?;
        Ok(match answer["messages"].take() {
            Value::Array(messages) => messages,
            _ => Vec::new(),
        })
    }
}
