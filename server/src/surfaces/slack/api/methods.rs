//! Methods of Slack's Web API that the-loop calls.

use reqwest::Url;
use serde_json::Value;

use super::{Api, ApiError, Token};
use crate::surfaces::slack::ts::Ts;

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

/// Location of a posted message. A channel that was given by name has its ID here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::surfaces::slack) struct Posted {
    pub(in crate::surfaces::slack) channel: String,
    pub(in crate::surfaces::slack) ts: Ts,
}

/// A page of a thread, oldest message first. The first message of the thread is on every page.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::surfaces::slack) struct Page {
    pub(in crate::surfaces::slack) messages: Vec<Value>,
    /// Cursor of the next page; empty on the last one.
    pub(in crate::surfaces::slack) next: String,
}

impl Api {
    /// `auth.test`: returns the owner of the bot token.
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

    /// `apps.connections.open`: returns a new socket address. Each address is valid for one connection.
    pub(in crate::surfaces::slack) async fn open_connection(&self) -> Result<Url, ApiError> {
        let answer = self.call("apps.connections.open", Token::App, &[]).await?;
        let ticket = answer["url"].as_str().unwrap_or_default();
        self.address().socket(ticket).map_err(|reason| ApiError::Unreachable { reason, sent: false })
    }

    /// `chat.postMessage`: posts a text that is already in Slack's markup, into a thread if one is given.
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

    /// `chat.update`: replaces the text of one of the app's own messages.
    pub(in crate::surfaces::slack) async fn update_message(&self, posted: &Posted, text: &str) -> Result<(), ApiError> {
        let form = [("channel", posted.channel.as_str()), ("ts", posted.ts.as_str()), ("text", text)];
        self.call("chat.update", Token::Bot, &form).await.map(drop)
    }

    /// Uploads a text as a file into a thread: asks for an address (`files.getUploadURLExternal`), sends the text there,
    /// and shares the file (`files.completeUploadExternal`).
    pub(in crate::surfaces::slack) async fn upload_text(
        &self,
        channel: &str,
        thread: &Ts,
        name: &str,
        text: &str,
    ) -> Result<(), ApiError> {
        let length = text.len().to_string();
        let form = [("filename", name), ("length", length.as_str())];
        let answer = self.call("files.getUploadURLExternal", Token::Bot, &form).await?;
        let refused = |word: &str| ApiError::Refused { word: word.to_owned() };
        let id = answer["file_id"].as_str().filter(|id| !id.is_empty()).ok_or_else(|| refused("no_file_id"))?;
        let url: Url =
            answer["upload_url"].as_str().and_then(|url| url.parse().ok()).ok_or_else(|| refused("no_url"))?;
        self.upload(url, text).await?;
        let files = serde_json::json!([{ "id": id, "title": name }]).to_string();
        let form = [("channel_id", channel), ("thread_ts", thread.as_str()), ("files", files.as_str())];
        self.call("files.completeUploadExternal", Token::Bot, &form).await.map(drop)
    }

    /// `reactions.add`: adds a reaction to a message. A reaction that exists already counts as success.
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

    /// `conversations.replies`: returns the messages of a thread after a point in time. For bound threads only.
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

    /// `conversations.history`: returns the newest messages of a channel after a point in time, at most 100. Called only
    /// when it is unknown whether one of the app's own messages was posted. The channel must be given by its ID: a name
    /// is not found.
    pub(in crate::surfaces::slack) async fn history(&self, channel: &str, after: &Ts) -> Result<Vec<Value>, ApiError> {
        let form = [("channel", channel), ("oldest", after.as_str()), ("limit", "100")];
        let mut answer = self.call("conversations.history", Token::Bot, &form).await?;
        Ok(match answer["messages"].take() {
            Value::Array(messages) => messages,
            _ => Vec::new(),
        })
    }
}
