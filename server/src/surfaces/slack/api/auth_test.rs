//! `auth.test`: who the bot token belongs to.

use super::{Api, ApiError, Token};

/// Who we are in Slack. What this user or bot says is never a reply to us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::surfaces::slack) struct Identity {
    pub(in crate::surfaces::slack) user: String,
    pub(in crate::surfaces::slack) bot: String,
    /// The bot's name, for people.
    pub(in crate::surfaces::slack) name: String,
    /// The workspace's name, for people.
    pub(in crate::surfaces::slack) team: String,
}

impl Api {
    pub(in crate::surfaces::slack) async fn auth_test(&self) -> Result<Identity, ApiError> {
        let answer = self.call("auth.test", Token::Bot, &[]).await?;
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        let identity = Identity { user: text("user_id"), bot: text("bot_id"), name: text("user"), team: text("team") };
        if identity.user.is_empty() {
            // Who does not know itself would take its own words for a reply.
            return Err(ApiError::Refused { word: "no_user_id".to_owned() });
        }
        Ok(identity)
    }
}
