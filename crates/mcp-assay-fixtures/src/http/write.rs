//! Writing HTTP responses.

use std::io::{self, Write};

use super::HttpRequest;
use crate::message::{Content, Reply};
use crate::server::HttpStyle;

/// Size of the pieces a chunked body is sent in, in bytes.
const PIECE: usize = 64;

/// A status line and header fields, with the empty line.
pub(crate) fn head(style: HttpStyle, status: u16, fields: &[(String, String)]) -> String {
    let version = if style.http10 { "HTTP/1.0" } else { "HTTP/1.1" };
    let mut head = String::new();
    if style.early_hints {
        head.push_str("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n");
    }
    let reason = if style.no_reason { "" } else { reason(status) };
    head.push_str(&format!("{version} {status} {reason}\r\n"));
    let own = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in own.chain(style.fields.iter().copied()) {
        let name = match style {
            HttpStyle { shouting: true, .. } => name.to_ascii_uppercase(),
            HttpStyle {
                whispering: true, ..
            } => name.to_ascii_lowercase(),
            _ => name.to_owned(),
        };
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head + "\r\n"
}

/// One server-sent event of type `message`.
pub(crate) fn event(data: &str) -> String {
    format!("event: message\ndata: {data}\n\n")
}

/// Sends a complete response; returns whether the connection can be used again.
pub(super) fn whole(
    out: &mut impl Write,
    style: HttpStyle,
    request: &HttpRequest,
    reply: &Reply,
) -> io::Result<bool> {
    let sse = reply.sse || !reply.before.is_empty();
    if let (true, Content::Message(message)) = (sse && reply.status == 200, &reply.content) {
        open_stream(out, style, reply)?;
        for message in reply.before.iter().chain([message]) {
            stream_part(out, style, (style.event)(&message.to_string()).as_bytes())?;
        }
        stream_part(out, style, b"")?;
        return Ok(request.keep_alive && !style.http10 && !style.close);
    }
    let (content_type, body) = match &reply.content {
        Content::Message(message) => (Some("application/json"), message.to_string().into_bytes()),
        Content::Bytes(content_type, bytes) => (Some(*content_type), bytes.clone()),
        _ => (None, Vec::new()),
    };
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: String| fields.push((name.to_owned(), value));
    if let Some(content_type) = content_type {
        add("Content-Type", content_type.to_owned());
    }
    let chunked = style.chunked && !body.is_empty();
    if chunked {
        add("Transfer-Encoding", "chunked".to_owned());
    } else if !style.http10 {
        add("Content-Length", body.len().to_string());
    }
    let keep_alive = request.keep_alive && !style.http10 && !style.close;
    if !keep_alive {
        add("Connection", "close".to_owned());
    }
    fields.extend(reply.headers.iter().cloned());
    let mut bytes = head(style, reply.status, &fields).into_bytes();
    match (request.method.as_str(), chunked) {
        ("HEAD", _) => {}
        (_, true) => {
            for piece in body.chunks(PIECE) {
                chunk(&mut bytes, piece)?;
            }
            chunk(&mut bytes, b"")?;
        }
        (_, false) => bytes.extend(body),
    }
    out.write_all(&bytes)?;
    out.flush()?;
    Ok(keep_alive)
}

/// Sends the head of an event stream.
pub(super) fn open_stream(out: &mut impl Write, style: HttpStyle, reply: &Reply) -> io::Result<()> {
    let mut fields = vec![
        ("Content-Type".to_owned(), "text/event-stream".to_owned()),
        ("Cache-Control".to_owned(), "no-cache".to_owned()),
        ("X-Accel-Buffering".to_owned(), "no".to_owned()),
    ];
    let framing = if style.http10 {
        ("Connection", "close")
    } else {
        ("Transfer-Encoding", "chunked")
    };
    fields.push((framing.0.to_owned(), framing.1.to_owned()));
    if style.close && !style.http10 {
        fields.push(("Connection".to_owned(), "close".to_owned()));
    }
    fields.extend(reply.headers.iter().cloned());
    out.write_all(head(style, reply.status, &fields).as_bytes())
}

/// Sends a part of an event stream; an empty one ends it.
pub(super) fn stream_part(out: &mut impl Write, style: HttpStyle, part: &[u8]) -> io::Result<()> {
    if style.http10 {
        out.write_all(part)?
    } else if style.chunked && !part.is_empty() {
        for piece in part.chunks(PIECE) {
            chunk(out, piece)?;
        }
    } else {
        chunk(out, part)?
    }
    out.flush()
}

fn chunk(out: &mut impl Write, piece: &[u8]) -> io::Result<()> {
    let mut bytes = format!("{:x}\r\n", piece.len()).into_bytes();
    bytes.extend(piece);
    bytes.extend(b"\r\n");
    out.write_all(&bytes)
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        302 => "Found",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        421 => "Misdirected Request",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        _ => "Unknown",
    }
}
