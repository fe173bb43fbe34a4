//! Pages of the-loop for people: rendered by the server, enhanced by a few small islands.
//!
//! The server is the only renderer. Each page works without WebAssembly: every action is a plain form that posts to a
//! server function and is answered by a redirect. With WebAssembly, one island sends the same forms without navigation,
//! and updates the page from the server's rendering. Nothing is rendered twice.
//!
//! This crate must not decide anything: server functions call `standing::TheLoop` and return its answer word for word.
//!
//! Features: `ssr` is the server's half, `hydrate` the browser's. Neither changes the meaning of the other.

mod create_form;
pub mod filter;
pub mod islands;
pub mod serverfns;

#[cfg(feature = "ssr")]
mod context;
#[cfg(feature = "ssr")]
mod counts;
#[cfg(all(test, feature = "ssr"))]
mod fixtures;
#[cfg(feature = "ssr")]
pub mod live;
#[cfg(feature = "ssr")]
mod look;
#[cfg(feature = "ssr")]
mod notices;
#[cfg(feature = "ssr")]
mod page;
#[cfg(feature = "ssr")]
mod parts;
#[cfg(feature = "ssr")]
mod query;
#[cfg(feature = "ssr")]
mod rows;
#[cfg(feature = "ssr")]
#[expect(unreachable_pub, reason = "the component macro makes a public item of each")]
#[expect(clippy::needless_pass_by_value, reason = "components own what they are given")]
mod screens;
#[cfg(feature = "ssr")]
#[expect(unreachable_pub, reason = "the component macro makes a public item of each")]
#[expect(clippy::needless_pass_by_value, reason = "components own what they are given")]
mod session;
#[cfg(feature = "ssr")]
#[expect(unreachable_pub, reason = "the component macro makes a public item of each")]
mod shell;
#[cfg(feature = "ssr")]
#[expect(unreachable_pub, reason = "the component macro makes a public item of each")]
mod sprite;
#[cfg(feature = "ssr")]
pub mod terminal;
#[cfg(all(test, feature = "ssr"))]
mod texts;
#[cfg(feature = "ssr")]
mod theme;
#[cfg(feature = "ssr")]
#[expect(unreachable_pub, reason = "the component macro makes a public item of each")]
#[expect(clippy::needless_pass_by_value, reason = "components own what they are given")]
pub mod timeline;
#[cfg(feature = "ssr")]
#[expect(unreachable_pub, reason = "the component macro makes a public item of each")]
mod when;

#[cfg(feature = "ssr")]
pub use context::AppContext;
#[cfg(feature = "ssr")]
pub use page::{Page, load};
#[cfg(feature = "ssr")]
pub use parts::{confirm_part, menu_part, notice_part, row_part, sent_part};
#[cfg(feature = "ssr")]
pub use query::Query;
#[cfg(feature = "ssr")]
pub use session::{
    Found, MissingPage, MissingShell, MissingShellProps, PaneFeed, SessionPage, SessionShell, SessionShellProps, Tab,
    load_session, scrollback_part,
};
#[cfg(feature = "ssr")]
pub use shell::{Assets, Nav, Shell, ShellProps};
#[cfg(feature = "ssr")]
pub use theme::theme_of;
