//! Documents at URLs the server named.

use std::time::Duration;

use mcp_assay_core::transcript::Event;
use mcp_assay_core::transport::Limits;
use mcp_assay_core::transport::http::Client;

use crate::server::{Seen, Server, endpoint, json_answer, log, post};

async fn fetch(client: &Client, url: &str) -> Seen {
    let log = log();
    let key = post(mcp_assay_core::transport::Until::Response).key;
    let answer = client
        .fetch(&url.parse().unwrap(), Duration::from_secs(5), &log, &key)
        .await;
    Seen {
        answer,
        entries: log.snapshot(),
        took: Duration::ZERO,
    }
}

#[tokio::test]
async fn a_document_is_read_without_the_users_headers() {
    let server = Server::saying(json_answer());
    let mut endpoint = endpoint("http://me:secret-1@localhost/mcp");
    endpoint.headers = vec![("X-Token".into(), "secret-2".into())];
    let client = Client::new(&endpoint, &Limits::default()).unwrap();
    let seen = fetch(&client, &server.url()).await;
    assert_eq!(seen.answer.status, Some(200));
    assert_eq!(seen.shape().last().unwrap(), "eof");
    let sent = server.requests().remove(0).to_lowercase();
    assert!(sent.starts_with("get /mcp http/1.1\r\nhost: 127.0.0.1:"));
    assert!(!sent.contains("secret") && !sent.contains("authorization"));
}

#[tokio::test]
async fn a_document_has_its_own_bound_and_redirects_are_not_followed() {
    let server = Server::saying_once(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{}",
        "x".repeat(300 * 1024)
    ));
    let client = server.client();
    let seen = fetch(&client, &server.url()).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "cut", "bound"]);

    let server = Server::saying("HTTP/1.1 302 X\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n");
    let seen = fetch(&client, &server.url()).await;
    assert_eq!(seen.shape(), ["sent", "head 302", "eof"]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn what_a_public_server_may_not_name_is_refused_and_nothing_is_sent() {
    let server = Server::saying(json_answer());
    let on_loopback = server.client();
    // A documentation address: never connected to, and of none of the kinds below.
    let elsewhere = Client::new(&endpoint("https://203.0.113.1/mcp"), &Limits::default()).unwrap();
    let local = server.url();
    let local_tls = local.replace("http:", "https:");
    for (client, url) in [
        (&elsewhere, local.as_str()),
        (&elsewhere, local_tls.as_str()),
        (&elsewhere, "https://localhost/doc"),
        (&elsewhere, "https://[::ffff:127.0.0.1]/doc"),
        (&elsewhere, "http://example.com/doc"),
        (&on_loopback, "http://169.254.169.254/latest"),
        (&on_loopback, "https://169.254.169.254/latest"),
        (&on_loopback, "https://10.0.0.1/doc"),
        (&on_loopback, "file:///etc/passwd"),
        (&on_loopback, "ftp://127.0.0.1/doc"),
    ] {
        let seen = fetch(client, url).await;
        assert_eq!(seen.shape(), ["failed connect"], "{url}");
        assert!(seen.failure().contains("not tried"), "{}", seen.failure());
        assert!(
            !seen
                .events()
                .iter()
                .any(|event| matches!(event, Event::Sent { .. }))
        );
    }
    assert_eq!(server.connections(), 0);
}
