//! Token: a private file, created on the first start in token mode.

use std::{io, os::unix::fs::MetadataExt, path::Path};

use files::{
    folder,
    open::{self, Links},
    read,
    write::{self, Durability},
};
use subtle::ConstantTimeEq;

use super::unguessable;

/// Name of the file below `<state.root>/local`.
pub(super) const FILE: &str = "service.token";

/// Largest token file, in bytes.
const MAX_TOKEN: usize = 4096;

/// Token that a client sends to be accepted. Its debug form hides it.
#[derive(Clone)]
pub(super) struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    pub(super) fn read_or_make(local: &Path) -> Result<Self, standing::Error> {
        let path = local.join(FILE);
        let storage = |doing: &'static str| {
            let path = path.clone();
            move |source| standing::Error::Storage { path, doing, source }
        };
        folder::make(local).map_err(storage("could not create the directory of the token"))?;
        match write::create(&path, format!("{}\n", unguessable()).as_bytes(), Durability::PowerLoss) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(storage("could not write the token")(error)),
        }
        read_private(&path).map(Self).map_err(storage("could not use the token"))
    }

    /// Compares in constant time.
    pub(super) fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Reads a token file that only its owner can read.
fn read_private(path: &Path) -> io::Result<String> {
    let file = open::plain(path, Links::Refuse)?;
    let meta = file.metadata()?;
    let refuse = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned()));
    if meta.mode() & 0o077 != 0 {
        return refuse("other users can read it: run `chmod 600` on it, or remove it to get a new one");
    }
    let text = String::from_utf8(read::all(file, MAX_TOKEN)?).map_err(io::Error::other)?.trim().to_owned();
    if text.len() < 32 {
        return refuse("too short to be safe: remove it to get a new one");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn it_is_made_once_private_and_unguessable() {
        let dir = tempfile::tempdir().expect("made");
        let token = Token::read_or_make(dir.path()).expect("made");
        let again = Token::read_or_make(dir.path()).expect("read");
        assert!(token.is(&again.0) && token.0.len() == 64);
        assert!(!token.is("") && !token.is(&token.0[1..]));
        let path = dir.path().join(FILE);
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o600);
        assert!(!format!("{token:?}").contains(&token.0));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("set");
        assert!(Token::read_or_make(dir.path()).is_err(), "others could read it");
    }
}
