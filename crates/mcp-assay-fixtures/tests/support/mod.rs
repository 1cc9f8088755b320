//! A raw client: writes what a test says, returns what came back.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A modern request: `params` with the required metadata.
pub(crate) fn modern(id: u64, method: &str, params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"}
    });
    bare(id, method, params)
}

/// A request as legacy clients send it.
pub(crate) fn bare(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn initialize(id: u64) -> Value {
    let client = json!({"name": "raw", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    bare(id, "initialize", params)
}

/// Starts the binary, in a process group of its own.
pub(crate) fn spawn(arguments: &[&str]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-assay-fixture"));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut line = Vec::new();
        // Bounded: floods and endless lines are cut off by the end of the channel.
        while output
            .by_ref()
            .take(1 << 20)
            .read_until(b'\n', &mut line)
            .is_ok_and(|length| length > 0)
        {
            if sender
                .send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                return;
            }
            line.clear();
        }
    });
    Process { child, lines }
}

/// A server process; killed when dropped.
pub(crate) struct Process {
    child: Child,
    lines: Receiver<String>,
}

impl Process {
    pub(crate) fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.child
            .stdin
            .as_mut()
            .unwrap()
            .write_all(line.as_bytes())
            .unwrap();
    }

    /// Sends to a server that may be gone already.
    pub(crate) fn try_send(&mut self, message: &Value) {
        drop(writeln!(self.child.stdin.as_mut().unwrap(), "{message}"));
    }

    /// Whether the output is closed; not while another process holds the pipe.
    pub(crate) fn has_ended_output(&self) -> bool {
        use std::sync::mpsc::TryRecvError;
        thread::sleep(Duration::from_millis(50));
        matches!(self.lines.try_recv(), Err(TryRecvError::Disconnected))
    }

    /// The next line; `None` at the end of the output.
    pub(crate) fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("the server is silent"),
        }
    }

    pub(crate) fn receive(&mut self) -> Value {
        serde_json::from_str(&self.line().unwrap()).unwrap()
    }

    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.receive()
    }

    pub(crate) fn close(&mut self) {
        self.child.stdin = None;
    }

    /// Waits for the process to end; its exit status.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        for _ in 0..PATIENCE.as_millis() {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("the server does not end");
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The group, for the sake of grandchildren.
        #[cfg(unix)]
        drop(
            Command::new("kill")
                .args(["-KILL", "--", &format!("-{}", self.id())])
                .stderr(Stdio::null())
                .status(),
        );
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A response, as far as it was read.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The first event of an event stream.
    pub(crate) fn event(&self) -> Value {
        let data = self
            .body
            .lines()
            .find_map(|line| line.strip_prefix("data: "))
            .unwrap();
        serde_json::from_str(data).unwrap()
    }
}

/// The headers a 2026-07-28 client sends along with `message`.
pub(crate) fn headers(message: &Value) -> Vec<(&'static str, String)> {
    let method = message["method"].as_str().unwrap_or_default();
    let mut headers = vec![
        ("MCP-Protocol-Version", "2026-07-28".to_owned()),
        ("Mcp-Method", method.to_owned()),
    ];
    let name = match method {
        "tools/call" | "prompts/get" => &message["params"]["name"],
        "resources/read" => &message["params"]["uri"],
        _ => &Value::Null,
    };
    headers.extend(name.as_str().map(|name| ("Mcp-Name", name.to_owned())));
    headers
}

/// Posts a modern message with its headers.
pub(crate) fn post(url: &str, message: &Value) -> Response {
    exchange(
        url,
        "POST",
        &headers(message),
        &message.to_string(),
        PATIENCE,
    )
}

/// One exchange on a connection of its own. An event stream is read up to its first event.
pub(crate) fn exchange(
    url: &str,
    method: &str,
    headers: &[(&str, String)],
    body: &str,
    patience: Duration,
) -> Response {
    let mut stream = connect(url);
    stream.set_read_timeout(Some(patience)).unwrap();
    write_request(&mut stream, url, method, headers, body);
    read_response(&mut BufReader::new(stream))
}

pub(crate) fn connect(url: &str) -> TcpStream {
    let authority = url
        .strip_prefix("http://")
        .unwrap()
        .split('/')
        .next()
        .unwrap();
    TcpStream::connect(authority).unwrap()
}

pub(crate) fn write_request(
    stream: &mut TcpStream,
    url: &str,
    method: &str,
    headers: &[(&str, String)],
    body: &str,
) {
    let path = url
        .strip_prefix("http://")
        .and_then(|rest| rest.find('/').map(|slash| &rest[slash..]))
        .unwrap();
    let mut request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        request.push_str(&format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        ));
    }
    stream
        .write_all(format!("{request}\r\n{body}").as_bytes())
        .unwrap();
}

/// Reads a response; what does not come within the read timeout stays empty.
pub(crate) fn read_response(reader: &mut impl BufRead) -> Response {
    let mut response = Response::default();
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|length| length > 2) && response.headers.len() < 100
    {
        match line.trim_end().split_once(": ") {
            Some((name, value)) => response.headers.push((name.to_owned(), value.to_owned())),
            None => {
                response.status = line
                    .split(' ')
                    .nth(1)
                    .and_then(|word| word.parse().ok())
                    .unwrap_or(0)
            }
        }
        response.head.push_str(&line);
        line.clear();
    }
    let stream = response.header("content-type") == Some("text/event-stream");
    if response.header("transfer-encoding") == Some("chunked") {
        while let Some(piece) = chunk(reader) {
            response.body.push_str(&piece);
            if stream && response.body.contains("\n\n") {
                break;
            }
        }
    } else if let Some(length) = response.header("content-length") {
        let length = length.parse().unwrap();
        drop(reader.take(length).read_to_string(&mut response.body));
    } else {
        // To the end of the connection, at most 1 MiB.
        let mut bytes = Vec::new();
        drop(reader.take(1 << 20).read_to_end(&mut bytes));
        response.body = String::from_utf8_lossy(&bytes).into_owned();
    }
    response
}

/// The data of the next event of a stream that is not chunked.
pub(crate) fn data_line(reader: &mut impl BufRead) -> String {
    loop {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the stream ended");
        if let Some(data) = line.strip_prefix("data: ") {
            return data.trim_end().to_owned();
        }
    }
}

fn chunk(reader: &mut impl BufRead) -> Option<String> {
    let mut size = String::new();
    reader.read_line(&mut size).ok()?;
    let size = usize::from_str_radix(size.trim_end(), 16).ok()?;
    let mut piece = vec![0; size + 2];
    reader.read_exact(&mut piece).ok()?;
    piece.truncate(size);
    (size > 0).then(|| String::from_utf8_lossy(&piece).into_owned())
}
