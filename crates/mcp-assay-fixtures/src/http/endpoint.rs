//! The MCP endpoint: path, origin, method, then the message.

use serde_json::{Value, json};

use super::HttpRequest;
use crate::fault::Era;
use crate::legacy::refuse_session;
use crate::message::{Content, Reply, Request};
use crate::server::Server;

/// The correct response to an HTTP request.
pub(super) fn answer(server: &Server, request: &HttpRequest) -> Reply {
    if request.path() != server.config.path {
        return Reply::empty(404);
    }
    if request.header("origin").is_some_and(is_foreign) {
        let body = json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "Forbidden: foreign origin"}});
        return Reply::json(403, &body);
    }
    let session = request.header("mcp-session-id");
    match request.method.as_str() {
        "POST" => post(server, request),
        "GET" if has_sessions(server) => refuse_session(server, &Value::Null, session)
            .unwrap_or_else(|| Reply::new(200, Content::Stream(Vec::new(), None))),
        "DELETE" if has_sessions(server) => refuse_session(server, &Value::Null, session)
            .unwrap_or_else(|| {
                server
                    .state()
                    .sessions
                    .retain(|known| Some(known.as_str()) != session);
                Reply::empty(200)
            }),
        _ if has_sessions(server) => Reply::empty(405).header("Allow", "GET, POST, DELETE"),
        _ => Reply::empty(405).header("Allow", "POST"),
    }
}

fn has_sessions(server: &Server) -> bool {
    server.config.era != Era::Modern && server.config.sessions
}

fn post(server: &Server, request: &HttpRequest) -> Reply {
    match Request::parse(&request.body, Some(request.headers.clone())) {
        Ok(message) if message.id.is_some() => server.answer(message),
        Ok(notification) => {
            server.notified(&notification);
            Reply::empty(202)
        }
        Err(refusal) => refusal,
    }
}

/// Whether an `Origin` is anything but a page served from this machine.
fn is_foreign(origin: &str) -> bool {
    let Some((_, authority)) = origin.split_once("://") else {
        return true;
    };
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => authority.split(':').next(),
    };
    !matches!(host, Some("localhost" | "127.0.0.1" | "::1"))
}
