//! `auth.test`: returns the owner of the bot token.

use super::{Api, ApiError, Token};

/// Identity of this app in Slack. Messages of this user or bot are never replies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::surfaces::slack) struct Identity {
    pub(in crate::surfaces::slack) user: String,
    pub(in crate::surfaces::slack) bot: String,
    /// Display name of the bot.
    pub(in crate::surfaces::slack) name: String,
    /// Display name of the workspace.
    pub(in crate::surfaces::slack) team: String,
}

impl Api {
    pub(in crate::surfaces::slack) async fn auth_test(&self) -> Result<Identity, ApiError> {
        let answer = self.call("auth.test", Token::Bot, &[]).await?;
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        let identity = Identity { user: text("user_id"), bot: text("bot_id"), name: text("user"), team: text("team") };
        if identity.user.is_empty() {
            // Without its own identity, the app would take its own messages for replies.
            return Err(ApiError::Refused { word: "no_user_id".to_owned() });
        }
        Ok(identity)
    }
}
