//! Idempotency: the same request, sent again with the same key, is typed once.
//!
//! The intent is on disk before anything is typed, and the pane is marked in the same tmux command that types it. If
//! a request finds its own intent without a result, it was interrupted by a crash. Transcript and mark then say
//! whether the message was typed; it is typed now only if it certainly was not.

use std::{fs, path::PathBuf};

use serde::{Deserialize, Serialize};
use wire::{SayReceipt, SessionName, Verdict};

use crate::{Error, lifecycle::Context, registry};

/// Number of keys that are remembered for a session: the newest ones.
const REMEMBERED: usize = 256;

/// Idempotency key, with the result of its request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    key: String,
    /// Distinguishes messages; it does not protect a secret.
    fingerprint: String,
    intent: Intent,
    /// `None` until the delivery has ended.
    receipt: Option<SayReceipt>,
}

/// Intent of a delivery.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lifecycle) struct Intent {
    /// Id of the message in the receipt, in the event log and in the mark of the pane.
    pub(in crate::lifecycle) message_id: String,
    /// Id of the spawn whose pane it is typed into.
    pub(in crate::lifecycle) loop_id: String,
    /// Transcript that would record the message, and its length before.
    pub(in crate::lifecycle) transcript: Option<PathBuf>,
    pub(in crate::lifecycle) transcript_from: u64,
}

/// State of a key.
#[derive(Debug)]
pub(in crate::lifecycle) enum Known {
    /// The key is new.
    New,
    /// The request has ended with this receipt.
    Ended(Box<SayReceipt>, Box<Intent>),
    /// The request began, and no end is recorded.
    CutShort(Box<Intent>),
}

/// Stored keys of one session. Invariant: used only while the session is locked.
#[derive(Debug)]
pub(in crate::lifecycle) struct Once {
    path: PathBuf,
    key: String,
    fingerprint: String,
    said: Vec<Said>,
}

impl Once {
    /// Opens the stored keys for a request; `None` if the request has no key.
    pub(in crate::lifecycle) fn open(
        context: &Context,
        name: &SessionName,
        key: &str,
        message: &str,
    ) -> Result<Option<Self>, Error> {
        if key.is_empty() {
            return Ok(None);
        }
        context.registry.prepare()?;
        let path = context.registry.launch_dir().join(format!("{name}.said.json"));
        // If the file could not be read, it starts empty: it only saves repetitions.
        let said = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Ok(Some(Self { path, key: key.to_owned(), fingerprint: fingerprint(message), said }))
    }

    pub(in crate::lifecycle) fn known(&self, name: &SessionName) -> Result<Known, Error> {
        let Some(said) = self.said.iter().find(|said| said.key == self.key) else { return Ok(Known::New) };
        if said.fingerprint != self.fingerprint {
            return Err(Error::KeyReused { name: name.clone() });
        }
        Ok(match &said.receipt {
            Some(receipt) => Known::Ended(Box::new(receipt.clone()), Box::new(said.intent.clone())),
            None => Known::CutShort(Box::new(said.intent.clone())),
        })
    }

    /// Writes the intent to disk, before anything is typed.
    pub(in crate::lifecycle) fn begin(&mut self, intent: Intent) -> Result<(), Error> {
        self.said.retain(|said| said.key != self.key);
        let (key, fingerprint) = (self.key.clone(), self.fingerprint.clone());
        self.said.push(Said { key, fingerprint, intent, receipt: None });
        let excess = self.said.len().saturating_sub(REMEMBERED);
        self.said.drain(..excess);
        registry::durable(&self.path, self.json().as_bytes())
    }

    /// Records the result. A message that never reached the pane may be tried again.
    pub(in crate::lifecycle) fn end(&mut self, receipt: &SayReceipt) {
        if receipt.verdict == Verdict::NotDelivered {
            self.said.retain(|said| said.key != self.key);
        } else {
            for said in self.said.iter_mut().filter(|said| said.key == self.key) {
                said.receipt = Some(receipt.clone());
            }
        }
        let _ = registry::atomic(&self.path, self.json().as_bytes());
    }

    fn json(&self) -> String {
        serde_json::to_string(&self.said).unwrap_or_default()
    }
}

/// Removes the stored keys of a deleted session.
pub(crate) fn forget(context: &Context, name: &SessionName) {
    let _ = fs::remove_file(context.registry.launch_dir().join(format!("{name}.said.json")));
}

/// Returns the FNV-1a hash of the message, with its length. It is stable across versions; the hashers of the standard
/// library are not.
fn fingerprint(message: &str) -> String {
    let hash = message
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{}-{hash:016x}", message.len())
}
