//! The terminal of a session: `GET /standing/{name}/terminal` is its page, and `GET /app/terminal/{name}` its WebSocket.
//!
//! The guard checks the WebSocket like every request: a browser always sends its origin with one. Only operators may
//! open it. What the socket carries is not published: see [`attached`].

mod attached;

use app::{
    Assets,
    terminal::{TerminalFiles, TerminalShell, TerminalShellProps, load_terminal},
};
use axum::{
    Extension,
    extract::{
        Path, RawQuery, Request, State,
        ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use standing::{
    Caller,
    config::{Settings, WebTerminal},
};
use wire::ProblemCode;

use super::{PageState, assets, inert};
use crate::{access::Peer, assets::address, problem::ApiProblem, surfaces::stream::Permit, upgraded::Upgraded};
use attached::Attached;

/// Maximum number of open terminals.
const MOST_OPEN: usize = 8;

/// Maximum size of a message from the page, in bytes. Longer input is sent in pieces.
const MOST_INPUT: usize = 64 << 10;

/// Returns the problem of a config that enables the terminal in a program that was built without it.
pub(crate) fn missing(settings: &Settings) -> Option<&'static str> {
    let missing = settings.routing.web_terminal.enabled && files().is_none();
    missing.then_some("`routing.webTerminal.enabled` is true, and this program was built without the terminal")
}

fn files() -> Option<TerminalFiles> {
    Some(TerminalFiles { script: address("pkg/terminal.js")?, stylesheet: address("pkg/terminal.css")? })
}

/// Serves the page of a session's terminal.
pub(super) async fn page(
    State(state): State<PageState>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let page = load_terminal(&state.context, &name, writes(query.as_deref()), files()).await;
    let status = StatusCode::from_u16(page.status()).unwrap_or(StatusCode::OK);
    // Single-letter keys of the page would compete with the keys of the terminal.
    let assets = Assets { bundle: None, ..assets() };
    let shell = move || TerminalShell(TerminalShellProps { assets: assets.clone(), page: page.clone() });
    let mut response = inert(leptos_axum::render_app_async_with_context(|| {}, shell)(request).await).await;
    *response.status_mut() = status;
    response
}

/// Opens the WebSocket of a terminal. Without an upgrade, the answer says whether the terminal can be opened.
pub(super) async fn socket(
    State(state): State<PageState>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    peer: Option<Extension<Peer>>,
    mark: Option<Extension<Upgraded>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiProblem> {
    let write = writes(query.as_deref());
    let permit = admit(&state, write).await?;
    let caller = move || peer.as_ref().map_or(Caller::Unidentified, |peer| peer.caller());
    let engine = state.live.engine().clone().from_surface("page").called_by(caller);
    let attach = engine.terminal(&name, write).await?;
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade.max_message_size(MOST_INPUT).max_frame_size(MOST_INPUT),
        Err(rejection) => return Ok(rejection.into_response()),
    };
    let end = state.live.end().clone();
    Ok(upgrade.on_upgrade(move |socket| async move {
        tracing::info!(session = name, write, "a terminal was opened");
        match Attached::open(&attach) {
            Ok(attached) => {
                // The terminal works without its event.
                let _ = engine.terminal_opened(&name, write).await;
                attached.run(socket, write, end).await;
            }
            Err(error) => attached::refuse(socket, &error).await,
        }
        drop((permit, mark));
    }))
}

/// Takes a permit for a terminal, if the config allows it.
async fn admit(state: &PageState, write: bool) -> Result<Permit, ApiProblem> {
    let config = state.context.config().await;
    let WebTerminal { enabled, write: may_write, .. } = config.settings.routing.web_terminal;
    if !enabled {
        return Err(ApiProblem::no_route("the terminal is off: set `routing.webTerminal.enabled: true` in the config"));
    }
    if write && !may_write {
        let text = "the terminal is read-only: set `routing.webTerminal.write: true` in the config to type into it";
        return Err(ApiProblem::new(ProblemCode::Forbidden, text));
    }
    let full = "the maximum number of terminals (8) is open: close one";
    state.terminals.take(MOST_OPEN).ok_or_else(|| ApiProblem::new(ProblemCode::TooMany, full).with_status(503))
}

fn writes(query: Option<&str>) -> bool {
    form_urlencoded::parse(query.unwrap_or_default().as_bytes()).any(|(key, value)| key == "mode" && value == "write")
}
