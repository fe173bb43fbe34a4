//! Formats a command as a line that tmux parses back into the same words.

/// Returns the words of an invocation as one line. A lone `;` separates commands there too. A `;` at the end of a word,
/// which an invocation must escape, loses its backslash.
pub(crate) fn line(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

fn quoted(word: &str) -> String {
    if word == ";" {
        return word.to_owned();
    }
    let word = word.strip_suffix("\\;").map_or_else(|| word.to_owned(), |rest| format!("{rest};"));
    // Between single quotes only the next quote has a meaning.
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_one_word_again() {
        let words = ["list-panes", "-F", "#{a}\t$HOME ~ {x} \"'\\", ";", "kill-pane", "-t", "a\\;"];
        let wanted = "'list-panes' '-F' '#{a}\t$HOME ~ {x} \"'\\''\\' ; 'kill-pane' '-t' 'a;'";
        assert_eq!(line(&words), wanted);
    }
}
