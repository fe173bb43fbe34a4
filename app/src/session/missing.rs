//! Page for a name without a session: similar names, and the way to all sessions.

use leptos::prelude::*;

use crate::{
    page::Page,
    shell::{Assets, Document, Nav},
};

/// Number of similar names that are shown.
const SIMILAR: usize = 6;

/// Longest name of a session. A longer one is compared by its beginning.
const LONGEST: usize = 40;

/// Data of the page for a name without a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPage {
    /// Name in the address, cut.
    pub(crate) name: String,
    pub(crate) similar: Vec<String>,
}

impl MissingPage {
    pub(crate) fn of(page: &Page, name: &str) -> Self {
        let names: Vec<&str> = page.sessions().iter().map(|session| session.row.name.as_str()).collect();
        Self { name: name.chars().take(60).collect(), similar: similar(name, &names) }
    }
}

/// Returns the names that are most like another one, the most similar first.
fn similar(name: &str, names: &[&str]) -> Vec<String> {
    let name: String = name.to_lowercase().chars().take(LONGEST).collect();
    let mut scored: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|other| {
            let distance = distance(&name, other);
            let contains = name.len() > 1 && (other.contains(&name) || name.contains(other));
            let near = distance <= 1.max(name.len() / 3);
            (contains || near).then_some((if contains { 0 } else { distance }, *other))
        })
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(SIMILAR).map(|(_, name)| name.to_owned()).collect()
}

/// Returns the number of letters to insert, remove or replace between two texts.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, one) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (index, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(one != other);
            diagonal = row[index + 1];
            row[index + 1] = replaced.min(diagonal + 1).min(row[index] + 1);
        }
    }
    row[b.len()]
}

/// Renders the document for a name without a session.
#[component]
pub fn MissingShell(
    /// Addresses of the files.
    assets: Assets,
    /// Data of the page.
    page: MissingPage,
) -> impl IntoView {
    view! {
        <Document assets=assets title="Not found · the-loop" current=Nav::Standing>
            <Missing page=page.clone() />
        </Document>
    }
    .into_any()
}

#[component]
fn Missing(page: MissingPage) -> impl IntoView {
    let similar = (!page.similar.is_empty()).then(|| {
        let links = page.similar.into_iter().map(|name| {
            view! {
                <li>
                    <a href=format!("/standing/{name}")>{name.clone()}</a>
                </li>
            }
        });
        view! {
            <p>"Similar names:"</p>
            <ul>{links.collect_view()}</ul>
        }
    });
    view! {
        <main id="main" tabindex="-1" class="missing" data-view="missing">
            <h1>"No session named " <code>{page.name}</code></h1>
            {similar}
            <p>
                <a class="button" href="/#/standing">
                    "All sessions"
                </a>
            </p>
        </main>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_mistake_finds_the_right_one_first() {
        let names = ["release-watch", "supervisor", "ops", "docs-gardener"];
        assert_eq!(similar("relase-watch", &names), ["release-watch"]);
        assert_eq!(similar("Supervisor", &names), ["supervisor"]);
        assert_eq!(similar("docs", &names), ["docs-gardener"]);
        assert_eq!(similar("opps", &names), ["ops"]);
        assert!(similar(&"x".repeat(500), &names).is_empty());
    }
}
