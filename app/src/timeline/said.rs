//! Text of a message, folded if it is long.

use leptos::prelude::*;

/// Length of a text that is shown unfolded, in characters.
const SHORT: usize = 240;

/// Length of the first line of a folded text, in characters.
const FIRST: usize = 100;

/// Length of an unfolded text in the page, in bytes. The rest is only in the file.
const SHOWN: usize = 8 * 1024;

/// Renders a text: in quotes if it is short, and as its first words that unfold if it is long.
#[component]
pub(crate) fn Said(
    text: String,
    /// Length of the whole text in bytes, if the kept text is cut.
    cut_from: Option<usize>,
) -> impl IntoView {
    let short = text.chars().nth(SHORT).is_none() && text.lines().count() <= 4 && cut_from.is_none();
    if short {
        return view! { <span class="said">"“"{text}"”"</span> }.into_any();
    }
    let first: String = text.split_whitespace().flat_map(|word| [word, " "]).collect::<String>();
    let first = first.trim_end().chars().take(FIRST).collect::<String>();
    let (shown, note) = beginning(text, cut_from);
    view! {
        <details class="said">
            <summary>"“"{first}"…”"</summary>
            <p class="whole">{shown}</p>
            {note.map(|note| view! { <p class="proof">{note}</p> })}
        </details>
    }
    .into_any()
}

/// Returns the part of a text that is shown, and a note if it is not the whole text.
fn beginning(mut text: String, cut_from: Option<usize>) -> (String, Option<String>) {
    let whole = cut_from.unwrap_or(text.len());
    text.truncate(text.floor_char_boundary(SHOWN));
    let note =
        (text.len() < whole).then(|| format!("The first {} kB of {} kB", kilobytes(text.len()), kilobytes(whole)));
    (text, note)
}

fn kilobytes(bytes: usize) -> usize {
    bytes.div_ceil(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_says_how_much_of_it_is_shown() {
        let (shown, note) = beginning("日".repeat(10_000), None);
        assert!(shown.len() <= SHOWN && shown.len() > SHOWN - 3);
        assert_eq!(note.as_deref(), Some("The first 8 kB of 30 kB"));
        assert_eq!(beginning("short".to_owned(), None), ("short".to_owned(), None));
        assert_eq!(beginning("cut".to_owned(), Some(100_000)).1.as_deref(), Some("The first 1 kB of 98 kB"));
    }
}
