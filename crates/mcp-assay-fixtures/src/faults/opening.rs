//! The first messages: discovery, the handshake, `_meta`, the version (001, 002, 013, 050).

use serde_json::json;

use super::{envelope, remove, set};
use crate::fault::Hook::{Answer, Edit, Intercept, Setup};
use crate::fault::{Era, Fault, error};
use crate::legacy::refuse_session;
use crate::message::{Reply, Request};
use crate::modern;
use crate::server::Server;

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    error("MCP001", "discover-missing", "answers server/discover with -32601",
        &[Answer(|_, r| is_discover(r).then(|| Reply::method_not_found(r)))]),
    error("MCP001", "discover-silent", "never answers server/discover",
        &[Intercept(|_, r| is_discover(r).then(Reply::silence))]),
    error("MCP001", "discover-exits", "exits on server/discover",
        &[Intercept(|_, r| is_discover(r).then(|| Reply::exit(1)))]).stdio_only(),
    error("MCP001", "discover-no-supported-versions", "leaves supportedVersions out of the DiscoverResult",
        &[Edit(|_, r, reply| if is_discover(r) { remove(reply, "supportedVersions") })]),
    error("MCP001", "discover-supported-versions-empty", "gives an empty supportedVersions",
        &[Edit(|_, r, reply| if is_discover(r) { set(reply, "supportedVersions", json!([])) })]),
    error("MCP001", "discover-supported-versions-not-strings", "gives the supportedVersions as numbers",
        &[Edit(|_, r, reply| if is_discover(r) { set(reply, "supportedVersions", json!([20260728])) })]),
    error("MCP001", "discover-capabilities-missing", "leaves capabilities out of the DiscoverResult",
        &[Edit(|_, r, reply| if is_discover(r) { remove(reply, "capabilities") })]),
    error("MCP002", "handshake-required", "serves modern requests only after initialize; server/discover excepted",
        &[Intercept(demand_handshake)]).on(Era::Dual),
    error("MCP013", "meta-rejected", "refuses requests with params._meta, and serves them without",
        &[Intercept(reject_meta)]),
    error("MCP013", "meta-rejected-on-reads", "refuses resources/read with params._meta, and serves it without",
        &[Intercept(|s, r| (r.method == "resources/read").then(|| reject_meta(s, r)).flatten())]),
    error("MCP050", "version-listed-but-refused", "offers 2026-07-28 and refuses it everywhere but in server/discover",
        &[Answer(refuse_all_but_discover)]),
    error("MCP050", "other-modern-version", "serves 2027-01-01 and refuses 2026-07-28",
        &[Setup(|config| { config.versions = vec!["2027-01-01"]; config.declared = vec!["2027-01-01"]; })]),
    error("MCP050", "supported-versions-wrong", "serves 2026-07-28 and names 2025-11-25 only",
        &[Setup(|config| config.declared = vec!["2025-11-25"])]),
    error("MCP050", "supported-versions-without-target",
        "answers server/discover, names 2025-11-25 only, and refuses 2026-07-28 otherwise",
        &[Setup(|config| config.declared = vec!["2025-11-25"]), Answer(refuse_all_but_discover)]).on(Era::Dual),
];

fn is_discover(request: &Request) -> bool {
    request.method == "server/discover"
}

fn demand_handshake(server: &Server, request: &mut Request) -> Option<Reply> {
    request.meta("protocolVersion")?;
    if matches!(request.method.as_str(), "server/discover" | "initialize") {
        return None;
    }
    if request.is_http() {
        let refusal = refuse_session(server, &json!(request.id), request.header("mcp-session-id"));
        return Some(refusal.unwrap_or_else(|| modern::answer(server, request)));
    }
    if !server.state().initialized {
        return Some(Reply::error(
            request,
            -32600,
            "Invalid request: the server is not initialized",
        ));
    }
    Some(modern::answer(server, request))
}

fn reject_meta(_: &Server, request: &mut Request) -> Option<Reply> {
    if request.param("_meta").is_some() {
        return Some(
            Reply::error(request, -32602, "Invalid params: unexpected member _meta").status(400),
        );
    }
    if request.params.is_null() {
        request.params = json!({});
    }
    if request.params.is_object() && request.method != "initialize" {
        request.params["_meta"] = envelope();
    }
    None
}

fn refuse_all_but_discover(server: &Server, request: &Request) -> Option<Reply> {
    (!is_discover(request)).then(|| modern::unsupported(server, request, crate::server::MODERN))
}
