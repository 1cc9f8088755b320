//! Proxies: the environment of a test cannot be changed safely, so the client is given them.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;

use super::dial::{Origin, Route};
use super::{Client, SetupError};
use crate::transcript::{Entry, Event, Key, Recorder, Redactor, Stage};
use crate::transport::{Arrival, Endpoint, Limits, Outgoing, Until};

/// A proxy that answers the first head it reads; it gives back that head, and the first byte that
/// follows the answer.
fn proxy(answer: &'static str) -> (String, Receiver<String>, Receiver<u8>) {
    fn head(stream: &mut TcpStream) -> String {
        let mut text = Vec::new();
        let mut byte = [0];
        while !text.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
            text.push(byte[0]);
        }
        String::from_utf8(text).unwrap()
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://me:secret-1@{}", listener.local_addr().unwrap());
    let (heads, seen) = channel();
    let (bytes, next) = channel();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        heads.send(head(&mut stream)).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        let mut byte = [0];
        if stream.read(&mut byte).is_ok_and(|read| read == 1) {
            let _ = bytes.send(byte[0]);
        }
    });
    (url, seen, next)
}

async fn ask(url: &str, proxies: &Matcher) -> (Arrival, Vec<Entry>) {
    let endpoint = Endpoint {
        url: url.parse().unwrap(),
        headers: Vec::new(),
        ca_cert: None,
        concurrency: 1,
    };
    let client = Client::with_proxies(&endpoint, &Limits::default(), proxies).unwrap();
    let out = Outgoing {
        key: Key::new("test", "ask"),
        id: None,
        body: Vec::new(),
        http_method: "GET",
        headers: Vec::new(),
        until: Until::Response,
    };
    let log = Recorder::new(Redactor::default(), 1024).log(1);
    let answer = client.exchange(&out, Duration::from_secs(5), &log).await;
    (answer.arrival, log.snapshot())
}

fn failure(entries: &[Entry]) -> (Stage, String) {
    match entries.last().map(|entry| &entry.event) {
        Some(Event::Failed { stage, message }) => (*stage, message.clone()),
        other => panic!("no failure but {other:?}"),
    }
}

#[tokio::test]
async fn a_proxy_is_sent_the_whole_url_of_a_plain_target() {
    let (url, heads, _) = proxy("HTTP/1.1 204 No Content\r\n\r\n");
    let proxies = Matcher::builder().http(url).build();
    // The proxy looks up the name; no look-up of it happens here.
    let (arrival, entries) = ask("http://mcp.test/mcp?x=1", &proxies).await;
    assert_eq!(arrival, Arrival::Answered);
    assert_eq!(
        heads.recv().unwrap(),
        "GET http://mcp.test/mcp?x=1 HTTP/1.1\r\nhost: mcp.test\r\n\
         proxy-authorization: Basic bWU6c2VjcmV0LTE=\r\n\r\n"
    );
    let Event::Sent {
        head: Some(head), ..
    } = &entries[0].event
    else {
        panic!("{entries:?}")
    };
    assert_eq!(head.headers[1].1, "{{secret:proxy-authorization}}");
}

#[tokio::test]
async fn a_proxy_opens_a_tunnel_to_a_tls_target() {
    let (url, heads, next) = proxy("HTTP/1.1 200 OK\r\n\r\n");
    let proxies = Matcher::builder().https(url).build();
    let (_, entries) = ask("https://mcp.test/mcp", &proxies).await;
    assert_eq!(
        heads.recv().unwrap(),
        "CONNECT mcp.test:443 HTTP/1.1\r\nhost: mcp.test:443\r\n\
         proxy-authorization: Basic bWU6c2VjcmV0LTE=\r\n\r\n"
    );
    // The first byte of a TLS handshake.
    assert_eq!(next.recv().unwrap(), 0x16);
    assert_eq!(failure(&entries).0, Stage::Tls);

    let (url, _heads, _) = proxy("HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n");
    let proxies = Matcher::builder().https(url).build();
    let (arrival, entries) = ask("https://mcp.test/mcp", &proxies).await;
    assert_eq!(arrival, Arrival::Gone);
    let (stage, message) = failure(&entries);
    assert_eq!(stage, Stage::Connect);
    assert!(message.contains("it answered 407"), "{message}");
    assert!(!message.contains("secret"), "{message}");
}

#[test]
fn loopback_targets_and_exceptions_are_reached_directly() {
    let proxies = Matcher::builder()
        .all("http://proxy.test:3128")
        .no("near.test")
        .build();
    let route = |url: &str| Route::to(&Origin::of(&url.parse().unwrap()).unwrap(), &proxies);
    for url in [
        "http://127.0.0.1:3000/mcp",
        "https://localhost/mcp",
        "http://[::1]:3000/mcp",
        "http://a.near.test/mcp",
    ] {
        assert!(matches!(route(url), Ok(Route::Direct)), "{url}");
    }
    assert!(matches!(route("http://far.test/"), Ok(Route::Forward(_))));
    assert!(matches!(route("https://far.test/"), Ok(Route::Tunnel(_))));

    let socks = Matcher::builder().all("socks5://proxy.test").build();
    let origin = Origin::of(&"http://far.test/".parse().unwrap()).unwrap();
    assert!(matches!(
        Route::to(&origin, &socks),
        Err(SetupError::Proxy(_))
    ));
}
