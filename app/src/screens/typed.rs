//! Text that was typed, as the content of a `<textarea>`.

/// Escapes it, since the view macro writes what stands inside a `<textarea>` as it is. The line feed in front is the
/// one that a browser drops there, so that a text that begins with one keeps it.
pub(super) fn typed(text: &str) -> String {
    format!("\n{}", text.replace('&', "&amp;").replace('<', "&lt;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_typed_ends_the_box() {
        assert_eq!(typed("</textarea><script>&amp;"), "\n&lt;/textarea>&lt;script>&amp;amp;");
    }
}
