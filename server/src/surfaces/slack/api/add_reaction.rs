//! `reactions.add`: adds a reaction to a message. A reaction that exists already counts as success.

use super::{Api, ApiError, Token};
use crate::surfaces::slack::ts::Ts;

impl Api {
    pub(in crate::surfaces::slack) async fn add_reaction(
        &self,
        channel: &str,
        ts: &Ts,
        name: &str,
    ) -> Result<(), ApiError> {
        let form = [("channel", channel), ("timestamp", ts.as_str()), ("name", name)];
        match self.call("reactions.add", Token::Bot, &form).await {
            Ok(_) => Ok(()),
            Err(ApiError::Refused { word }) if word == "already_reacted" => Ok(()),
            Err(error) => Err(error),
        }
    }
}
