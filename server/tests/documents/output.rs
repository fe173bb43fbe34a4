//! Compares the output of a command with the output that a document shows.

/// Any text, or any lines.
const VARIES: char = '…';

/// Compares line by line. `…` in a line stands for any text, and alone on a line for any number of lines. An error is
/// the first line of the document that nothing matches.
pub(super) fn matches<'a>(expected: &'a str, actual: &str) -> Result<(), &'a str> {
    let expected: Vec<&str> = expected.lines().map(str::trim_end).collect();
    let actual: Vec<&str> = actual.lines().map(str::trim_end).collect();
    let mut furthest = 0;
    if lines(&expected, &actual, 0, &mut furthest) {
        return Ok(());
    }
    Err(expected.get(furthest).copied().unwrap_or("the end of the output"))
}

fn lines(expected: &[&str], actual: &[&str], done: usize, furthest: &mut usize) -> bool {
    *furthest = done.max(*furthest);
    match (expected.get(done).copied(), actual.split_first()) {
        (None, rest) => rest.is_none(),
        (Some("…"), None) => lines(expected, actual, done + 1, furthest),
        (Some("…"), Some((_, rest))) => {
            lines(expected, actual, done + 1, furthest) || lines(expected, rest, done, furthest)
        }
        (Some(_), None) => false,
        (Some(wanted), Some((line, rest))) => same(wanted, line) && lines(expected, rest, done + 1, furthest),
    }
}

fn same(wanted: &str, line: &str) -> bool {
    let mut parts = wanted.split(VARIES);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varying_parts_are_left_out() {
        assert_eq!(matches("ops  started  …\n", "ops  started  pid 12\n"), Ok(()));
        assert_eq!(matches("a…c…e\n…\nz\n", "abcde\nx\ny\nz\n"), Ok(()));
        assert_eq!(matches("…\n", ""), Ok(()));
        assert_eq!(matches("a\n", "a  \n"), Ok(()));
    }

    #[test]
    fn another_output_is_noticed() {
        assert_eq!(matches("ops  started\n", "ops  resumed\n"), Err("ops  started"));
        assert_eq!(matches("a\nb\n", "a\n"), Err("b"));
        assert_eq!(matches("a\n", "a\nb\n"), Err("the end of the output"));
        assert_eq!(matches("a…c\n", "ab\n"), Err("a…c"));
        assert_eq!(matches("…\nz\n", "x\ny\n"), Err("z"));
    }
}
