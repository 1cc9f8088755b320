//! From a probe to the message that is sent.

use serde_json::{Map, Value, json};

use super::{Base, Deviation, Probe};
use crate::protocol::{NEWEST_LEGACY_REVISION, TARGET_REVISION, header, meta, method};
use crate::transcript::{Key, TransportKind};
use crate::transport::{Outgoing, Until};
use crate::wire::header::encode_value;

/// The tool that no server has: reaches the call path without side effects.
const UNKNOWN_TOOL: &str = "mcp-assay.no-such-tool";
/// The resource that no server has.
const UNKNOWN_URI: &str = "probe://mcp-assay/no-such-resource";
/// The task that no server has.
const UNKNOWN_TASK: &str = "mcp-assay-no-such-task";

/// What a probe is aimed at, resolved from what the server listed.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Aim {
    /// Nothing listed: the method needs no target, or one that does not exist.
    #[default]
    Nothing,
    /// The next page of a list.
    Cursor(String),
    /// A listed resource.
    Uri(String),
    /// A listed prompt, with a value for each required argument.
    Prompt(String, Vec<String>),
    /// What to subscribe to.
    Filter(Value),
    /// The request to cancel.
    Request(Value),
}

/// What surrounds the message.
#[derive(Debug, Clone)]
pub struct Context {
    /// How it travels.
    pub transport: TransportKind,
    /// The id; never predictable, so that a server cannot guess it.
    pub id: i64,
    /// The version that a modern request names.
    pub version: String,
    /// The session of a legacy server.
    pub session: Option<String>,
    /// What a legacy handshake asks for, and what legacy requests after it name.
    pub legacy_version: String,
}

impl Context {
    /// A modern client of the target revision.
    #[must_use]
    pub fn new(transport: TransportKind, id: i64) -> Self {
        Self {
            transport,
            id,
            version: TARGET_REVISION.to_owned(),
            session: None,
            legacy_version: NEWEST_LEGACY_REVISION.to_owned(),
        }
    }
}

/// Encodes a probe.
#[must_use]
pub fn encode(probe: &Probe, key: Key, aim: &Aim, context: &Context) -> Outgoing {
    let mut message = match probe.base {
        Base::Modern(method) => request(method, modern_params(method, aim, context), context.id),
        Base::Legacy(method) => request(method, legacy_params(method, context), context.id),
        Base::Notification(method) => json!({
            "jsonrpc": "2.0", "method": method, "params": modern_params(method, aim, context)
        }),
        Base::LegacyNotification(method) => json!({ "jsonrpc": "2.0", "method": method }),
        Base::Raw(_) => Value::Null,
    };
    if let Deviation::Intent { edit, .. } = probe.deviation {
        edit(&mut message);
    }
    let mut headers = match context.transport {
        TransportKind::Stdio => Vec::new(),
        TransportKind::Http => headers(probe.base, &message, context),
    };
    if let (Deviation::Header { edit, .. }, TransportKind::Http) =
        (probe.deviation, context.transport)
    {
        edit(&mut headers);
    }
    Outgoing {
        id: message.get("id").cloned(),
        body: if message.is_null() {
            Vec::new()
        } else {
            message.to_string().into_bytes()
        },
        http_method: match probe.base {
            Base::Raw(method) => method,
            _ => "POST",
        },
        headers,
        until: until(probe),
        key,
    }
}

fn until(probe: &Probe) -> Until {
    match probe.base {
        Base::Modern(method::LISTEN) => Until::Acknowledged,
        Base::Notification(_) | Base::LegacyNotification(_) => Until::Sent,
        Base::Raw("GET") => Until::FirstEvent,
        _ => Until::Response,
    }
}

fn request(method: &str, params: Value, id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn client_info() -> Value {
    json!({ "name": "mcp-assay", "version": env!("CARGO_PKG_VERSION") })
}

fn modern_params(method: &str, aim: &Aim, context: &Context) -> Value {
    let mut params = Map::new();
    params.insert(
        "_meta".to_owned(),
        json!({
            meta::PROTOCOL_VERSION: context.version,
            meta::CLIENT_CAPABILITIES: {},
            meta::CLIENT_INFO: client_info(),
        }),
    );
    let mut set = |key: &str, value: Value| {
        params.insert(key.to_owned(), value);
    };
    match (method, aim) {
        (_, Aim::Cursor(cursor)) => set("cursor", json!(cursor)),
        (_, Aim::Uri(uri)) => set("uri", json!(uri)),
        (_, Aim::Filter(filter)) => set("notifications", filter.clone()),
        (_, Aim::Request(id)) => set("requestId", id.clone()),
        (_, Aim::Prompt(name, required)) => {
            set("name", json!(name));
            let arguments: Map<String, Value> = required
                .iter()
                .map(|name| (name.clone(), json!("example")))
                .collect();
            set("arguments", Value::Object(arguments));
        }
        (method::RESOURCES_READ | method::SUBSCRIBE | method::UNSUBSCRIBE, Aim::Nothing) => {
            set("uri", json!(UNKNOWN_URI));
        }
        (method::TOOLS_CALL, Aim::Nothing) => {
            set("name", json!(UNKNOWN_TOOL));
            set("arguments", json!({}));
        }
        (method::SET_LEVEL, Aim::Nothing) => set("level", json!("info")),
        (method::TASKS_RESULT, Aim::Nothing) => set("taskId", json!(UNKNOWN_TASK)),
        (method::LISTEN, Aim::Nothing) => set("notifications", json!({})),
        _ => {}
    }
    Value::Object(params)
}

fn legacy_params(method: &str, context: &Context) -> Value {
    if method == method::INITIALIZE {
        json!({
            "protocolVersion": context.legacy_version,
            "capabilities": {},
            "clientInfo": client_info(),
        })
    } else {
        json!({})
    }
}

fn headers(base: Base, message: &Value, context: &Context) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
    add(
        "User-Agent",
        concat!("mcp-assay/", env!("CARGO_PKG_VERSION")),
    );
    match base {
        Base::Raw("GET") => add("Accept", "text/event-stream"),
        Base::Raw(_) => {}
        _ => {
            add("Content-Type", "application/json");
            add("Accept", "application/json, text/event-stream");
        }
    }
    match base {
        Base::Modern(_) | Base::Notification(_) => {
            // A body without a version has nothing to mirror: the header stays that of the base.
            let version = message
                .pointer("/params/_meta")
                .and_then(|meta| meta.get(meta::PROTOCOL_VERSION))
                .and_then(Value::as_str)
                .unwrap_or(&context.version);
            add(header::PROTOCOL_VERSION, version);
            if let Some(method) = message.get("method").and_then(Value::as_str) {
                add(header::METHOD, method);
            }
            if let Some(name) = http_name(message) {
                add(header::NAME, &encode_value(name));
            }
        }
        // `initialize` negotiates the version, so a legacy client cannot name one yet.
        Base::Legacy(method::INITIALIZE) => {}
        Base::Legacy(_) | Base::LegacyNotification(_) => {
            add(header::PROTOCOL_VERSION, &context.legacy_version);
        }
        Base::Raw(_) => add(
            header::PROTOCOL_VERSION,
            if context.session.is_some() {
                &context.legacy_version
            } else {
                &context.version
            },
        ),
    }
    if let Some(session) = &context.session {
        add(header::SESSION_ID, session);
    }
    headers
}

/// What `Mcp-Name` mirrors, for the three methods that require it.
fn http_name(message: &Value) -> Option<&str> {
    let field = match message.get("method")?.as_str()? {
        method::TOOLS_CALL | method::PROMPTS_GET => "name",
        method::RESOURCES_READ => "uri",
        _ => return None,
    };
    message.get("params")?.get(field)?.as_str()
}
