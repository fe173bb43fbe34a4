//! The three tools: their arguments, their results, and the verbs that they call.

use std::sync::{Arc, LazyLock};

use engine::StandingApi as _;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use standing::{Error, TheLoop};
use wire::{Activity, Outcome, Remedy, Row, SayRequest, SessionName, State, Verdict};

use super::{Tools, loop_guard::Held};
use crate::{access::Peer, surfaces::rest::openapi};

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    List,
    Get,
    Say,
}

/// Known details of a request's client.
#[derive(Debug)]
pub(super) struct Client {
    /// Peer of the connection.
    pub(super) peer: Option<Peer>,
    /// Name that the client sends in this request.
    pub(super) named: Option<String>,
}

/// Reason why a tool failed, for the agent.
#[derive(Debug)]
pub(super) struct Refusal(String);

impl Refusal {
    /// Returns the text of the result.
    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    pub(super) fn into_result(self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(self.0)])
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let remedies = error.remedies();
        let own: Vec<String> = remedies.iter().filter_map(own_act).collect();
        let operators: Vec<Remedy> = remedies.into_iter().filter(|remedy| own_act(remedy).is_none()).collect();
        let mut text = error.to_string();
        if !own.is_empty() {
            text = format!("{text}\nYou can {}.", own.join(", or "));
        }
        if !operators.is_empty() {
            text = format!("{text}\nAn operator can {}.", Remedy::phrase(&operators));
        }
        Self(text)
    }
}

/// Returns the remedies that an agent can apply, by the names of the tools; none for an operator's action.
fn own_act(remedy: &Remedy) -> Option<String> {
    match remedy {
        Remedy::List => Some(format!("list the sessions with `{}`", Call::List.name())),
        Remedy::Show { .. } => Some(format!("see its state with `{}`", Call::Get.name())),
        Remedy::Retry { .. } | Remedy::NewKey | Remedy::UseFile => Some(remedy.text()),
        _ => None,
    }
}

impl From<Held> for Refusal {
    fn from(held: Held) -> Self {
        Self(held.to_string())
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self(format!("invalid arguments: {error}"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    name: String,
    text: String,
    #[serde(default)]
    actor: String,
    #[serde(default, rename = "idempotencyKey")]
    idempotency_key: String,
    #[serde(default, deserialize_with = "wire::whole")]
    wait: u32,
}

impl Call {
    const ALL: [Self; 3] = [Self::List, Self::Get, Self::Say];

    const fn name(self) -> &'static str {
        match self {
            Self::List => "list_standing_sessions",
            Self::Get => "get_standing_session",
            Self::Say => "say_to_standing_session",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|call| call.name() == name)
    }

    /// True if the tool depends on the caller.
    pub(super) fn speaks(self) -> bool {
        self == Self::Say
    }

    /// Runs the tool.
    pub(super) async fn run(self, tools: &Tools, client: Client, arguments: JsonObject) -> Result<Value, Refusal> {
        match self {
            Self::List => {
                let Nothing {} = read(arguments)?;
                let sessions: Vec<Row> = tools.engine.list().await?.into_iter().map(for_agents).collect();
                Ok(json!({ "sessions": sessions }))
            }
            Self::Get => {
                let Named { name } = read(arguments)?;
                Ok(serde_json::to_value(for_agents(tools.engine.get(&name).await?))?)
            }
            Self::Say => say(tools, client, read(arguments)?).await,
        }
    }

    fn described(self) -> Tool {
        let (title, about) = match self {
            Self::List => (
                "List standing sessions",
                "Lists all standing sessions with their state, activity and obstacle.".to_owned(),
            ),
            Self::Get => (
                "Show a standing session",
                "Shows one standing session by name, with its state, activity and obstacle.".to_owned(),
            ),
            Self::Say => (
                "Send a message to a standing session",
                format!(
                    "Types a message into the terminal of a {} standing session and submits it. With `wait`, waits so \
                     many seconds for the answer and returns it as `turn.answer`. Refused if the session is {}, or if it is {} for an answer to a prompt.",
                    State::Running.label(),
                    Outcome::NotRunning.label(),
                    Activity::Waiting.label(),
                ),
            ),
        };
        let reads = self != Self::Say;
        let annotations =
            ToolAnnotations::with_title(title).read_only(reads).destructive(false).idempotent(reads).open_world(!reads);
        Tool::new(self.name(), about, self.takes())
            .with_title(title)
            .with_raw_output_schema(self.answers())
            .with_annotations(annotations)
    }

    fn takes(self) -> Arc<JsonObject> {
        let of_say =
            |field: &str| openapi::document()["components"]["schemas"]["SayRequest"]["properties"][field].clone();
        let (properties, required) = match self {
            Self::List => (json!({}), json!([])),
            Self::Get => (json!({ "name": of_say("name") }), json!(["name"])),
            Self::Say => (
                json!({
                    "name": of_say("name"), "text": of_say("text"), "actor": of_say("actor"),
                    "idempotencyKey": of_say("idempotencyKey"), "wait": of_say("wait"),
                }),
                json!(["name", "text"]),
            ),
        };
        object(json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        }))
    }

    fn answers(self) -> Arc<JsonObject> {
        object(match self {
            Self::List => with_definitions(json!({
                "type": "object",
                "properties": { "sessions": { "type": "array", "items": { "$ref": "#/components/schemas/Row" } } },
                "required": ["sessions"],
            })),
            Self::Get => with_definitions(component("Row")),
            Self::Say => with_definitions(component("SayReceipt")),
        })
    }
}

/// Returns a row without the remedies: an agent cannot apply them, and their schema would be most of what it has to read.
fn for_agents(row: Row) -> Row {
    Row { reason: row.bare_reason().to_owned(), remedies: Vec::new(), ..row }
}

/// Sends a message, within the limits for exchanges between sessions.
async fn say(tools: &Tools, client: Client, said: Said) -> Result<Value, Refusal> {
    let Tools { engine, loop_guard, clients } = tools;
    let Said { name, text, actor, idempotency_key, wait } = said;
    SessionName::parse(&name).map_err(Error::from)?;
    let (process, speaker) = match client.peer {
        Some(peer) => engine.read(move |the_loop| speaker(the_loop, peer)).await,
        None => (None, None),
    };
    let speaker = speaker.as_ref().map(SessionName::as_str);
    let passed = loop_guard.pass(speaker, &name)?;
    let named = client.named.or_else(|| clients.name_of(process));
    let actor = stamp(speaker, &actor, named.as_deref());
    let request = SayRequest { name, text, actor, idempotency_key, wait, ..SayRequest::default() };
    let said = engine.say(&request).await;
    if said.as_ref().map_or(true, |receipt| receipt.verdict == Verdict::NotDelivered) {
        loop_guard.give_back(&passed);
    }
    Ok(serde_json::to_value(said?)?)
}

/// Returns the process of the peer, and its session. Blocks.
fn speaker(the_loop: &TheLoop, peer: Peer) -> (Option<u32>, Option<SessionName>) {
    let process = peer.process();
    (process, process.and_then(|pid| the_loop.standing().session_of(pid)))
}

static ALL: LazyLock<Vec<Tool>> = LazyLock::new(|| Call::ALL.map(Call::described).to_vec());

pub(super) fn all() -> Vec<Tool> {
    ALL.clone()
}

/// Longest actor that the core accepts, in characters.
const ACTOR_LIMIT: usize = 200;

/// Returns the actor for the session and the event log. The service, not the caller, adds that the message came over
/// MCP.
fn stamp(speaker: Option<&str>, actor: &str, client: Option<&str>) -> String {
    let who = match (speaker, actor.trim()) {
        (Some(speaker), "") => format!("standing:{speaker}"),
        (Some(speaker), actor) => format!("standing:{speaker} ({actor})"),
        (None, "") => client.map_or_else(|| "agent".to_owned(), |name| format!("{name} (claimed)")),
        (None, actor) => actor.to_owned(),
    };
    format!("mcp:{who}").chars().take(ACTOR_LIMIT).collect()
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, serde_json::Error> {
    serde_json::from_value(Value::Object(arguments))
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}

fn component(name: &str) -> Value {
    let mut schema = openapi::document()["components"]["schemas"][name].clone();
    // See `for_agents`.
    if let Some(fields) = schema["properties"].as_object_mut() {
        fields.remove("remedies");
    }
    schema
}

/// Adds all referenced definitions to the schema, because an agent has no other document.
fn with_definitions(mut schema: Value) -> Value {
    let mut definitions = JsonObject::new();
    let mut wanted = inlined(&mut schema);
    while let Some(name) = wanted.pop() {
        if !definitions.contains_key(&name) {
            let mut definition = component(&name);
            wanted.extend(inlined(&mut definition));
            definitions.insert(name, definition);
        }
    }
    if !definitions.is_empty() {
        definitions.sort_keys();
        schema["$defs"] = definitions.into();
    }
    schema
}

/// Points references into the schema itself, and returns the names of the definitions that they need.
fn inlined(schema: &mut Value) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let mut names: Vec<String> = fields.values_mut().flat_map(inlined).collect();
            if let Some(Value::String(reference)) = fields.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/components/schemas/").map(str::to_owned)
            {
                *reference = format!("#/$defs/{name}");
                names.push(name);
            }
            names
        }
        Value::Array(items) => items.iter_mut().flat_map(inlined).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_a_message_came_is_stamped_on_it() {
        assert_eq!(stamp(None, "", None), "mcp:agent");
        assert_eq!(stamp(None, "", Some("inspector")), "mcp:inspector (claimed)");
        assert_eq!(stamp(None, "mcp:root", None), "mcp:mcp:root");
        assert_eq!(stamp(Some("ops"), "", Some("claude-code")), "mcp:standing:ops");
        assert_eq!(stamp(Some("ops"), "night shift", None), "mcp:standing:ops (night shift)");
    }
}
