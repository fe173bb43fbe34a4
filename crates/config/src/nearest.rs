//! Suggestion of the word that was probably meant.

/// Maximum number of letters that may differ between a key and the word that was meant.
const NEAR: usize = 2;

/// Returns the word that is nearest to the written one, if one is near enough.
pub(super) fn nearest<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distances = words.into_iter().filter_map(|word| Some((distance(written, word)?, word)));
    distances.min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}

/// Returns the distance of two words, if it is small enough. `snake_case` for `camelCase` counts as zero.
fn distance(written: &str, word: &str) -> Option<usize> {
    if written.len().abs_diff(word.len()) > 2 * NEAR {
        return None;
    }
    if folded(written) == folded(word) {
        return Some(0);
    }
    let distance = strsim::levenshtein(written, word);
    (distance <= NEAR && distance < word.len()).then_some(distance)
}

fn folded(word: &str) -> String {
    word.chars().filter(|c| !['_', '-', ' '].contains(c)).flat_map(char::to_lowercase).collect()
}

/// Joins words to a list: "`a`", "`a` or `b`", "`a`, `b` or `c`".
pub(super) fn alternatives<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.pop() {
        None => String::new(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let keys = ["name", "harness", "harnessArgs", "promptFile", "autoStart"];
        assert_eq!(nearest("nane", keys), Some("name"));
        assert_eq!(nearest("auto_start", keys), Some("autoStart"));
        assert_eq!(nearest("promtFile", keys), Some("promptFile"));
        assert_eq!(nearest("harnes", keys), Some("harness"));
        assert_eq!(nearest("restart", keys), None);
        assert_eq!(nearest("", keys), None);
    }

    #[test]
    fn words_in_a_row() {
        assert_eq!(alternatives(["a"]), "`a`");
        assert_eq!(alternatives(["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
