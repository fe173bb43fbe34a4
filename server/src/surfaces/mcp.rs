//! `/mcp`: standing sessions for agents, over the Model Context Protocol (streamable HTTP).
//!
//! There are three tools: list, get, say. Creating or ending a harness is left to the operator, and an agent that could
//! stop sessions could stop the one that supervises it. A tool that fails answers with a result that contains the
//! reason and the remedy, because the agent reads it. An error of the protocol never reaches the agent.

mod clients;
mod loop_guard;
#[cfg(test)]
mod texts;
mod tools;
mod unreadable;

use std::{panic::AssertUnwindSafe, sync::Arc};

use axum::{
    Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use engine::Engine;
use futures_util::FutureExt as _;
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, InitializeRequestParams,
        InitializeResult, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use tokio_util::sync::CancellationToken;

use crate::{
    access::{Access, Peer},
    problem::ApiProblem,
    surfaces::rest::MAX_BODY_BYTES,
};
use clients::Clients;
use loop_guard::LoopGuard;

/// Exact path of the endpoint.
pub(crate) const PATH: &str = "/mcp";

const INSTRUCTIONS: &str = "Standing sessions are named, long-lived agents on this machine. List them, show one, or \
                            send a message to a running one. The message is typed into its terminal, and the reply \
                            appears there, not in the result. A message never starts a session.";

/// Returns the route. `access` belongs to the guard around it, which checks a request before it arrives here.
pub(crate) fn router(engine: Engine, access: &Access, end: CancellationToken) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(access.hosts())
        .with_allowed_origins(access.all_origins())
        .enforce_origin_validation()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_cancellation_token(end);
    let tools =
        Tools { engine: engine.clone().from_surface("mcp"), loop_guard: Arc::default(), clients: Arc::default() };
    let service =
        StreamableHttpService::new(move || Ok(tools.clone()), Arc::new(NeverSessionManager::default()), config);
    Router::new()
        .route_service(PATH, service)
        .layer(middleware::from_fn(unreadable::told))
        .layer(middleware::from_fn_with_state(engine, switched_on))
}

/// Answers 404 while `service.mcp.enabled` is false.
async fn switched_on(State(engine): State<Engine>, request: Request, next: Next) -> Response {
    if engine.config().await.settings.service.mcp_enabled {
        return next.run(request).await;
    }
    ApiProblem::no_route("MCP is disabled: `service.mcp.enabled` is false in the config").into_response()
}

/// Returns the definitions of all tools.
pub fn tools() -> Vec<Tool> {
    tools::all()
}

/// Handler of client requests.
#[derive(Clone, Debug)]
struct Tools {
    engine: Engine,
    loop_guard: Arc<LoopGuard>,
    clients: Arc<Clients>,
}

/// Returns the peer of the request's connection.
fn peer(context: &RequestContext<RoleServer>) -> Option<Peer> {
    context.extensions.get::<Parts>()?.extensions.get().copied()
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("the-loop", crate::VERSION).with_title("Standing sessions"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if let Some(peer) = peer(&context) {
            let (clients, name) = (Arc::clone(&self.clients), request.client_info.name.clone());
            self.engine.read(move |_| clients.remember(peer.process(), name)).await;
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(call) = tools::Call::named(&request.name) else {
            return Err(ErrorData::invalid_params(format!("unknown tool {:?}", request.name), None));
        };
        let (peer, named) = (peer(&context), context.meta.client_info().map(|client| client.name));
        let arguments: JsonObject = request.arguments.unwrap_or_default();
        let client = tools::Client { peer: peer.filter(|_| call.speaks()), named };
        let result = match AssertUnwindSafe(call.run(self, client, arguments)).catch_unwind().await {
            Ok(Ok(answer)) => CallToolResult::structured(answer),
            Ok(Err(refusal)) => refusal.into_result(),
            Err(_) => {
                let told = "internal error: see the log of the service";
                return Err(ErrorData::internal_error(told, None));
            }
        };
        Ok(result.into())
    }
}
