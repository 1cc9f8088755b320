//! The floor: the spawns and messages of a recorded run, without reading more of an answer than
//! where it ends.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// What one connection of a run sent.
#[derive(Default)]
struct Connection {
    argv: Vec<String>,
    messages: Vec<Message>,
}

struct Message {
    body: String,
    wants_answer: bool,
    head: Option<(String, Vec<(String, String)>)>,
}

/// A recorded run, as far as a bare client needs it.
pub(super) struct Recording {
    connections: BTreeMap<u64, Connection>,
    authority: Option<String>,
}

impl Recording {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).context("reading the recording")?;
        let mut connections: BTreeMap<u64, Connection> = BTreeMap::new();
        let mut authority = None;
        for line in text.lines().skip(1) {
            let entry: Value = serde_json::from_str(line).context("reading the recording")?;
            let number = entry["conn"].as_u64().unwrap_or_default();
            let connection = connections.entry(number).or_default();
            if let Some(argv) = entry["event"]["opened"].as_array() {
                connection.argv = argv
                    .iter()
                    .filter_map(|w| w.as_str().map(str::to_owned))
                    .collect();
            }
            let sent = &entry["event"]["sent"];
            if sent.is_null() {
                continue;
            }
            let body = sent["data"]["text"].as_str().unwrap_or_default().to_owned();
            let head = sent["head"].is_object().then(|| {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let headers = sent["head"]["headers"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                (
                    text(&sent["head"]["method"]),
                    headers
                        .iter()
                        .map(|pair| (text(&pair[0]), text(&pair[1])))
                        .collect(),
                )
            });
            if let Some(url) = sent["head"]["url"].as_str() {
                authority = url.split('/').nth(2).map(str::to_owned);
            }
            connection.messages.push(Message {
                wants_answer: body.contains("\"id\":"),
                body,
                head,
            });
        }
        if connections
            .values()
            .all(|connection| connection.messages.is_empty())
        {
            bail!("the recording sent nothing");
        }
        Ok(Self {
            connections,
            authority,
        })
    }

    /// Sends it all again, HTTP requests `width` at a time, and tells how long that took.
    pub(super) fn play(&self, width: usize) -> Result<Duration> {
        let begun = Instant::now();
        match &self.authority {
            Some(authority) => {
                let all: Vec<&Message> = self
                    .connections
                    .values()
                    .flat_map(|c| &c.messages)
                    .collect();
                let queue = Mutex::new(all.into_iter());
                std::thread::scope(|scope| {
                    let workers: Vec<_> = (0..width)
                        .map(|_| scope.spawn(|| http(authority, &queue)))
                        .collect();
                    workers
                        .into_iter()
                        .try_for_each(|worker| match worker.join() {
                            Ok(result) => result,
                            Err(_) => bail!("a worker panicked"),
                        })
                })?;
            }
            None => std::thread::scope(|scope| {
                let workers: Vec<_> = self
                    .connections
                    .values()
                    .filter(|connection| !connection.argv.is_empty())
                    .map(|connection| scope.spawn(|| stdio(connection)))
                    .collect();
                workers
                    .into_iter()
                    .try_for_each(|worker| match worker.join() {
                        Ok(result) => result,
                        Err(_) => bail!("a worker panicked"),
                    })
            })?,
        }
        Ok(begun.elapsed())
    }
}

fn stdio(connection: &Connection) -> Result<()> {
    let mut child = Command::new(&connection.argv[0])
        .args(&connection.argv[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().context("stdin")?;
    let mut stdout = BufReader::new(child.stdout.take().context("stdout")?);
    let mut line = String::new();
    for message in &connection.messages {
        stdin.write_all(message.body.as_bytes())?;
        stdin.write_all(b"\n")?;
        if message.wants_answer {
            line.clear();
            stdout.read_line(&mut line)?;
        }
    }
    drop(stdin);
    child.wait()?;
    Ok(())
}

fn http<'m>(authority: &str, queue: &Mutex<impl Iterator<Item = &'m Message>>) -> Result<()> {
    let mut kept: Option<BufReader<TcpStream>> = None;
    loop {
        let next = match queue.lock() {
            Ok(mut queue) => queue.next(),
            Err(_) => None,
        };
        let Some(message) = next else { return Ok(()) };
        let Some((method, headers)) = &message.head else {
            continue;
        };
        let mut connection = match kept.take() {
            Some(connection) => connection,
            None => BufReader::new(TcpStream::connect(authority)?),
        };
        let mut request = format!("{method} /mcp HTTP/1.1\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(&message.body);
        connection.get_mut().write_all(request.as_bytes())?;
        if answered(&mut connection)? {
            kept = Some(connection);
        }
    }
}

/// Reads one answer; true if the connection can carry another.
fn answered(connection: &mut BufReader<TcpStream>) -> Result<bool> {
    let (mut length, mut stream) = (0, false);
    let mut line = String::new();
    loop {
        line.clear();
        if connection.read_line(&mut line)? == 0 {
            return Ok(false);
        }
        let lower = line.trim_end().to_ascii_lowercase();
        if lower.is_empty() {
            break;
        }
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        stream |= lower.contains("text/event-stream");
    }
    if stream {
        // The first event of a stream is all that is waited for; then it is closed.
        while connection.read_line(&mut line)? > 2 {}
        return Ok(false);
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(true)
}
