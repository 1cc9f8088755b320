//! The legacy server: `initialize` first, then a session (revisions up to 2025-11-25).

use serde_json::{Value, json};

use crate::features::{self, Failure};
use crate::message::{Reply, Request};
use crate::server::{Server, server_info};

/// The correct answer to a request.
pub(crate) fn answer(server: &Server, request: &Request) -> Reply {
    if request.method == "initialize" {
        return initialize(server, request);
    }
    let refusal = if request.is_http() {
        refuse_http(server, request)
    } else {
        refuse_stdio(server, request)
    };
    refusal.unwrap_or_else(|| serve(server, request))
}

/// Why a request over HTTP is not served, if it is not.
fn refuse_http(server: &Server, request: &Request) -> Option<Reply> {
    if server.config.sessions
        && let Some(refusal) =
            refuse_session(server, &json!(request.id), request.header("mcp-session-id"))
    {
        return Some(refusal);
    }
    if !server.config.version_header {
        return None;
    }
    let version = request.header("mcp-protocol-version")?;
    let unknown = !server.config.legacy_versions.contains(&version);
    unknown.then(|| {
        Reply::error(request, -32000, "Bad Request: Unsupported protocol version").status(400)
    })
}

/// The answer, to the request `id`, for a missing or unknown session id.
pub(crate) fn refuse_session(server: &Server, id: &Value, session: Option<&str>) -> Option<Reply> {
    let (status, code, message) = match session {
        None => (400, -32000, "Bad Request: Server not initialized"),
        Some(session) if server.state().sessions.iter().any(|known| known == session) => {
            return None;
        }
        Some(_) => (404, -32001, "Session not found"),
    };
    let body = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    Some(Reply::message(body).status(status))
}

/// Why a request on stdio is not served, if it is not: the handshake did not take place.
fn refuse_stdio(server: &Server, request: &Request) -> Option<Reply> {
    let early = !server.config.bare && !server.state().initialized;
    match request.method.as_str() {
        "ping" | "server/discover" => None,
        _ if early => Some(Reply::error(
            request,
            -32600,
            "Invalid request: the server is not initialized",
        )),
        _ => None,
    }
}

fn initialize(server: &Server, request: &Request) -> Reply {
    let Some(wanted) = request.text("protocolVersion") else {
        return Reply::error(
            request,
            -32602,
            "Invalid params: protocolVersion is missing",
        )
        .status(400);
    };
    let versions = server.config.legacy_versions;
    let version = versions
        .iter()
        .find(|version| **version == wanted)
        .unwrap_or(&versions[0]);
    let reply = Reply::result(
        request,
        json!({
            "protocolVersion": version,
            "capabilities": server.config.capabilities,
            "serverInfo": server_info(),
            "instructions": "Call echo to get a message back."
        }),
    );
    if !request.is_http() {
        server.state().initialized = true;
        reply
    } else if server.config.sessions {
        reply.header("Mcp-Session-Id", server.mint_session())
    } else {
        reply
    }
}

/// The answer to a request within a session.
pub(crate) fn serve(server: &Server, request: &Request) -> Reply {
    let subscribable = server.config.capabilities["resources"]["subscribe"] == true;
    match request.method.as_str() {
        "ping" => return Reply::result(request, json!({})),
        "resources/subscribe" | "resources/unsubscribe" if subscribable => {
            return match request.text("uri") {
                Some(_) => Reply::result(request, json!({})),
                None => Reply::error(request, -32602, "Invalid params: uri is missing"),
            };
        }
        _ => {}
    }
    match features::call(server, request) {
        Ok(result) => Reply::result(request, result),
        Err(Failure::MethodNotFound) => Reply::error(request, -32601, "Method not found"),
        Err(Failure::InvalidParams(message)) => Reply::error(request, -32602, message),
        Err(Failure::ResourceNotFound(uri)) => {
            Reply::error(request, -32002, "Resource not found").data(json!({"uri": uri}))
        }
    }
}
