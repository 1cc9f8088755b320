//! Streamable HTTP: sessions, streams, routing headers, the old transport (003, 010, 014, 016).

use std::io::{self, Write};
use std::net::TcpStream;

use crate::fault::Hook::{Door, Edit, Intercept, Setup, Socket};
use crate::fault::{Era, Fault, error, warning};
use crate::http::{HttpRequest, event, head};
use crate::message::{Content, Reply, Request};
use crate::server::{HttpStyle, Server};

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    warning("MCP003", "session-id-on-discover", "issues an Mcp-Session-Id with the DiscoverResult",
        &[Edit(|s, r, reply| if r.method == "server/discover" { issue(s, reply) })]).http_only(),
    warning("MCP003", "session-id-on-lists", "issues an Mcp-Session-Id with every list",
        &[Edit(|s, r, reply| if r.is_list() { issue(s, reply) })]).http_only(),
    warning("MCP003", "session-id-echoed", "echoes the Mcp-Session-Id of a request",
        &[Edit(|_, r, reply| if let Some(id) = r.header("mcp-session-id") {
            reply.headers.push(("Mcp-Session-Id".to_owned(), id.to_owned()));
        })]).http_only(),
    warning("MCP010", "get-stream-served", "still opens an event stream on GET",
        &[Door(|_, r| is_get(r).then(|| Reply::new(200, Content::Stream(Vec::new(), None))))]).http_only(),
    error("MCP014", "routing-headers-rejected", "refuses requests with Mcp-Method or Mcp-Name",
        &[Setup(|config| config.routing_headers = false), Intercept(|_, r| reject(r, &["mcp-method", "mcp-name"]))])
        .http_only(),
    error("MCP014", "mcp-name-rejected", "refuses requests with Mcp-Name",
        &[Setup(|config| config.routing_headers = false), Intercept(|_, r| reject(r, &["mcp-name"]))]).http_only(),
    error("MCP014", "mcp-name-rejected-on-prompts", "refuses prompts/get with Mcp-Name, and serves it without",
        &[Setup(|config| config.routing_headers = false),
          Intercept(|_, r| (r.method == "prompts/get").then(|| reject(r, &["mcp-name"])).flatten())]).http_only(),
    error("MCP016", "http-sse", "speaks the HTTP+SSE transport of 2024-11-05 only",
        &[Setup(|config| { config.sessions = false; config.bare = true; config.version_header = false; }),
          Socket(open_endpoint), Door(take_message),
          Door(|_, r| (r.path() == "/mcp").then(|| Reply::empty(405).header("Allow", "GET")))])
        .on(Era::Legacy).http_only(),
    warning("MCP016", "http-sse-beside-modern", "offers the HTTP+SSE transport on GET, and 2026-07-28 on POST",
        &[Setup(|config| { config.sessions = false; config.bare = true; config.version_header = false; }),
          Socket(open_endpoint), Door(take_message)])
        .on(Era::Dual).http_only(),
];

fn issue(server: &Server, reply: &mut Reply) {
    reply
        .headers
        .push(("Mcp-Session-Id".to_owned(), server.mint_session()));
}

fn is_get(request: &HttpRequest) -> bool {
    request.method == "GET" && request.path() == "/mcp"
}

fn reject(request: &Request, names: &[&str]) -> Option<Reply> {
    let name = names.iter().find(|name| request.header(name).is_some())?;
    Some(
        Reply::error(
            request,
            -32600,
            &format!("Invalid request: unexpected header {name}"),
        )
        .status(400),
    )
}

/// Opens the event stream of the old transport, which starts with the URL to post to.
fn open_endpoint(
    server: &Server,
    request: &HttpRequest,
    stream: &mut TcpStream,
) -> io::Result<bool> {
    if !is_get(request) {
        return Ok(false);
    }
    let session = server.mint_session();
    let fields = [
        ("Content-Type", "text/event-stream"),
        ("Cache-Control", "no-cache"),
        ("Connection", "close"),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let head = head(HttpStyle::default(), 200, &fields);
    stream.write_all(
        format!("{head}event: endpoint\ndata: /messages?sessionId={session}\n\n").as_bytes(),
    )?;
    server.state().streams.insert(session, stream.try_clone()?);
    Ok(true)
}

/// Accepts a message posted to that URL; the answer goes to the stream.
fn take_message(server: &Server, request: &HttpRequest) -> Option<Reply> {
    let session = request.target.strip_prefix("/messages?sessionId=")?;
    let stream = server
        .state()
        .streams
        .get(session)
        .and_then(|stream| stream.try_clone().ok());
    let Some(mut stream) = stream else {
        return Some(Reply::empty(404));
    };
    let answer = match Request::parse(&request.body, Some(request.headers.clone())) {
        Ok(message) if message.id.is_some() => server.answer(message),
        Ok(_) => return Some(Reply::empty(202)),
        Err(refusal) => refusal,
    };
    if let Content::Message(message) = &answer.content {
        // A stream that was closed meanwhile has nobody to tell.
        drop(stream.write_all(event(&message.to_string()).as_bytes()));
    }
    Some(Reply::empty(202))
}
