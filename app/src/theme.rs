//! Theme: the system's, unless the reader chose another one. The choice is kept in a cookie, so that the server renders
//! it and the page does not flicker.

use http::{HeaderMap, header::COOKIE, request::Parts};
use leptos::prelude::use_context;

/// Name of the cookie.
pub(crate) const COOKIE_NAME: &str = "the_loop_theme";

/// Theme chosen by the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// Theme of the system.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// All themes.
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Returns the value in the cookie and in the attribute for the style sheet.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Returns the name for people.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::System => "those of the system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Returns the next theme of the switch.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }

    /// Parses a theme; any unknown value means the system's.
    pub(crate) fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.as_str() == text).unwrap_or_default()
    }

    /// Returns the theme in the request.
    pub(crate) fn of_request() -> Self {
        use_context::<Parts>().map(|parts| Self::of(&parts.headers)).unwrap_or_default()
    }

    fn of(headers: &HeaderMap) -> Self {
        headers
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

/// Returns the theme that the reader of a request chose, as the value of the attribute for the style sheet. For pages that
/// are rendered elsewhere.
pub fn theme_of(headers: &HeaderMap) -> &'static str {
    Theme::of(headers).as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_found_among_other_cookies() {
        let request = http::Request::builder().header(COOKIE, "a=b; the_loop_theme=dark; c=d").body(()).expect("valid");
        assert_eq!(Theme::of(request.headers()), Theme::Dark);
        let request = http::Request::builder().header(COOKIE, "the_loop_theme=<x>").body(()).expect("valid");
        assert_eq!(Theme::of(request.headers()), Theme::System);
    }
}
