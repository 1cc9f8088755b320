//! A server that says exactly the bytes it is told to, and the means to ask it.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_assay_core::transcript::{Entry, Event, Key, Log, Recorder, Redactor};
use mcp_assay_core::transport::http::{Answer, Client};
use mcp_assay_core::transport::{Endpoint, Limits, Outgoing, Until};
use serde_json::json;

pub(crate) const REQUEST: &[u8] = br#"{"jsonrpc":"2.0","id":"q1","method":"tools/list"}"#;
pub(crate) const RESPONSE: &str = r#"{"jsonrpc":"2.0","id":"q1","result":{}}"#;

/// Answers each request with what `talk` writes; `talk` says whether to go on with the connection.
pub(crate) struct Server {
    pub(crate) port: u16,
    /// One list of request texts per connection.
    pub(crate) seen: Arc<Mutex<Vec<Vec<String>>>>,
    over: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(talk: impl Fn(&mut TcpStream) -> bool + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
        let over = Arc::new(AtomicBool::new(false));
        let (all, stop, talk) = (Arc::clone(&seen), Arc::clone(&over), Arc::new(talk));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                stream.set_nodelay(true).unwrap();
                let number = {
                    let mut all = all.lock().unwrap();
                    all.push(Vec::new());
                    all.len() - 1
                };
                let (all, talk) = (Arc::clone(&all), Arc::clone(&talk));
                std::thread::spawn(move || {
                    while let Some(request) = read_request(&mut stream) {
                        all.lock().unwrap()[number].push(request);
                        if !talk(&mut stream) {
                            return;
                        }
                    }
                });
            }
        });
        Self { port, seen, over }
    }

    /// The same bytes for every request; the connection stays open.
    pub(crate) fn saying(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self::start(move |stream| stream.write_all(bytes.as_ref()).is_ok())
    }

    /// The same bytes for every request, then the connection is closed.
    pub(crate) fn saying_once(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self::start(move |stream| {
            let _ = stream.write_all(bytes.as_ref());
            false
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    pub(crate) fn client(&self) -> Client {
        self.client_with(&Limits::default())
    }

    pub(crate) fn client_with(&self, limits: &Limits) -> Client {
        Client::new(&endpoint(&self.url()), limits).unwrap()
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().concat()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        text.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&text).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |length| length.trim().parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    text.extend(body);
    Some(String::from_utf8_lossy(&text).into_owned())
}

pub(crate) fn endpoint(url: &str) -> Endpoint {
    Endpoint {
        url: url.parse().unwrap(),
        headers: Vec::new(),
        ca_cert: None,
        concurrency: 4,
    }
}

pub(crate) fn post(until: Until) -> Outgoing {
    Outgoing {
        key: Key::new("test", "ask"),
        id: Some(json!("q1")),
        body: REQUEST.to_vec(),
        http_method: "POST",
        headers: vec![
            ("Content-Type".into(), "application/json".into()),
            (
                "Accept".into(),
                "application/json, text/event-stream".into(),
            ),
        ],
        until,
    }
}

pub(crate) fn log() -> Log {
    Recorder::new(Redactor::default(), 64 * 1024 * 1024).log(1)
}

/// What came of one exchange.
pub(crate) struct Seen {
    pub(crate) answer: Answer,
    pub(crate) entries: Vec<Entry>,
    pub(crate) took: Duration,
}

impl Seen {
    pub(crate) fn events(&self) -> Vec<Event> {
        self.entries
            .iter()
            .map(|entry| entry.event.clone())
            .collect()
    }

    /// The events by kind, received messages with their text.
    pub(crate) fn shape(&self) -> Vec<String> {
        self.entries
            .iter()
            .map(|entry| match &entry.event {
                Event::Sent { .. } => "sent".into(),
                Event::Head { status, .. } => format!("head {status}"),
                Event::Received { data, .. } if data.is_cut() => "cut".into(),
                Event::Received { data, .. } => String::from_utf8_lossy(&data.bytes).into_owned(),
                Event::TimedOut(_) => "timed out".into(),
                Event::Eof => "eof".into(),
                Event::Failed { stage, .. } => format!("failed {stage:?}").to_lowercase(),
                Event::Bound(_) => "bound".into(),
                other => format!("{other:?}"),
            })
            .collect()
    }

    /// What the failure says.
    pub(crate) fn failure(&self) -> String {
        match self.entries.last().map(|entry| &entry.event) {
            Some(Event::Failed { message, .. }) => message.clone(),
            other => panic!("no failure at the end but {other:?}"),
        }
    }
}

pub(crate) async fn ask(client: &Client, out: &Outgoing) -> Seen {
    ask_within(client, out, Duration::from_secs(20)).await
}

pub(crate) async fn ask_within(client: &Client, out: &Outgoing, limit: Duration) -> Seen {
    let log = log();
    let start = Instant::now();
    let answer = client.exchange(out, limit, &log).await;
    let took = start.elapsed();
    let entries = log.snapshot();
    assert!(
        entries
            .iter()
            .all(|entry| entry.key.as_ref() == Some(&out.key))
    );
    Seen {
        answer,
        entries,
        took,
    }
}

/// A whole JSON answer.
pub(crate) fn json_answer() -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{RESPONSE}",
        RESPONSE.len()
    )
}
