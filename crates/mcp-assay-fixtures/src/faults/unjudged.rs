//! Violations that no rule judges yet. Whoever writes the rule moves the entry to its family.

use serde_json::json;

use super::{envelope, set};
use crate::fault::Hook::{Answer, Edit, Intercept, Setup};
use crate::fault::{Fault, unjudged};
use crate::message::{Reply, Request};
use crate::modern::finish;
use crate::server::{MODERN, Server};

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    unjudged("unknown-version-served", "serves every protocol version",
        &[Intercept(|_, r| { serve_any_version(r); None })]),
    unjudged("unknown-version-served-later", "refuses an unknown protocol version only in the first request",
        &[Intercept(|_, r| { if r.number > 1 { serve_any_version(r); } None })]).stdio_only(),
    unjudged("header-mismatch-ignored", "never reads Mcp-Method and Mcp-Name",
        &[Setup(|config| config.routing_headers = false)]).http_only(),
    unjudged("method-not-found-200", "answers unknown methods with HTTP 200",
        &[Edit(|_, _, reply| if reply.status == 404 { reply.status = 200 })]).http_only(),
    unjudged("method-not-found-404-empty", "answers unknown methods with HTTP 404 and no body",
        &[Edit(|_, _, reply| if reply.status == 404 { *reply = Reply::empty(404) })]).http_only(),
    unjudged("removed-methods-silent", "never answers ping and logging/setLevel",
        &[Answer(|_, r| matches!(&*r.method, "ping" | "logging/setLevel").then(Reply::silence))]),
    unjudged("unknown-methods-silent", "has tools only, and answers no method it does not know", &[
        Setup(|config| config.capabilities = json!({"tools": {}})),
        Edit(|_, _, reply| if reply.error_code() == Some(-32601) { *reply = Reply::silence() }),
    ]),
    unjudged("unknown-methods-refused-32600", "refuses unknown methods with -32600",
        &[Edit(|_, _, reply| { reply.recode(-32601, -32600); if reply.status == 404 { reply.status = 400 } })]),
    unjudged("resource-not-found-empty", "answers resources/read of an unknown resource with empty contents",
        &[Answer(unknown_is_empty)]),
    unjudged("tools-not-a-list", "gives the tools as a string",
        &[Edit(|_, r, reply| if r.method == "tools/list" { set(reply, "tools", "none") })]),
    unjudged("error-without-message", "gives errors a code and nothing else",
        &[Edit(|_, _, reply| if let Some(error) = reply.error_mut() { error.retain(|name, _| name == "code") })]),
    unjudged("error-not-an-object", "gives errors as strings, except that of an unknown version",
        &[Edit(|_, r, reply| if reply.error_code().is_some_and(|code| code != -32022) {
            *reply = Reply::message(json!({"jsonrpc": "2.0", "id": r.id, "error": "boom"})).status(reply.status);
        })]),
];

/// Makes a request that names any other protocol version one of this revision.
fn serve_any_version(request: &mut Request) {
    let Some(version) = request
        .meta("protocolVersion")
        .and_then(|version| version.as_str())
        .map(str::to_owned)
    else {
        return;
    };
    let capabilities = request.meta("clientCapabilities").cloned();
    request.params["_meta"] = envelope();
    if let Some(capabilities) = capabilities {
        request.params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    }
    for (_, value) in request.headers.iter_mut().flatten() {
        if *value == version {
            *value = MODERN.to_owned();
        }
    }
}

fn unknown_is_empty(server: &Server, request: &Request) -> Option<Reply> {
    let unknown = request.method == "resources/read"
        && request
            .text("uri")
            .is_some_and(|uri| crate::catalog::contents(uri).is_none());
    unknown.then(|| Reply::result(request, finish(server, request, json!({"contents": []}))))
}
