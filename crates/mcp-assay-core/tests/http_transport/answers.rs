//! Whole bodies, and answers that break off.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use mcp_assay_core::transcript::{Event, Framing};
use mcp_assay_core::transport::{Arrival, Limits, Until};

use crate::server::{RESPONSE, Server, ask, endpoint, json_answer, post};

#[tokio::test]
async fn a_json_answer_may_arrive_in_any_two_pieces() {
    let answer = json_answer();
    for at in 0..=answer.len() {
        let (first, second) = answer.split_at(at);
        let (first, second) = (first.to_owned(), second.to_owned());
        let server = Server::start(move |stream| {
            stream.write_all(first.as_bytes()).unwrap();
            std::thread::sleep(Duration::from_micros(500));
            stream.write_all(second.as_bytes()).unwrap();
            true
        });
        let seen = ask(&server.client(), &post(Until::Response)).await;
        assert_eq!(seen.shape(), ["sent", "head 200", RESPONSE, "eof"], "{at}");
        assert_eq!(seen.answer.arrival, Arrival::Answered);
    }
}

#[tokio::test]
async fn every_legal_framing_of_a_body_is_read() {
    let half = RESPONSE.len() / 2;
    let (first, second) = RESPONSE.split_at(half);
    let json = "Content-Type: application/json\r\n";
    for answer in [
        format!(
            "HTTP/1.1 200 OK\r\n{json}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x};ext=1\r\n{second}\r\n0\r\nX-Trailer: 1\r\n\r\n",
            first.len(),
            second.len()
        ),
        format!("HTTP/1.0 200 OK\r\n{json}\r\n{RESPONSE}"),
        format!("HTTP/1.1 200 OK\r\n{json}Connection: close\r\n\r\n{RESPONSE}"),
        format!("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n{json}\r\n{RESPONSE}"),
    ] {
        let server = Server::saying_once(answer.clone());
        let seen = ask(&server.client(), &post(Until::Response)).await;
        assert_eq!(
            seen.shape(),
            ["sent", "head 200", RESPONSE, "eof"],
            "{answer}"
        );
    }
}

#[tokio::test]
async fn an_empty_body_is_an_end_of_file_alone() {
    let server = Server::saying("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    let mut out = post(Until::Sent);
    out.id = None;
    let seen = ask(&server.client(), &out).await;
    assert_eq!(seen.shape(), ["sent", "head 202", "eof"]);
    assert_eq!(seen.answer.arrival, Arrival::Answered);
    assert_eq!(seen.answer.status, Some(202));
}

#[tokio::test]
async fn a_content_length_that_is_too_long_is_an_answer_that_broke_off() {
    let server = Server::saying_once(format!(
        "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{RESPONSE}"
    ));
    let seen = ask(&server.client(), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "failed read"]);
    assert_eq!(seen.answer.arrival, Arrival::Gone);
    assert!(
        seen.failure().contains("39 bytes so far"),
        "{}",
        seen.failure()
    );
}

#[tokio::test]
async fn a_content_length_that_is_too_short_cuts_the_body_and_spoils_nothing_else() {
    let server = Server::saying(format!(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{RESPONSE}"
    ));
    let client = server.client();
    for _ in 0..2 {
        let seen = ask(&client, &post(Until::Response)).await;
        assert_eq!(seen.shape(), ["sent", "head 200", &RESPONSE[..5], "eof"]);
    }
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_reset_within_the_body_is_a_failure_to_read() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut first = [0; 10];
        stream.read_exact(&mut first).unwrap();
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"json")
            .unwrap();
        std::thread::sleep(Duration::from_millis(100));
        // Closing with the request unread resets the connection.
    });
    let client = mcp_assay_core::transport::http::Client::new(&endpoint(&url), &Limits::default());
    let seen = ask(&client.unwrap(), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "failed read"]);
    assert!(seen.failure().contains("reset"), "{}", seen.failure());
}

#[tokio::test]
async fn what_is_no_http_is_said() {
    for (said, expected) in [
        ("hello\r\n\r\n", "no HTTP/1 answer"),
        ("<html>HTTP/0.9</html>", "no HTTP/1 answer"),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "no HTTP/1 answer"),
        ("HTTP/1.1 200 OK\r\nConte", "closed before the head"),
        ("", "closed before the head"),
    ] {
        let server = Server::saying_once(said);
        let seen = ask(&server.client(), &post(Until::Response)).await;
        assert_eq!(seen.shape(), ["sent", "failed read"], "{said}");
        assert!(seen.failure().contains(expected), "{}", seen.failure());
        assert_eq!(seen.answer.status, None);
    }
    let server = Server::saying_once(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnothing hex\r\nxx",
    );
    let seen = ask(&server.client(), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "failed read"]);
}

#[tokio::test]
async fn nobody_listening_is_told_apart_from_an_unknown_name() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    // A label over 63 bytes is refused by the resolver itself: no look-up leaves the machine.
    let unknown = format!("http://{}.test/mcp", "a".repeat(70));
    for (url, stage) in [
        (
            format!("http://user:hidden1@127.0.0.1:{port}/mcp?key=hidden2"),
            "failed connect",
        ),
        (unknown, "failed resolve"),
    ] {
        let client =
            mcp_assay_core::transport::http::Client::new(&endpoint(&url), &Limits::default());
        let seen = ask(&client.unwrap(), &post(Until::Response)).await;
        assert_eq!(seen.shape(), ["sent", stage]);
        assert!(!seen.failure().contains("hidden"), "{}", seen.failure());
    }
}

#[tokio::test]
async fn an_encoded_body_is_not_decoded() {
    let bytes = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    let mut said =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n".to_vec();
    said.extend(bytes);
    let server = Server::saying(said);
    let seen = ask(&server.client(), &post(Until::Response)).await;
    let Event::Received { framing, data, .. } = &seen.events()[2] else {
        panic!("{:?}", seen.events())
    };
    assert_eq!(
        (*framing, data.bytes.as_slice()),
        (Framing::Body, &bytes[..])
    );
    assert!(
        !server.requests()[0]
            .to_lowercase()
            .contains("accept-encoding")
    );
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let server = Server::saying("HTTP/1.1 307 X\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n");
    let seen = ask(&server.client(), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 307", "eof"]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn headers_are_kept_verbatim() {
    let mut said = b"HTTP/1.1 401 Unauthorized\r\n\
        WWW-Authenticate: Bearer realm=\"a, b\",  error=\"x\"\r\n\
        www-authenticate: Basic\r\n\
        X-Latin: caf"
        .to_vec();
    said.extend(b"\xe9\r\nContent-Length: 0\r\n\r\n");
    let server = Server::saying(said);
    let seen = ask(&server.client(), &post(Until::Response)).await;
    let expected = [
        ("www-authenticate", "Bearer realm=\"a, b\",  error=\"x\""),
        ("www-authenticate", "Basic"),
        ("x-latin", "caf\u{e9}"),
        ("content-length", "0"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(seen.answer.headers, expected);
    let Event::Head { status, headers } = &seen.events()[1] else {
        panic!("{:?}", seen.events())
    };
    assert_eq!((*status, headers.as_slice()), (401, &expected[..]));
}
