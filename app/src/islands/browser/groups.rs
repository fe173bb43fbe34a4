//! The groups of the list: their headings and counts, and the stopped sessions behind one line.

use super::{change_query, every, every_in, first, get, mark, row, set, tell};

/// Hides the headings of groups without a visible row, and shows how many of their rows match a filter.
pub(super) fn count(filtered: bool) {
    for list in every(".rows") {
        let group = get(&list, "data-group");
        let (mut all, mut matching) = (0, 0);
        for row in every_in(&list, ".row") {
            all += 1;
            matching += usize::from(!row.has_attribute("hidden"));
        }
        if let Some(head) = first(&["#head-", &group].concat()) {
            mark(&head, "hidden", matching == 0);
        }
        let all = all.to_string();
        let count = if filtered { [&matching.to_string(), " of ", &all].concat() } else { all };
        tell(&["#head-", &group, " .count"].concat(), &count);
    }
    if let Some(list) = first("#list") {
        mark(&list, "data-filtered", filtered);
    }
    show_fold();
}

/// Shows or hides the stopped sessions.
pub(super) fn toggle_stopped() {
    if let Some(list) = first("#list") {
        let folded = list.has_attribute("data-folded");
        mark(&list, "data-folded", !folded);
        change_query(|query| if folded { query.set("stopped", "") } else { query.delete("stopped") });
    }
    show_fold();
}

/// Shows the state of the line of stopped sessions. A short list has none.
fn show_fold() {
    let Some(list) = first("#list") else { return };
    if row::are_few() {
        mark(&list, "data-folded", false);
    }
    let folded = list.has_attribute("data-folded");
    if let Some(button) = first("#stopped-line [data-fold]") {
        set(&button, "aria-expanded", if folded { "false" } else { "true" });
        if let Some(word) = button.first_child() {
            word.set_text_content(Some(if folded { "Show" } else { "Hide" }));
        }
    }
}
