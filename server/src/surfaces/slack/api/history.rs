//! `conversations.history`: what was said in a channel lately. Asked only when it is not known whether something that we
//! said stands there.

use serde_json::Value;

use super::{Api, ApiError, Token};
use crate::surfaces::slack::ts::Ts;

impl Api {
    /// The newest messages of a channel after a moment, a hundred at most. A channel that is given by its name is not
    /// found.
    pub(in crate::surfaces::slack) async fn history(&self, channel: &str, after: &Ts) -> Result<Vec<Value>, ApiError> {
        let form = [("channel", channel), ("oldest", after.as_str()), ("limit", "100")];
        let mut answer = self.call("conversations.history", Token::Bot, &form).await?;
        Ok(match answer["messages"].take() {
            Value::Array(messages) => messages,
            _ => Vec::new(),
        })
    }
}
