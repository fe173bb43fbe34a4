//! Typed text as the content of a `<textarea>`.

/// Escapes the text, since the view macro writes the content of a `<textarea>` unchanged. A browser drops a leading
/// line feed there, so one is added to keep that of the text.
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
