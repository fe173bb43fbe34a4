//! HTTP endpoint that gets signed JSON. Each attempt to send the same notification has the same idempotency key.

use hmac::{Hmac, Mac as _};
use reqwest::{Client, Url};
use secrecy::ExposeSecret as _;
use sha2::Sha256;

use super::{failure::Failure, hash, http, note::Note, secret::Secret};

/// Header with the time of the signature, in seconds since 1970.
const TIMESTAMP: &str = "the-loop-timestamp";

/// Header with the signature: `v1=` and the HMAC-SHA256 of the time, a full stop and the body, in hexadecimal.
const SIGNATURE: &str = "the-loop-signature";

/// HTTP endpoint.
#[derive(Debug)]
pub(super) struct Webhook {
    client: Client,
    url: Url,
    key: Secret,
}

impl Webhook {
    pub(super) fn new(url: Url, key: Secret) -> Result<Self, String> {
        Ok(Self { client: http::client(&url)?, url, key })
    }

    pub(super) async fn send(&self, note: &Note) -> Result<(), Failure> {
        let body = serde_json::to_string(note).map_err(|error| Failure::new(error.to_string()))?;
        let time = jiff::Timestamp::now().as_second().to_string();
        let key = self.key.get().await?;
        let signature = sign(key.expose_secret().as_bytes(), &time, &body);
        let request = self
            .client
            .post(self.url.clone())
            .header("content-type", "application/json")
            .header("idempotency-key", note.key())
            .header(TIMESTAMP, time)
            .header(SIGNATURE, signature)
            .body(body);
        let sent = http::result(request.send().await).map(drop);
        if sent.as_ref().is_err_and(|failure| failure.refused) {
            self.key.forget();
        }
        sent
    }
}

fn sign(key: &[u8], time: &str, body: &str) -> String {
    // A key of any length is accepted.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return String::new() };
    mac.update(format!("{time}.{body}").as_bytes());
    format!("v1={}", hash::hex(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_time_and_body() {
        // From `printf '1.{}' | openssl dgst -sha256 -hmac key`.
        let expected = "v1=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224";
        assert_eq!(sign(b"key", "1", "{}"), expected);
        assert_ne!(sign(b"key", "2", "{}"), expected);
    }
}
