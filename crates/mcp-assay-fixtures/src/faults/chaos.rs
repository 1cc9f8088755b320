//! Dead, hostile, or no MCP server at all.

use std::io::{self, BufRead, Read, Write};
use std::net::TcpStream;
use std::process::Command;

use serde_json::{Value, json};

use crate::fault::Hook::{Door, Edit, Intercept, Setup, Socket, Stdio};
use crate::fault::{Fault, chaos};
use crate::http::HttpRequest;
use crate::message::{Content, Reply, Request};
use crate::server::{Config, Server};
use crate::stdio;

/// Length of the filling of the huge answer, in bytes.
const HUGE: u64 = 200 * 1024 * 1024;
const LOGIN_PAGE: &str = "<!doctype html><title>Log in</title><form><input name=password></form>\n";
/// What a server puts into texts to deceive whoever prints them.
const DECEPTION: &str = "\u{1b}[2J\u{1b}[H\u{1b}[32mREADY\u{1b}[0m \u{1b}]8;;http://127.0.0.1:9/\u{7}here\u{1b}]8;;\u{7} \
    [link](http://127.0.0.1:9/) <img src=x onerror=alert(1)> | a | b |\n::error::deceived\r\n\u{202e}desrever";

/// The same for a header field, which can hold no control characters.
const MARKUP: &str = "Bearer realm=\"<img src=x onerror=alert(1)> [link](http://127.0.0.1:9/) | a | ::error::deceived\"";

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    chaos("unreachable", "silent", "never answers anything",
        &[Intercept(|_, _| Some(Reply::silence()))]).because("silent"),
    chaos("incomplete", "silent-after-3", "answers three requests, then nothing more",
        &[Intercept(|_, r| (r.number > 3).then(Reply::silence))]),
    chaos("unreachable", "exits-at-start", "exits with status 1 at once",
        &[Stdio(|_| { writeln!(io::stderr(), "error: nothing works")?; Ok(1) })]).stdio_only().because("launch-failed"),
    chaos("incomplete", "exits-after-3", "answers three requests, then exits",
        &[Intercept(|_, r| (r.number > 3).then(|| Reply::exit(1)))]).stdio_only(),
    chaos("incomplete", "silent-after-lists", "delivers its lists, then answers nothing but initialize",
        &[Setup(|config| config.capabilities = json!({"tools": {}})),
          Intercept(|_, r| (r.number > 3 && r.method != "initialize").then(Reply::silence))]),
    chaos("incomplete", "exits-after-lists", "delivers its lists, then exits at the next request that is not initialize",
        &[Setup(|config| config.capabilities = json!({"tools": {}})),
          Intercept(|_, r| (r.number > 3 && r.method != "initialize").then(|| Reply::exit(1)))]).stdio_only(),
    chaos("not-mcp", "floods", "sends notifications without end instead of answers",
        &[Stdio(flood)]).stdio_only(),
    chaos("not-mcp", "endless-line", "sends a line without end", &[Stdio(endless_line)]).stdio_only(),
    chaos("incomplete", "huge-line", "answers server/discover with 200 MiB, and is correct otherwise",
        &[Edit(|_, r, reply| if r.method == "server/discover" { inflate(reply) })]),
    chaos("ready", "grandchild", "leaves a child behind that keeps the pipes open", &[Stdio(grandchild)]).stdio_only(),
    chaos("ready", "ignores-sigterm", "ends neither when stdin does nor on a termination signal",
        &[Stdio(ignore_the_end)]).stdio_only(),
    chaos("unreachable", "closes-stdin", "closes stdin at the first line and stays", &[Stdio(close_stdin)]).stdio_only(),
    chaos("unreachable", "closes-stdout", "closes stdout and stays", &[Stdio(close_stdout)]).stdio_only(),
    chaos("not-mcp", "null-lines", "answers everything with null",
        &[Intercept(|_, _| Some(Reply::bytes(200, "application/json", "null")))]),
    chaos("not-mcp", "empty-objects", "answers everything with {}",
        &[Intercept(|_, _| Some(Reply::message(json!({}))))]),
    chaos("not-mcp", "id-only", "answers everything with the id and nothing else",
        &[Intercept(|_, r| Some(Reply::message(json!({"id": r.id}))))]),
    chaos("not-mcp", "text-lines", "answers everything with a line of text",
        &[Intercept(|_, _| Some(Reply::bytes(200, "text/plain", "Hello! Type help for help.")))]),
    chaos("ready", "server-requests-with-our-ids", "sends a request of its own, with the same id, before each answer",
        &[Edit(|_, r, reply| reply.before.push(json!({"jsonrpc": "2.0", "id": r.id, "method": "ping"})))]),
    chaos("ready", "responses-with-guessed-ids", "sends results with the ids 0 to 9 before each answer",
        &[Edit(|_, _, reply| reply.before.extend((0..10).map(|id| json!({"jsonrpc": "2.0", "id": id, "result": {}}))))]),
    chaos("ready", "ansi-names", "puts terminal escapes and markup into names, descriptions and messages",
        &[Setup(deceive), Edit(|_, _, reply| if let Some(error) = reply.error_mut() {
            error.insert("message".to_owned(), DECEPTION.into());
        })]),
    chaos("auth-required", "refuses-401-json", "answers 401 with a JSON body and no challenge",
        &[Door(|_, _| Some(Reply::json(401, &json!({"error": "unauthorized"}))))]).http_only(),
    chaos("auth-required", "refuses-401-json-rpc", "answers 401 with a JSON-RPC error and no challenge",
        &[Intercept(|_, r| Some(Reply::error(r, -32001, "Unauthorized").status(401)))]).http_only(),
    chaos("auth-required", "challenge-with-markup", "answers 401 with a challenge full of markup",
        &[Door(|_, _| Some(Reply::empty(401).header("WWW-Authenticate", MARKUP)))]).http_only(),
    chaos("ready", "get-hangs", "never answers GET",
        &[Door(|_, r| (r.method == "GET").then(Reply::silence))]).http_only(),
    chaos("unreachable", "forbidden-403", "answers 403 without a challenge",
        &[Door(|_, _| Some(Reply::bytes(403, "text/plain", "Forbidden\n")))]).http_only().because("host-refused"),
    chaos("unreachable", "misdirected-421", "answers 421",
        &[Door(|_, _| Some(Reply::bytes(421, "text/plain", "Invalid Host header\n")))]).http_only().because("host-refused"),
    chaos("unreachable", "rate-limited-429", "answers 429 with Retry-After",
        &[Door(|_, _| Some(Reply::bytes(429, "text/plain", "Slow down\n").header("Retry-After", "1")))])
        .http_only().because("rate-limited"),
    chaos("unreachable", "server-error-500", "answers 500",
        &[Door(|_, _| Some(Reply::bytes(500, "text/plain", "Internal Server Error\n")))])
        .http_only().because("server-error"),
    chaos("unreachable", "redirect-elsewhere", "redirects to another origin",
        &[Door(|_, _| Some(Reply::empty(302).header("Location", "http://127.0.0.1:9/mcp")))])
        .http_only().because("redirect"),
    chaos("not-mcp", "login-page", "answers with a page to log in",
        &[Door(|_, _| Some(Reply::bytes(200, "text/html", LOGIN_PAGE)))]).http_only(),
    chaos("not-mcp", "endless-body", "sends a body without end", &[Socket(|_, _, stream| {
        endless(stream, &["Content-Type: application/json"], "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{}", ",{}")
    })]).http_only(),
    chaos("not-mcp", "endless-sse", "sends an event stream of notifications without end", &[Socket(|_, _, stream| {
        endless(stream, &["Content-Type: text/event-stream"], ": hello\n\n",
            "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n")
    })]).http_only(),
    chaos("unreachable", "headers-never-end", "sends header fields without end", &[Socket(|_, _, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        repeat(stream, "X-Filling: filling\r\n")
    })]).http_only(),
    chaos("unreachable", "reset-mid-body", "drops the connection in the middle of every body", &[Socket(reset)]).http_only(),
];

fn deceive(config: &mut Config) {
    let catalog = &mut config.catalog;
    for items in [
        &mut catalog.tools,
        &mut catalog.resources,
        &mut catalog.templates,
        &mut catalog.prompts,
    ] {
        for (index, item) in items.iter_mut().enumerate() {
            item["name"] = format!("{index} {DECEPTION}").into();
            item["title"] = DECEPTION.into();
            item["description"] = DECEPTION.into();
        }
    }
}

/// Fills the instructions of a DiscoverResult up to [`HUGE`].
fn inflate(reply: &mut Reply) {
    super::replace(reply, "instructions", "FILLING");
    if let Content::Message(message) = &reply.content
        && let Some((before, after)) = message.to_string().split_once("FILLING")
    {
        reply.content = Content::Padded(before.to_owned(), HUGE, after.to_owned());
    }
}

/// Writes `text` again and again until the other side is gone.
fn repeat(out: &mut impl Write, text: &str) -> io::Result<bool> {
    let block = text.repeat(64 * 1024 / text.len());
    loop {
        out.write_all(block.as_bytes())?;
    }
}

fn endless(stream: &mut TcpStream, fields: &[&str], start: &str, more: &str) -> io::Result<bool> {
    let fields = fields.join("\r\n");
    stream.write_all(
        format!("HTTP/1.1 200 OK\r\n{fields}\r\nConnection: close\r\n\r\n{start}").as_bytes(),
    )?;
    repeat(stream, more)
}

/// Half of what the correct server would send, then the end of the connection.
fn reset(server: &Server, request: &HttpRequest, stream: &mut TcpStream) -> io::Result<bool> {
    let body = match Request::parse(&request.body, Some(request.headers.clone()))
        .map(|message| server.answer(message))
    {
        Ok(Reply {
            content: Content::Message(message),
            ..
        }) => message,
        _ => Value::Null,
    }
    .to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len() + 1
    );
    stream.write_all(&[head.as_bytes(), &body.as_bytes()[..body.len() / 2]].concat())?;
    Err(io::ErrorKind::ConnectionAborted.into())
}

/// Waits for the first line, like a server that starts to work when it is asked to.
fn first_line() -> io::Result<()> {
    io::stdin()
        .lock()
        .read_until(b'\n', &mut Vec::new())
        .map(drop)
}

fn flood(_: &Server) -> io::Result<i32> {
    first_line()?;
    let message = json!({
        "jsonrpc": "2.0",
        "method": "notifications/progress",
        "params": {"progressToken": 0, "progress": 1}
    });
    repeat(&mut io::stdout().lock(), &format!("{message}\n")).map(|_| 0)
}

fn endless_line(_: &Server) -> io::Result<i32> {
    first_line()?;
    io::stdout()
        .lock()
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"instructions\":\"")?;
    repeat(&mut io::stdout().lock(), "filling ").map(|_| 0)
}

fn grandchild(server: &Server) -> io::Result<i32> {
    Command::new("sleep").arg("300").spawn()?;
    stdio::run(server)
}

/// Replaces this process by a shell that runs `script`, with this program and its arguments
/// as `"$@"`.
#[cfg(unix)]
fn exec_shell(script: &str) -> io::Result<i32> {
    use std::os::unix::process::CommandExt;
    let mut arguments = std::env::args_os().skip(1).collect::<Vec<_>>();
    arguments.insert(0, std::env::current_exe()?.into());
    Err(Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg("sh")
        .args(arguments)
        .exec())
}

#[cfg(not(unix))]
fn exec_shell(_: &str) -> io::Result<i32> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Starts itself again with the termination signal ignored, which a program cannot do for
/// itself without `unsafe`; the environment tells the second run from the first.
fn ignore_the_end(server: &Server) -> io::Result<i32> {
    const MARK: &str = "MCP_ASSAY_FIXTURE_IGNORES_SIGTERM";
    if cfg!(unix) && std::env::var_os(MARK).is_none() {
        return exec_shell(&format!("trap '' TERM; {MARK}=1 exec \"$@\""));
    }
    stdio::run(server)?;
    loop {
        std::thread::park();
    }
}

fn close_stdin(_: &Server) -> io::Result<i32> {
    if cfg!(unix) {
        return exec_shell("read -r line; exec <&-; exec sleep 300");
    }
    first_line()?;
    loop {
        std::thread::park();
    }
}

fn close_stdout(_: &Server) -> io::Result<i32> {
    if cfg!(unix) {
        return exec_shell("exec >&-; cat >/dev/null");
    }
    io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink()).map(|_| 0)
}
