//! `apps.connections.open`: returns a new socket address. Each address is valid for one connection.

use reqwest::Url;

use super::{Api, ApiError, Token};

impl Api {
    pub(in crate::surfaces::slack) async fn open_connection(&self) -> Result<Url, ApiError> {
        let answer = self.call("apps.connections.open", Token::App, &[]).await?;
        let ticket = answer["url"].as_str().unwrap_or_default();
        self.address().socket(ticket).map_err(|reason| ApiError::Unreachable { reason, sent: false })
    }
}
