//! The modern server: every request carries its own metadata (basic/index, basic/versioning).

use serde_json::{Value, json};

use crate::base64;
use crate::fault::Hook;
use crate::features::{self, Failure};
use crate::message::{Content, Reply, Request};
use crate::server::{Server, server_info};

const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
const CACHEABLE: &[&str] = &[
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
];
const LOG_LEVELS: &[&str] = &[
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// The correct answer to a request, unless an [`Hook::Answer`] has another one.
pub(crate) fn answer(server: &Server, request: &Request) -> Reply {
    if request.method == "initialize" && request.meta("protocolVersion").is_none() {
        return unsupported(
            server,
            request,
            request.text("protocolVersion").unwrap_or_default(),
        );
    }
    if let Err(refusal) = check(server, request) {
        return refusal;
    }
    let hooked = server.hooks().find_map(|hook| match hook {
        Hook::Answer(answer) => answer(server, request),
        _ => None,
    });
    hooked.unwrap_or_else(|| serve(server, request))
}

/// The answer to a request that passed all checks.
pub(crate) fn serve(server: &Server, request: &Request) -> Reply {
    match request.method.as_str() {
        "server/discover" => Reply::result(request, finish(server, request, discovery(server))),
        "subscriptions/listen" => listen(server, request),
        _ => match features::call(server, request) {
            Ok(result) => Reply::result(request, finish(server, request, result)),
            Err(Failure::MethodNotFound) => Reply::method_not_found(request),
            Err(Failure::InvalidParams(message)) => Reply::error(request, -32602, message),
            Err(Failure::ResourceNotFound(uri)) => {
                Reply::error(request, -32602, "Resource not found").data(json!({"uri": uri}))
            }
        },
    }
}

fn discovery(server: &Server) -> Value {
    json!({
        "supportedVersions": server.config.declared,
        "capabilities": server.config.capabilities,
        "instructions": "Call echo to get a message back."
    })
}

/// Adds what every modern result carries.
pub(crate) fn finish(server: &Server, request: &Request, mut result: Value) -> Value {
    result["resultType"] = "complete".into();
    result["_meta"] = json!({"io.modelcontextprotocol/serverInfo": server_info()});
    if CACHEABLE.contains(&request.method.as_str()) {
        result["ttlMs"] = server.config.ttl.clone();
        result["cacheScope"] = server.config.scope.clone();
    }
    result
}

/// Envelope, headers, version, in this order (the specification gives none).
fn check(server: &Server, request: &Request) -> Result<(), Reply> {
    let version =
        envelope(request).map_err(|message| Reply::error(request, -32602, &message).status(400))?;
    if request.is_http() {
        headers(server, request, version)
            .map_err(|message| Reply::error(request, -32020, &message).status(400))?;
    }
    if !server.config.versions.contains(&version) {
        return Err(unsupported(server, request, version));
    }
    Ok(())
}

pub(crate) fn unsupported(server: &Server, request: &Request, requested: &str) -> Reply {
    Reply::error(request, -32022, "Unsupported protocol version")
        .status(400)
        .data(json!({"supported": server.config.declared, "requested": requested}))
}

/// Checks `_meta`; returns the protocol version it names.
fn envelope(request: &Request) -> Result<&str, String> {
    let wrong = |name: &str| {
        Err(format!(
            "Invalid params: _meta io.modelcontextprotocol/{name} is missing or invalid"
        ))
    };
    let Some(version) = request.meta("protocolVersion").and_then(Value::as_str) else {
        return wrong("protocolVersion");
    };
    if !request
        .meta("clientCapabilities")
        .is_some_and(Value::is_object)
    {
        return wrong("clientCapabilities");
    }
    if request
        .meta("clientInfo")
        .is_some_and(|info| !info["name"].is_string() || !info["version"].is_string())
    {
        return wrong("clientInfo");
    }
    let known = |level: &Value| {
        level
            .as_str()
            .is_some_and(|level| LOG_LEVELS.contains(&level))
    };
    if request.meta("logLevel").is_some_and(|level| !known(level)) {
        return wrong("logLevel");
    }
    Ok(version)
}

/// Checks that the header fields mirror the body.
fn headers(server: &Server, request: &Request, version: &str) -> Result<(), String> {
    mirror(request, "MCP-Protocol-Version", version, false)?;
    if !server.config.routing_headers {
        return Ok(());
    }
    mirror(request, "Mcp-Method", &request.method, false)?;
    let name = match request.method.as_str() {
        "tools/call" | "prompts/get" => request.text("name"),
        "resources/read" => request.text("uri"),
        _ => None,
    };
    name.map_or(Ok(()), |name| mirror(request, "Mcp-Name", name, true))
}

fn mirror(request: &Request, name: &str, expected: &str, encoded: bool) -> Result<(), String> {
    let fields = request.headers.as_deref().unwrap_or_default();
    let mut values = fields
        .iter()
        .filter(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value);
    let value = values
        .next()
        .ok_or_else(|| format!("Header mismatch: {name} is missing"))?;
    if values.next().is_some() {
        return Err(format!("Header mismatch: {name} occurs twice"));
    }
    if !value
        .bytes()
        .all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
    {
        return Err(format!(
            "Header mismatch: {name} contains invalid characters"
        ));
    }
    let sentinel = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    let decoded = match sentinel {
        Some(payload) if encoded => base64::decode(payload)
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .ok_or_else(|| format!("Header mismatch: {name} is not valid Base64"))?,
        _ => value.clone(),
    };
    if decoded == expected {
        Ok(())
    } else {
        Err(format!("Header mismatch: {name} differs from the body"))
    }
}

/// Opens a subscription; it stays open until the client cancels it.
fn listen(server: &Server, request: &Request) -> Reply {
    let declared = |family: &str, flag: &str| server.config.capabilities[family][flag] == true;
    let offered = [
        ("toolsListChanged", declared("tools", "listChanged")),
        ("promptsListChanged", declared("prompts", "listChanged")),
        ("resourcesListChanged", declared("resources", "listChanged")),
    ];
    let subscribe = declared("resources", "subscribe");
    if !subscribe && offered.iter().all(|(_, offered)| !offered) {
        return Reply::method_not_found(request);
    }
    let Some(filter) = request
        .param("notifications")
        .filter(|filter| filter.is_object())
    else {
        return Reply::error(request, -32602, "Invalid params: notifications is missing");
    };
    let mut agreed = json!({});
    for (name, _) in offered
        .iter()
        .filter(|(name, offered)| *offered && filter[*name] == true)
    {
        agreed[*name] = true.into();
    }
    if let (true, Some(uris)) = (subscribe, filter["resourceSubscriptions"].as_array()) {
        let known = |uri: &&Value| {
            uri.as_str()
                .is_some_and(|uri| crate::catalog::contents(uri).is_some())
        };
        agreed["resourceSubscriptions"] = uris.iter().filter(known).cloned().collect();
    }
    let id = request.id.clone().unwrap_or_default();
    if !request.is_http() {
        server.state().subscriptions.push(id.clone());
    }
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": {SUBSCRIPTION_ID: id.clone()}, "notifications": agreed}
    });
    Reply::new(200, Content::Stream(vec![acknowledged], Some(closing(&id))))
}

/// The result that ends the subscription `id` gracefully.
pub(crate) fn closing(id: &Value) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "result": {
            "resultType": "complete",
            "_meta": {SUBSCRIPTION_ID: id, "io.modelcontextprotocol/serverInfo": server_info()}
        }
    })
}
