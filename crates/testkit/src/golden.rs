//! Golden files of the texts that a user sees: compared in a test, rewritten by `cargo xtask texts`.

use std::{env, fs, path::Path};

/// Asserts that `docs/texts/<name>` contains this text. With `UPDATE_TEXTS` set, writes it there first.
///
/// # Panics
///
/// If the file has other content or could not be written.
#[track_caller]
pub fn assert_text(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/texts").join(name);
    if env::var_os("UPDATE_TEXTS").is_some() {
        fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let first = kept.lines().zip(text.lines()).find(|(kept, text)| kept != text);
    assert!(
        kept == text,
        "`docs/texts/{name}` is out of date: run `cargo xtask texts` and review the diff; first difference: {first:?}"
    );
}
