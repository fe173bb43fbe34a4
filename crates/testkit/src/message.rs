//! Messages as an agent receives them.

/// Returns a text without the ids at the ends of the lines that begin a message: they differ for every message.
#[must_use]
pub fn without_id(text: &str) -> String {
    text.split_inclusive('\n').map(line_without_id).collect()
}

fn line_without_id(line: &str) -> String {
    let end = if line.ends_with('\n') { "\n" } else { "" };
    let cut = line.trim_end_matches('\n').strip_suffix(')').and_then(|line| line.rsplit_once(" (id "));
    match cut {
        Some((before, _)) if line.starts_with("[the-loop] A message") => format!("{before}{end}"),
        _ => line.to_owned(),
    }
}
