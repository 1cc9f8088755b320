//! What is sent, and over which connection.

use std::io::Write as _;
use std::time::Duration;

use mcp_assay_core::transcript::Event;
use mcp_assay_core::transport::http::{Client, SetupError};
use mcp_assay_core::transport::{Limits, Until};

use crate::server::{REQUEST, Server, ask, endpoint, json_answer, post};

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[tokio::test]
async fn what_is_recorded_is_what_is_sent() {
    let server = Server::saying(json_answer());
    let mut endpoint = endpoint(&server.url().replace("127", "me:secret-1@127"));
    endpoint.url.set_query(Some("tenant=1"));
    endpoint.headers = vec![pair("ACCEPT", "text/plain"), pair("X-Mine", "1")];
    let client = Client::new(&endpoint, &Limits::default()).unwrap();
    assert_eq!(client.url().as_str(), format!("{}?tenant=1", server.url()));
    let seen = ask(&client, &post(Until::Response)).await;

    let Event::Sent {
        head: Some(head),
        data,
    } = &seen.events()[0]
    else {
        panic!("{:?}", seen.events())
    };
    assert_eq!(data.bytes, REQUEST);
    assert_eq!(head.method, "POST");
    assert_eq!(head.url, client.url().as_str());
    assert_eq!(
        head.headers,
        [
            pair("Host", &format!("127.0.0.1:{}", server.port)),
            pair("Authorization", "{{secret:authorization}}"),
            pair("Content-Type", "application/json"),
            pair("ACCEPT", "text/plain"),
            pair("X-Mine", "1"),
            pair("Content-Length", &REQUEST.len().to_string()),
        ]
    );
    let mut wire = String::from("POST /mcp?tenant=1 HTTP/1.1\r\n");
    for (name, value) in &head.headers {
        let value = value.replace("{{secret:authorization}}", "Basic bWU6c2VjcmV0LTE=");
        wire.push_str(&format!("{}: {value}\r\n", name.to_lowercase()));
    }
    wire.push_str("\r\n");
    wire.push_str(std::str::from_utf8(REQUEST).unwrap());
    assert_eq!(server.requests(), [wire]);
}

#[tokio::test]
async fn nothing_is_added_to_a_request_without_headers() {
    let server = Server::saying(json_answer());
    let mut out = post(Until::Response);
    out.headers.clear();
    out.body.clear();
    for (method, framing) in [("GET", ""), ("POST", "content-length: 0\r\n")] {
        out.http_method = method;
        ask(&server.client(), &out).await;
        assert_eq!(
            server.requests().last().unwrap(),
            &format!(
                "{method} /mcp HTTP/1.1\r\nhost: 127.0.0.1:{}\r\n{framing}\r\n",
                server.port
            )
        );
    }
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_refused_before_anything_is_sent() {
    let server = Server::saying(json_answer());
    let mut endpoint = endpoint(&server.url());
    endpoint.headers = vec![pair("X-Token", "hidden\n")];
    let refused = Client::new(&endpoint, &Limits::default()).unwrap_err();
    assert!(matches!(refused, SetupError::Header(_)));
    assert!(!refused.to_string().contains("hidden"));

    let mut out = post(Until::Response);
    out.headers.push(pair("Mcp-Name", "a\0b"));
    let seen = ask(&server.client(), &out).await;
    assert_eq!(seen.shape(), ["failed send"]);
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_client_keeps_its_connection_and_shares_it_with_no_sibling() {
    let server = Server::saying(json_answer());
    let client = server.client();
    for _ in 0..3 {
        ask(&client, &post(Until::Response)).await;
    }
    assert_eq!(server.connections(), 1);
    let moved = client
        .with_url(format!("{}/", server.url()).parse().unwrap())
        .unwrap();
    ask(&moved, &post(Until::Response)).await;
    assert_eq!(server.connections(), 1);
    assert!(server.requests()[3].starts_with("POST /mcp/ HTTP/1.1"));
    ask(&client.sibling(), &post(Until::Response)).await;
    assert_eq!(server.connections(), 2);
    for other in ["http://127.0.0.1:1/mcp", "https://127.0.0.1/mcp"] {
        assert!(client.with_url(other.parse().unwrap()).is_none());
    }
}

#[tokio::test]
async fn overlapping_exchanges_use_connections_of_their_own() {
    let server = Server::start(|stream| {
        std::thread::sleep(Duration::from_millis(100));
        stream.write_all(json_answer().as_bytes()).is_ok()
    });
    let client = server.client();
    let out = post(Until::Response);
    let (first, second) = tokio::join!(ask(&client, &out), ask(&client, &out));
    assert_eq!(first.shape(), second.shape());
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_connection_that_was_closed_while_idle_is_replaced() {
    let server = Server::saying_once(json_answer());
    let client = server.client();
    for _ in 0..3 {
        let seen = ask(&client, &post(Until::Response)).await;
        assert_eq!(seen.shape().last().unwrap(), "eof");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(server.requests().len(), 3);
}
