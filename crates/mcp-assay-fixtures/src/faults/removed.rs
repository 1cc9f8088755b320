//! Features the revision removed, deprecated or moved, and the subscription that replaces some
//! of them (006-009, 015, 021).

use serde_json::json;

use super::served;
use crate::fault::Hook::{Answer, Intercept, Setup};
use crate::fault::{Fault, warning};
use crate::message::{Reply, Request};

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    warning("MCP006", "ping-served", "still answers ping",
        &[Answer(|s, r| served(s, r, "ping", json!({})))]),
    warning("MCP006", "ping-served-in-legacy-shape", "still answers ping, with an empty result",
        &[Intercept(|_, r| (r.method == "ping").then(|| Reply::result(r, json!({}))))]),
    warning("MCP007", "set-level-served", "still answers logging/setLevel",
        &[Answer(|s, r| served(s, r, "logging/setLevel", json!({})))]),
    warning("MCP008", "subscribe-served", "still answers resources/subscribe",
        &[Answer(|s, r| served(s, r, "resources/subscribe", json!({})))]),
    warning("MCP008", "unsubscribe-served", "still answers resources/unsubscribe",
        &[Answer(|s, r| served(s, r, "resources/unsubscribe", json!({})))]),
    warning("MCP009", "listen-missing", "advertises change notifications, but not subscriptions/listen",
        &[Answer(|_, r| is_listen(r).then(|| Reply::method_not_found(r)))]),
    warning("MCP009", "listen-refused-32602", "refuses every subscriptions/listen as invalid",
        &[Answer(|_, r| is_listen(r).then(|| Reply::error(r, -32602, "Invalid params").status(400)))]),
    warning("MCP015", "logging-declared", "declares the deprecated logging capability",
        &[Setup(|config| config.capabilities["logging"] = json!({}))]),
    warning("MCP015", "sampling-requested", "asks for sampling before it gives the prompt without arguments",
        &[Answer(|_, r| ask(r, "sampling/createMessage", json!({
            "messages": [{"role": "user", "content": {"type": "text", "text": "Who are you?"}}],
            "maxTokens": 100
        })))]),
    warning("MCP015", "roots-requested", "asks for roots before it gives the prompt without arguments",
        &[Answer(|_, r| ask(r, "roots/list", json!({})))]),
    warning("MCP021", "tasks-capability", "declares the removed core tasks capability",
        &[Setup(|config| {
            config.capabilities["tasks"] = json!({"list": {}, "requests": {"tools": {"call": {}}}});
        })]),
    warning("MCP021", "tasks-list-served", "still answers tasks/list",
        &[Answer(|s, r| served(s, r, "tasks/list", json!({"tasks": []})))]),
    warning("MCP021", "tasks-result-served", "still answers tasks/result",
        &[Answer(|s, r| served(s, r, "tasks/result", json!({"content": [{"type": "text", "text": "done"}]})))]),
];

fn is_listen(request: &Request) -> bool {
    request.method == "subscriptions/listen"
}

/// Answers prompts/get of the prompt without arguments with an input request.
fn ask(request: &Request, method: &str, params: serde_json::Value) -> Option<Reply> {
    let asked = request.method == "prompts/get" && request.text("name") == Some("introduce");
    (asked && request.param("inputResponses").is_none()).then(|| {
        Reply::result(
            request,
            json!({
                "resultType": "input_required",
                "inputRequests": {"first": {"method": method, "params": params}},
                "_meta": {"io.modelcontextprotocol/serverInfo": crate::server::server_info()}
            }),
        )
    })
}
