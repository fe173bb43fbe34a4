//! Light or dark: the system's choice, unless the reader chose otherwise. The choice is kept in a cookie, so that the
//! server renders it and nothing flashes.

use http::{header::COOKIE, request::Parts};
use leptos::prelude::use_context;

/// The name of the cookie.
pub(crate) const COOKIE_NAME: &str = "the_loop_theme";

/// What the reader chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// Every choice, in the order of the switch.
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// In the cookie and in the attribute that the style sheet looks at.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// What is not understood is the system's choice.
    pub(crate) fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.as_str() == text).unwrap_or_default()
    }

    /// The choice that the request carries.
    pub(crate) fn of_request() -> Self {
        use_context::<Parts>().map(|parts| Self::of(&parts)).unwrap_or_default()
    }

    fn of(parts: &Parts) -> Self {
        parts
            .headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == COOKIE_NAME)
            .map(|(_, value)| Self::parse(value))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_found_among_other_cookies() {
        let request = http::Request::builder().header(COOKIE, "a=b; the_loop_theme=dark; c=d").body(()).expect("valid");
        assert_eq!(Theme::of(&request.into_parts().0), Theme::Dark);
        let request = http::Request::builder().header(COOKIE, "the_loop_theme=<x>").body(()).expect("valid");
        assert_eq!(Theme::of(&request.into_parts().0), Theme::System);
    }
}
