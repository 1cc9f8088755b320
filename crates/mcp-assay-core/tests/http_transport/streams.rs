//! Event streams: what ends the wait.

use std::io::Write as _;
use std::time::Duration;

use mcp_assay_core::transcript::{Event, Framing};
use mcp_assay_core::transport::{Arrival, Until};

use crate::server::{RESPONSE, Server, ask, ask_within, post};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n";
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
const REQUEST_WITH_OUR_ID: &str = r#"{"jsonrpc":"2.0","id":"q1","method":"ping"}"#;

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

#[tokio::test]
async fn a_stream_may_arrive_in_any_two_pieces() {
    let events = format!("event: message\r\ndata: {NOTE}\r\n\r\ndata: {RESPONSE}\n\n");
    let answer = format!("{HEAD}Content-Length: {}\r\n\r\n{events}", events.len());
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
        assert_eq!(
            seen.shape(),
            ["sent", "head 200", NOTE, RESPONSE, "eof"],
            "{at}"
        );
        let Event::Received { framing, name, .. } = &seen.events()[2] else {
            panic!("{:?}", seen.events())
        };
        assert_eq!(*framing, Framing::SseEvent);
        assert_eq!(name.as_deref(), Some("message"));
    }
}

#[tokio::test]
async fn the_response_ends_the_wait_and_a_request_with_our_id_does_not() {
    let said = format!("{HEAD}\r\ndata: {REQUEST_WITH_OUR_ID}\n\ndata: {RESPONSE}\n\n");
    let server = Server::start(move |stream| {
        stream.write_all(said.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_secs(3));
        false
    });
    let seen = ask(&server.client(), &post(Until::Response)).await;
    assert_eq!(
        seen.shape(),
        ["sent", "head 200", REQUEST_WITH_OUR_ID, RESPONSE]
    );
    assert_eq!(seen.answer.arrival, Arrival::Answered);
    assert!(seen.took < Duration::from_secs(2), "{:?}", seen.took);
}

#[tokio::test]
async fn a_stream_that_ends_with_the_response_leaves_the_connection_usable() {
    let server = Server::saying(format!(
        "{HEAD}Transfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
        chunk(&format!("data: {RESPONSE}\n\n"))
    ));
    let client = server.client();
    for _ in 0..3 {
        let seen = ask(&client, &post(Until::Response)).await;
        assert_eq!(seen.shape(), ["sent", "head 200", RESPONSE, "eof"]);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_stream_without_the_response_is_read_to_its_end() {
    let server = Server::saying_once(format!("{HEAD}\r\ndata: {NOTE}\n\n"));
    let seen = ask(&server.client(), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", NOTE, "eof"]);

    let server = Server::saying_once(format!("{HEAD}\r\ndata: {RESPONSE}\n"));
    let seen = ask(&server.client(), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "failed read"]);
    assert!(seen.failure().contains("ended inside an event"));
}

#[tokio::test]
async fn the_acknowledgement_of_this_request_ends_the_wait_for_it() {
    let note = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":"{id}"}}}}}}"#
        )
    };
    let (other, ours) = (note("q2"), note("q1"));
    let said = format!("{HEAD}\r\ndata: {other}\n\ndata: {ours}\n\n");
    let server = Server::start(move |stream| {
        stream.write_all(said.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_secs(3));
        false
    });
    let client = server.client();
    let seen = ask(&client, &post(Until::Acknowledged)).await;
    assert_eq!(
        seen.shape(),
        ["sent", "head 200", other.as_str(), ours.as_str()]
    );
    assert!(seen.took < Duration::from_secs(2), "{:?}", seen.took);
    let limit = Duration::from_millis(200);
    let seen = ask_within(&client, &post(Until::Response), limit).await;
    assert_eq!(seen.answer.arrival, Arrival::Silent);

    let server = Server::saying_once(format!("{HEAD}\r\ndata: {RESPONSE}\n\n"));
    let seen = ask(&server.client(), &post(Until::Acknowledged)).await;
    assert_eq!(seen.answer.arrival, Arrival::Answered);
}

#[tokio::test]
async fn a_stream_that_is_only_probed_ends_with_its_first_event() {
    let mut get = post(Until::FirstEvent);
    get.http_method = "GET";
    get.body.clear();
    let limit = Duration::from_millis(200);

    let open = |said: String| {
        Server::start(move |stream| {
            stream.write_all(said.as_bytes()).unwrap();
            std::thread::sleep(Duration::from_secs(3));
            false
        })
    };
    let server = open(format!("{HEAD}\r\nevent: endpoint\ndata: /messages\n\n"));
    let seen = ask(&server.client(), &get).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "/messages"]);
    assert_eq!(seen.answer.arrival, Arrival::Answered);

    let server = open(format!("{HEAD}\r\n: ping\n\n"));
    let seen = ask_within(&server.client(), &get, limit).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "timed out"]);
    assert_eq!(seen.answer.status, Some(200));

    let server = open("HTTP/1.1 405 X\r\nContent-Length: 100\r\n\r\n".into());
    let seen = ask(&server.client(), &get).await;
    assert_eq!(seen.shape(), ["sent", "head 405"]);
    assert_eq!(seen.answer.arrival, Arrival::Answered);
}
