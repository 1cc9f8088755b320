//! The envelope of results (004, 005, 018) and the order of lists (017).

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::{remove, replace, set};
use crate::fault::Hook::{Edit, Setup};
use crate::fault::{Fault, error, warning};
use crate::message::{Reply, Request};
use crate::server::Server;

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    error("MCP004", "result-type-missing", "leaves resultType out of every result",
        &[Edit(|_, _, reply| remove(reply, "resultType"))]),
    error("MCP004", "result-type-missing-on-tools-list", "leaves resultType out of the tools/list result",
        &[Edit(|_, r, reply| if is_tools_list(r) { remove(reply, "resultType") })]),
    error("MCP004", "result-type-unknown", "gives every result the resultType `success`",
        &[Edit(|_, _, reply| replace(reply, "resultType", "success"))]),
    error("MCP004", "result-type-not-a-string", "gives every result the resultType true",
        &[Edit(|_, _, reply| replace(reply, "resultType", true))]),
    error("MCP004", "input-required-on-tools-list", "asks for input where none may be asked for",
        &[Edit(|_, r, reply| if is_tools_list(r) {
            set(reply, "resultType", "input_required");
            set(reply, "requestState", "once-more");
            remove(reply, "ttlMs");
            remove(reply, "cacheScope");
        })]),
    error("MCP005", "ttl-missing", "leaves ttlMs out", &[Edit(|_, _, reply| remove(reply, "ttlMs"))]),
    error("MCP005", "ttl-negative", "gives the ttlMs -1", &[Setup(|config| config.ttl = json!(-1))]),
    error("MCP005", "ttl-negative-fraction", "gives the ttlMs -5.5", &[Setup(|config| config.ttl = json!(-5.5))]),
    error("MCP005", "ttl-fraction", "gives the ttlMs 1000.5", &[Setup(|config| config.ttl = json!(1000.5))]),
    error("MCP005", "ttl-string", "gives the ttlMs as a string", &[Setup(|config| config.ttl = json!("60000"))]),
    error("MCP005", "cache-scope-missing", "leaves cacheScope out",
        &[Edit(|_, _, reply| remove(reply, "cacheScope"))]),
    error("MCP005", "cache-scope-unknown", "gives the cacheScope `shared`",
        &[Setup(|config| config.scope = json!("shared"))]),
    error("MCP005", "cache-hints-missing-on-tools-list", "leaves both caching hints out of the tools/list result",
        &[Edit(|_, r, reply| if is_tools_list(r) { remove_hints(reply) })]),
    error("MCP005", "cache-hints-missing-on-read", "leaves both caching hints out of the resources/read result",
        &[Edit(|_, r, reply| if r.method == "resources/read" { remove_hints(reply) })]),
    warning("MCP005", "cache-scope-differs-across-pages", "gives later pages of a list another cacheScope",
        &[Setup(|config| config.pages = 2),
          Edit(|_, r, reply| if r.param("cursor").is_some() { replace(reply, "cacheScope", "private") })]),
    warning("MCP017", "tool-order-unstable", "lists the same tools in another order each time",
        &[Edit(reorder)]),
    warning("MCP018", "server-info-missing", "never identifies itself",
        &[Edit(|_, _, reply| edit_meta(reply, |meta| drop(meta.remove(SERVER_INFO))))]),
    warning("MCP018", "server-info-missing-on-lists", "does not identify itself in lists",
        &[Edit(|_, r, reply| if r.is_list() { edit_meta(reply, |meta| drop(meta.remove(SERVER_INFO))) })]),
    warning("MCP018", "server-info-without-version", "identifies itself by name only",
        &[Edit(|_, _, reply| edit_meta(reply, |meta| drop(meta.insert(SERVER_INFO.to_owned(), json!({"name": "nameless"})))))]),
];

fn is_tools_list(request: &Request) -> bool {
    request.method == "tools/list"
}

fn remove_hints(reply: &mut Reply) {
    remove(reply, "ttlMs");
    remove(reply, "cacheScope");
}

fn edit_meta(reply: &mut Reply, edit: fn(&mut serde_json::Map<String, Value>)) {
    if let Some(meta) = reply
        .result_mut()
        .and_then(|result| result.get_mut("_meta"))
        .and_then(Value::as_object_mut)
    {
        edit(meta);
    }
}

/// Walks through the six orders of three tools.
fn reorder(server: &Server, request: &Request, reply: &mut Reply) {
    let round = server.tool_lists.load(Ordering::SeqCst) as usize;
    if let (true, Some(result)) = (is_tools_list(request), reply.result_mut())
        && let Some(tools) = result.get_mut("tools").and_then(Value::as_array_mut)
    {
        let count = tools.len().max(1);
        tools.rotate_left(round % count);
        if round.is_multiple_of(2) {
            tools.reverse();
        }
    }
}
