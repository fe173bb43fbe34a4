//! Answer links: random tokens, each for the answers of one prompt. A link works once and expires.
//!
//! The file holds hashes only, so nobody who reads it can answer a prompt.

use std::{
    io,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;
use wire::{Attention, Choice, Need, Row};

use super::{folder::Folder, hash};

const FILE: &str = "links.json";
const LOCK: &str = "links.lock";

/// Lifetime of a link, in seconds.
const LIFETIME: u64 = 12 * 3_600;

/// Maximum number of links. The oldest are dropped.
const MOST: usize = 2_000;

/// Time that a change of the file waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// Prompt that a link answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Link {
    /// SHA-256 of the token, in hexadecimal.
    hash: String,
    pub(super) session: String,
    since: String,
    /// SHA-256 of the prompt and its answers, which are private.
    prompt: String,
    /// Seconds since 1970.
    expires: u64,
}

impl Link {
    /// True if the session still shows the prompt of the link.
    pub(super) fn fits(&self, row: &Row) -> bool {
        Need::of(row) == Some(Need::Prompt)
            && row.since == self.since
            && hash_of_prompt(&row.question, &row.choices) == self.prompt
    }

    fn is_of_prompt_of(&self, other: &Self) -> bool {
        (&self.session, &self.since, &self.prompt) == (&other.session, &other.since, &other.prompt)
    }
}

/// Links of one instance.
#[derive(Clone, Debug)]
pub(super) struct Links(Folder);

impl Links {
    /// Returns the links below a state root.
    pub(super) fn below(state_root: &Path) -> Self {
        Self(Folder::below(state_root))
    }

    /// Creates a link to the answers of a prompt, and returns its token. Blocks.
    pub(super) fn create(&self, prompt: &Attention) -> io::Result<String> {
        let token = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        let link = Link {
            hash: hash::full(&token),
            session: prompt.sessions.first().cloned().unwrap_or_default(),
            since: prompt.since.clone(),
            prompt: hash_of_prompt(&prompt.reason, &prompt.choices),
            expires: now() + LIFETIME,
        };
        self.change(|links| links.push(link))?;
        Ok(token)
    }

    /// Returns the link of a token, if it is valid. Blocks.
    pub(super) fn find(&self, token: &str) -> io::Result<Option<Link>> {
        Ok(matching(&self.read()?, token).cloned())
    }

    /// Removes the link of a token and all other links to its prompt, and returns it. Only one caller gets it. Blocks.
    pub(super) fn take(&self, token: &str) -> io::Result<Option<Link>> {
        self.change(|links| {
            let taken = matching(links, token).cloned()?;
            links.retain(|link| !link.is_of_prompt_of(&taken));
            Some(taken)
        })
    }

    /// Returns a link that was taken and not used, since nothing was answered. Blocks.
    pub(super) fn give_back(&self, link: Link) -> io::Result<()> {
        self.change(|links| links.push(link))
    }

    fn read(&self) -> io::Result<Vec<Link>> {
        let text = self.0.read(FILE)?;
        let mut links: Vec<Link> =
            if text.is_empty() { Vec::new() } else { serde_json::from_str(&text).map_err(io::Error::other)? };
        let now = now();
        links.retain(|link| link.expires > now);
        Ok(links)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<Link>) -> T) -> io::Result<T> {
        let _held = self.0.lock(LOCK, PATIENCE).map_err(io::Error::other)?;
        // An unreadable file answers nothing, and its links cannot be told from others.
        let before = self.read().unwrap_or_default();
        let mut links = before.clone();
        let done = change(&mut links);
        links.drain(..links.len().saturating_sub(MOST));
        if links != before {
            self.0.write(FILE, &serde_json::to_string(&links).map_err(io::Error::other)?)?;
        }
        Ok(done)
    }
}

/// Finds the link of a token. Every link is compared, in constant time.
fn matching<'a>(links: &'a [Link], token: &str) -> Option<&'a Link> {
    let hash = hash::full(token);
    links
        .iter()
        .fold(None, |found, link| if link.hash.as_bytes().ct_eq(hash.as_bytes()).into() { Some(link) } else { found })
}

fn hash_of_prompt(question: &str, choices: &[Choice]) -> String {
    hash::full(&serde_json::json!([question, choices]).to_string())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use wire::{Activity, State};

    use super::*;

    fn prompt(question: &str) -> Row {
        Row {
            state: State::Running,
            activity: Activity::Waiting,
            question: question.to_owned(),
            since: "2026-11-30T08:00:00Z".to_owned(),
            choices: vec![Choice { key: "1".to_owned(), text: "Yes".to_owned() }],
            ..Row::titled("ops")
        }
    }

    fn entry(row: &Row) -> Attention {
        wire::attention(std::slice::from_ref(row)).remove(0)
    }

    #[test]
    fn a_link_works_once_and_its_token_is_not_on_disk() {
        let root = tempfile::tempdir().expect("a folder");
        let links = Links::below(root.path());
        let row = prompt("Go on?");
        let (one, two) = (links.create(&entry(&row)).expect("made"), links.create(&entry(&row)).expect("made"));
        let other = links.create(&entry(&prompt("Stop?"))).expect("made");
        let file = root.path().join("notify/links.json");
        let text = fs::read_to_string(&file).expect("read");
        assert!(
            !text.contains(&one) && !text.contains(&two) && !text.contains("Go on") && text.contains(&hash::full(&one))
        );
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        for wrong in ["", "x", &one[1..], &hash::full(&one)] {
            assert_eq!(links.take(wrong).expect("asked"), None, "{wrong}");
        }
        assert!(links.find(&one).expect("asked").is_some_and(|link| link.fits(&row)));
        let taken = links.take(&one).expect("asked").expect("a link");
        assert_eq!(links.take(&one).expect("asked"), None, "used");
        assert_eq!(links.find(&two).expect("asked"), None, "the prompt was answered by the other link");
        assert!(links.find(&other).expect("asked").is_some());
        links.give_back(taken).expect("kept");
        assert!(links.take(&one).expect("asked").is_some());
    }

    #[test]
    fn a_link_fits_its_prompt_alone_and_expires() {
        let root = tempfile::tempdir().expect("a folder");
        let links = Links::below(root.path());
        let row = prompt("Go on?");
        let token = links.create(&entry(&row)).expect("made");
        let link = links.find(&token).expect("asked").expect("a link");
        let others = [
            prompt("Go on now?"),
            Row { since: "2026-11-30T08:00:01Z".to_owned(), ..row.clone() },
            Row { choices: Vec::new(), ..row.clone() },
            Row { activity: Activity::Idle, ..row.clone() },
            Row { state: State::Unknown, ..row.clone() },
        ];
        assert!(link.fits(&row) && others.iter().all(|other| !link.fits(other)));
        let old = Link { expires: now(), ..link };
        fs::write(root.path().join("notify/links.json"), serde_json::to_string(&[old]).expect("JSON"))
            .expect("written");
        assert_eq!(links.find(&token).expect("asked"), None, "expired");
    }
}
