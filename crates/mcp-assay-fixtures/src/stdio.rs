//! stdio: one message a line, in the order of the requests.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

use crate::fault::Hook;
use crate::message::{Content, Reply, Request};
use crate::modern::closing;
use crate::server::{Options, Server};

/// Serves on this process's stdin and stdout until stdin ends; returns the exit status the
/// process should have.
///
/// # Errors
///
/// When a pipe cannot be read or written. A reader that went away is no error.
pub fn serve_stdio(options: &Options) -> io::Result<i32> {
    let server = Server::new(options, String::new());
    let takeover = server.hooks().find_map(|hook| match hook {
        Hook::Stdio(run) => Some(run),
        _ => None,
    });
    let status = match takeover {
        Some(run) => run(&server),
        None => run(&server),
    };
    match status {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        other => other,
    }
}

/// The loop of the correct server.
pub(crate) fn run(server: &Server) -> io::Result<i32> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if !line.trim_ascii().is_empty()
            && let Some(status) = step(server, &line, &mut output)?
        {
            return Ok(status);
        }
        line.clear();
    }
    let open = std::mem::take(&mut server.state().subscriptions);
    for id in open {
        write_line(&mut output, &closing(&id))?;
    }
    Ok(0)
}

/// Handles one line; returns the exit status when the process has to end.
fn step(server: &Server, line: &[u8], output: &mut impl Write) -> io::Result<Option<i32>> {
    let reply = match Request::parse(line, None) {
        Ok(request) if request.id.is_some() => server.answer(request),
        Ok(notification) => {
            server.notified(&notification);
            return Ok(None);
        }
        Err(refusal) => refusal,
    };
    write_reply(&reply, output)
}

pub(crate) fn write_reply(reply: &Reply, output: &mut impl Write) -> io::Result<Option<i32>> {
    for message in &reply.before {
        write_line(output, message)?;
    }
    match &reply.content {
        Content::Message(message) => write_line(output, message)?,
        Content::Bytes(_, bytes) => {
            output.write_all(bytes)?;
            output.write_all(b"\n")?;
            output.flush()?;
        }
        Content::Padded(before, length, after) => {
            output.write_all(before.as_bytes())?;
            io::copy(&mut io::repeat(b'x').take(*length), output)?;
            output.write_all(after.as_bytes())?;
            output.write_all(b"\n")?;
            output.flush()?;
        }
        Content::Stream(messages, _) => {
            for message in messages {
                write_line(output, message)?;
            }
        }
        Content::Empty | Content::Silence => {}
        Content::Exit(status) => return Ok(Some(*status)),
    }
    Ok(None)
}

pub(crate) fn write_line(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let mut line = message.to_string();
    line.push('\n');
    output.write_all(line.as_bytes())?;
    output.flush()
}
