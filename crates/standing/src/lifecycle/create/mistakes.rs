//! All mistakes of a request to create a session, each with its field. A command refuses at the first mistake; a form
//! shows all of them.
//!
//! Nothing is changed here, and a request without mistakes can still be refused.

use wire::{CreateRequest, SessionName};

use super::super::{Context, fields};
use crate::{Error, brief, definition::check_directory, registry::Entry};

/// Length limit of a suggested name.
const LONGEST_NAME: usize = 40;

/// A mistake in a field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Field of the request.
    pub field: &'static str,
    /// Reason, for people.
    pub text: String,
    /// Value that would be accepted, if there is an obvious one.
    pub fix: Option<String>,
}

impl Mistake {
    fn new(field: &'static str, text: impl Into<String>) -> Self {
        Self { field, text: text.into(), fix: None }
    }
}

/// Returns the mistakes of a request, in the order of the form's fields.
pub(crate) fn mistakes(context: &Context, request: &CreateRequest) -> Vec<Mistake> {
    let harness = match request.harness.trim() {
        "" => context.settings().routing.default_harness.as_str(),
        harness => harness,
    };
    let cwd = context.definitions().directory(&request.cwd);
    let checks = [
        of_name(context, &request.name),
        check_directory(&cwd).err().map(|text| Mistake::new("cwd", text)),
        brief::fits(request.prompt.len()).err().map(|text| Mistake::new("brief", text)),
        context.harness(harness).err().map(|text| Mistake::new("harness", text)),
        fields::of_create(request).err().map(|error| Mistake::new("env", error.to_string())),
    ];
    checks.into_iter().flatten().collect()
}

fn of_name(context: &Context, text: &str) -> Option<Mistake> {
    let name = match SessionName::parse(text) {
        Ok(name) => name,
        Err(wrong) => return Some(Mistake { fix: suggested(text), ..Mistake::new("name", wrong.to_string()) }),
    };
    let taken = if context.definitions().declaration(&name).is_some() {
        Error::AlreadyDeclared { name: name.clone(), config: context.config_file() }
    } else {
        match context.registry.read(&name) {
            Entry::Vacant => return None,
            Entry::Recorded(_) | Entry::Unreadable(_) => Error::AlreadyExists { name: name.clone() },
        }
    };
    Some(Mistake::new("name", taken.to_string()))
}

/// Returns a valid name that resembles a text; none if nothing of it can stay.
fn suggested(text: &str) -> Option<String> {
    let mut name = String::new();
    for letter in text.trim().chars() {
        let letter = letter.to_ascii_lowercase();
        if letter.is_ascii_alphanumeric() {
            name.push(letter);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    name.truncate(LONGEST_NAME);
    let name = name.trim_end_matches('-').to_owned();
    SessionName::parse(&name).is_ok().then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_suggested_that_is_accepted() {
        let suggested = |text: &str| suggested(text);
        assert_eq!(suggested("API Migration").as_deref(), Some("api-migration"));
        assert_eq!(suggested(" --x__y.. ").as_deref(), Some("x-y"));
        assert_eq!(suggested(&"a b".repeat(30)).map(|name| name.len()), Some(40));
        assert_eq!(suggested("äöü"), None);
        assert_eq!(suggested(""), None);
    }
}
