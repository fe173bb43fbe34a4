//! Base address of the Slack Web API, or of a stand-in on this machine.

use reqwest::Url;
use standing::Surroundings;

/// Variable that overrides the base address of the Web API. Only `https`, or `http` on loopback, is accepted, because
/// the tokens are sent there.
pub(super) const API_VAR: &str = "THE_LOOP_SLACK_API";

const SLACK: &str = "https://slack.com/api/";

/// Base address of the Web API.
#[derive(Clone, Debug)]
pub(super) struct Address {
    base: Url,
}

impl Address {
    /// Returns Slack's address, or the one in [`API_VAR`].
    pub(super) fn of(surroundings: &Surroundings) -> Result<Self, String> {
        match surroundings.var(API_VAR) {
            None => Self::parse(SLACK),
            Some(text) => Self::parse(&text.to_string_lossy()),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let with_slash = if text.ends_with('/') { text.to_owned() } else { format!("{text}/") };
        let base = Url::parse(&with_slash).map_err(|error| format!("`{API_VAR}` is not a valid URL ({error})"))?;
        if base.scheme() == "https" || (base.scheme() == "http" && is_loopback(&base)) {
            return Ok(Self { base });
        }
        Err(format!("`{API_VAR}` must start with `https://` (`http://` is for this machine only)"))
    }

    /// Returns the address of a method.
    pub(super) fn method(&self, method: &str) -> Result<Url, String> {
        self.base.join(method).map_err(|error| error.to_string())
    }

    /// True for a stand-in on this machine, which is reached without TLS.
    pub(super) fn is_plain(&self) -> bool {
        self.base.scheme() == "http"
    }

    /// Converts the address of a WebSocket to HTTP, for the upgrade request. The address is a one-time ticket: it must
    /// not be logged or reported.
    pub(super) fn socket(&self, ticket: &str) -> Result<Url, String> {
        let told = match (ticket.strip_prefix("wss://"), ticket.strip_prefix("ws://")) {
            (Some(rest), _) => Url::parse(&format!("https://{rest}")),
            (None, Some(rest)) if self.is_plain() => Url::parse(&format!("http://{rest}")),
            _ => return Err("Slack returned a socket address that is not `wss://`".to_owned()),
        };
        match told {
            Ok(url) if url.scheme() == "https" || is_loopback(&url) => Ok(url),
            _ => Err("Slack returned an invalid socket address".to_owned()),
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_go_to_https_or_this_machine_only() {
        for right in
            ["https://slack.com/api/", "https://slack-gov.com/api", "http://127.0.0.1:1/api/", "http://[::1]:1"]
        {
            Address::parse(right).expect(right);
        }
        for wrong in ["http://slack.com/api/", "http://127.0.0.1.example.com/", "ftp://127.0.0.1/", "slack.com", ""] {
            Address::parse(wrong).expect_err(wrong);
        }
        let method = Address::parse("https://slack.com/api").expect("an address").method("auth.test");
        assert_eq!(method.expect("joined").as_str(), "https://slack.com/api/auth.test");
    }

    #[test]
    fn a_socket_is_encrypted_but_on_this_machine() {
        let slack = Address::parse(SLACK).expect("an address");
        assert_eq!(slack.socket("wss://w.slack.com/link/?t=1").expect("wss").as_str(), "https://w.slack.com/link/?t=1");
        for wrong in ["ws://w.slack.com/", "ws://127.0.0.1:1/", "https://w.slack.com/", ""] {
            let told = slack.socket(wrong).expect_err(wrong);
            assert!(wrong.is_empty() || !told.contains(wrong), "{told}");
        }
        let stub = Address::parse("http://127.0.0.1:1/api").expect("an address");
        assert_eq!(stub.socket("ws://127.0.0.1:2/s").expect("ws").as_str(), "http://127.0.0.1:2/s");
        stub.socket("ws://192.0.2.1/s").expect_err("not this machine");
    }
}
