//! The pages of the-loop, for people: rendered by the server, made quicker by a few small islands.
//!
//! The server is the only renderer. Each page is whole without WebAssembly: every act is a plain form that posts to a
//! server function and comes back by a redirect. With it, one island sends the same forms in place and brings the
//! page up to date from what the server renders; nothing is drawn twice.
//!
//! It must not decide anything: server functions call `standing::TheLoop` and tell what it answered, word for word.
//!
//! Features: `ssr` is the server's half, `hydrate` the browser's. Neither alone changes what the other means.

pub mod islands;
pub mod serverfns;

#[cfg(feature = "ssr")]
mod context;
#[cfg(all(test, feature = "ssr"))]
mod fixtures;
#[cfg(feature = "ssr")]
mod notices;
#[cfg(feature = "ssr")]
mod page;
#[cfg(feature = "ssr")]
mod query;
#[cfg(feature = "ssr")]
#[expect(unreachable_pub, reason = "the component macro makes a public item of each")]
#[expect(clippy::needless_pass_by_value, reason = "components own what they are given")]
mod screens;
#[cfg(feature = "ssr")]
#[expect(unreachable_pub, reason = "the component macro makes a public item of each")]
mod shell;
#[cfg(all(test, feature = "ssr"))]
mod texts;
#[cfg(feature = "ssr")]
mod theme;
#[cfg(feature = "ssr")]
#[expect(unreachable_pub, reason = "the component macro makes a public item of each")]
mod time_ago;

#[cfg(feature = "ssr")]
pub use context::AppContext;
#[cfg(feature = "ssr")]
pub use page::{Page, load};
#[cfg(feature = "ssr")]
pub use query::Query;
#[cfg(feature = "ssr")]
pub use shell::{Assets, Shell, ShellProps};
