//! Legal ways to write the same message: nothing may be reported for any of these.

use serde_json::Value;

use crate::fault::Hook::{Door, Edit, Setup};
use crate::fault::{Fault, variant};
use crate::message::{Content, Reply};

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    variant("json-spaced", "writes JSON with spaces and tabs between all tokens",
        &[Edit(|_, _, reply| rewrite(reply, |message| text(message, " \t ", false, quote)))]),
    variant("json-escaped", "writes every character of every string as a Unicode escape",
        &[Edit(|_, _, reply| rewrite(reply, |message| text(message, "", false, escape)))]),
    variant("json-reversed", "writes members in the opposite order",
        &[Edit(|_, _, reply| rewrite(reply, |message| text(message, "", true, quote)))]),
    variant("json-carriage-return", "ends every message with a carriage return",
        &[Edit(|_, _, reply| rewrite(reply, |message| format!("{message}\r")))]),
    variant("json-pretty", "writes JSON over many lines",
        &[Edit(|_, _, reply| rewrite(reply, |message| format!("\r\n{message:#}\r\n")))]).http_only(),
    variant("sse-comments", "puts comments before, into and after events", &[Edit(as_stream), Setup(|config| {
        config.http.event = |data| format!(": keep-alive\n\nevent: message\n: here it comes\ndata: {data}\n\n:\n\n");
    })]).http_only(),
    variant("sse-crlf", "ends the lines of events with CR LF", &[Edit(as_stream), Setup(|config| {
        config.http.event = |data| format!("event: message\r\ndata: {data}\r\n\r\n");
    })]).http_only(),
    variant("sse-cr", "ends the lines of events with CR", &[Edit(as_stream), Setup(|config| {
        config.http.event = |data| format!("event: message\rdata: {data}\r\r");
    })]).http_only(),
    variant("sse-many-lines", "writes the data of an event over many lines", &[Edit(as_stream), Setup(|config| {
        config.http.event = |data| {
            let lines = data.replace(",\"", "\n,\"");
            format!("data: {}\n\n", lines.replace('\n', "\ndata:"))
        };
    })]).http_only(),
    variant("sse-ids", "gives its events ids and a reconnection time", &[Edit(as_stream), Setup(|config| {
        config.http.event = |data| format!("id: 1a\nretry: 3000\nevent: message\ndata: {data}\nunknown: field\n\n");
    })]).http_only(),
    variant("sse-bare", "writes events without a type and without a space", &[Edit(as_stream), Setup(|config| {
        config.http.event = |data| format!("data:{data}\n\n");
    })]).http_only(),
    variant("sse-in-pieces", "sends event streams in small chunks",
        &[Edit(as_stream), Setup(|config| config.http.chunked = true)]).http_only(),
    variant("sse-http10", "ends event streams with the connection, in HTTP/1.0",
        &[Edit(as_stream), Setup(|config| config.http.http10 = true)]).http_only(),
    variant("header-lower-case", "writes header names in small letters",
        &[Setup(|config| config.http.whispering = true)]).http_only(),
    variant("connection-close", "ends the connection after each response",
        &[Setup(|config| config.http.close = true)]).http_only(),
    variant("early-hints", "sends 103 Early Hints before each response",
        &[Setup(|config| config.http.early_hints = true)]).http_only(),
    variant("no-reason-phrase", "sends status lines without a reason",
        &[Setup(|config| config.http.no_reason = true)]).http_only(),
    variant("extra-headers", "sends headers that many servers send", &[Setup(|config| config.http.fields = &[
        ("Date", "Tue, 28 Jul 2026 00:00:00 GMT"),
        ("Server", "fixture"),
        ("Set-Cookie", "a=b; Path=/; HttpOnly"),
        ("Vary", "Origin"),
        ("Access-Control-Allow-Origin", "*"),
        ("Access-Control-Expose-Headers", "Mcp-Session-Id"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("X-Empty", ""),
    ])]).http_only(),
    variant("redirect-308-same-origin", "redirects to /mcp/ with 308", &[
        Setup(|config| config.path = "/mcp/"),
        Door(|s, r| (r.path() == "/mcp").then(|| Reply::empty(308).header("Location", format!("{}/mcp/", s.origin)))),
    ]).http_only(),
];

/// Answers with an event stream, where the status is that of a result.
fn as_stream(_: &crate::server::Server, _: &crate::message::Request, reply: &mut Reply) {
    reply.sse = true;
}

/// Writes the answer in another way.
fn rewrite(reply: &mut Reply, write: fn(&Value) -> String) {
    if let Content::Message(message) = &reply.content {
        reply.content = Content::Bytes("application/json", write(message).into_bytes());
    }
}

/// JSON with `gap` around every token.
fn text(value: &Value, gap: &str, reversed: bool, string: fn(&str) -> String) -> String {
    let between = format!("{gap},{gap}");
    match value {
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(name, member)| {
                    let member = text(member, gap, reversed, string);
                    format!("{}{gap}:{gap}{member}", string(name))
                })
                .collect();
            if reversed {
                members.reverse();
            }
            format!("{gap}{{{gap}{}{gap}}}{gap}", members.join(&between))
        }
        Value::Array(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| text(item, gap, reversed, string))
                .collect();
            format!("{gap}[{gap}{}{gap}]{gap}", items.join(&between))
        }
        Value::String(text) => string(text),
        other => other.to_string(),
    }
}

fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

fn escape(text: &str) -> String {
    let units: String = text
        .encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    format!("\"{units}\"")
}
