//! Timeline of a session, and the Events page: the same list of entries, newest first, with day heads.
//!
//! The core decides what an entry is; this module puts it into words. All text is escaped by the renderer.

mod address;
mod events;
mod form;
mod item;
mod list;
mod news;
mod said;
#[cfg(test)]
mod tests;
mod time;
mod words;

pub use address::EventsQuery;
pub use events::{EventsPage, EventsShell, EventsShellProps, load_events};
pub use list::{SessionTimeline, Timeline, TimelineProps, of_session};
pub use news::{News, NewsItem, NewsOf, news};
