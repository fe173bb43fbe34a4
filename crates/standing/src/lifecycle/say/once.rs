//! Once: the same request, sent again under the same key, is typed once.
//!
//! The intent is on disk before anything is typed, and the pane is marked in the very step that types it. A request
//! that finds its own intent without an end was cut short by a crash: transcript and mark tell whether it was typed,
//! and only what surely was not is typed now.

use std::{fs, path::PathBuf};

use serde::{Deserialize, Serialize};
use wire::{SayReceipt, SessionName, Verdict};

use crate::{Error, lifecycle::Context, registry};

/// How many keys of a session are remembered, the newest.
const REMEMBERED: usize = 256;

/// One key and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    key: String,
    /// Tells one message from another; no secret is kept by it.
    fingerprint: String,
    intent: Intent,
    /// `None` until the delivery came to its end.
    receipt: Option<SayReceipt>,
}

/// A delivery that is about to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lifecycle) struct Intent {
    /// Its id in the receipt and in the event log, and what the pane is marked with.
    pub(in crate::lifecycle) message_id: String,
    /// The spawn whose pane it is typed into.
    pub(in crate::lifecycle) loop_id: String,
    /// Where the harness would write it down, and how long that was before.
    pub(in crate::lifecycle) transcript: Option<PathBuf>,
    pub(in crate::lifecycle) transcript_from: u64,
}

/// What is known of a key.
#[derive(Debug)]
pub(in crate::lifecycle) enum Known {
    /// Nothing: go on.
    New,
    /// It came to this end.
    Ended(Box<SayReceipt>, Box<Intent>),
    /// It was begun, and no end is recorded.
    CutShort(Box<Intent>),
}

/// The memory of one session's keys. Invariant: used only while the session is held.
#[derive(Debug)]
pub(in crate::lifecycle) struct Once {
    path: PathBuf,
    key: String,
    fingerprint: String,
    said: Vec<Said>,
}

impl Once {
    /// Opens the memory for a request; `None` if it has no key.
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
        // A memory that cannot be read is begun anew: it only ever saves a repetition.
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

    /// Puts the intent on disk, before anything is typed.
    pub(in crate::lifecycle) fn begin(&mut self, intent: Intent) -> Result<(), Error> {
        self.said.retain(|said| said.key != self.key);
        let (key, fingerprint) = (self.key.clone(), self.fingerprint.clone());
        self.said.push(Said { key, fingerprint, intent, receipt: None });
        let excess = self.said.len().saturating_sub(REMEMBERED);
        self.said.drain(..excess);
        registry::durable(&self.path, self.json().as_bytes())
    }

    /// Records the end; one that never reached the pane may be tried again.
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

/// Forgets the keys of a session that is deleted.
pub(crate) fn forget(context: &Context, name: &SessionName) {
    let _ = fs::remove_file(context.registry.launch_dir().join(format!("{name}.said.json")));
}

/// FNV-1a over the message, with its length: stable across versions, which a hasher of the standard library is not.
fn fingerprint(message: &str) -> String {
    let hash = message
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{}-{hash:016x}", message.len())
}
