//! Nothing a server sends, or does not send, uses more memory or time than was allowed.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use mcp_assay_core::transcript::Event;
use mcp_assay_core::transport::{Arrival, Limits, Until};

use crate::server::{Server, ask, ask_within, post};

const JSON_HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// Writes the head, then the same piece until the client has gone.
fn endless(head: &str, piece: Vec<u8>, pause: Duration) -> Server {
    let head = head.to_owned();
    Server::start(move |stream: &mut TcpStream| {
        let mut open = stream.write_all(head.as_bytes()).is_ok();
        while open {
            open = stream.write_all(&piece).is_ok();
            std::thread::sleep(pause);
        }
        false
    })
}

#[tokio::test]
async fn an_endless_body_ends_at_its_bound() {
    let server = endless(JSON_HEAD, vec![b'x'; 4096], Duration::ZERO);
    let limits = Limits {
        message: 100_000,
        ..Limits::default()
    };
    let seen = ask(&server.client_with(&limits), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "cut", "bound"]);
    assert_eq!(seen.answer.arrival, Arrival::Gone);
    let Event::Received { data, .. } = &seen.events()[2] else {
        panic!("{:?}", seen.events())
    };
    assert_eq!(data.bytes, vec![b'x'; 1024]);
    assert!(data.length > 100_000);
    assert_eq!(
        seen.events()[3],
        Event::Bound("one body: 100000 bytes".into())
    );
}

#[tokio::test]
async fn a_body_of_exactly_the_bound_is_whole() {
    let server = Server::saying_once(format!("{JSON_HEAD}0123456789"));
    let limits = Limits {
        message: 10,
        ..Limits::default()
    };
    let seen = ask(&server.client_with(&limits), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "0123456789", "eof"]);
}

#[tokio::test]
async fn an_endless_stream_ends_at_its_bound() {
    let server = endless(STREAM_HEAD, b": ping\n\n".repeat(100), Duration::ZERO);
    let limits = Limits {
        stream: 100_000,
        ..Limits::default()
    };
    let seen = ask(&server.client_with(&limits), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "bound"]);
    assert_eq!(seen.answer.arrival, Arrival::Gone);

    let server = endless(STREAM_HEAD, b"data: {}\n\n".repeat(100), Duration::ZERO);
    let limits = Limits {
        entries: 3,
        ..Limits::default()
    };
    let seen = ask(&server.client_with(&limits), &post(Until::Response)).await;
    assert_eq!(
        seen.shape(),
        ["sent", "head 200", "{}", "{}", "{}", "bound"]
    );
}

#[tokio::test]
async fn an_event_beyond_the_bound_is_cut_and_the_next_one_read() {
    let server = Server::saying_once(format!(
        "{STREAM_HEAD}data: {}\n\ndata: short\n\n",
        "x".repeat(5000)
    ));
    let limits = Limits {
        message: 3000,
        ..Limits::default()
    };
    let seen = ask(&server.client_with(&limits), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", "cut", "short", "eof"]);
}

#[tokio::test]
async fn trickling_bytes_do_not_extend_the_limit() {
    let pause = Duration::from_millis(50);
    for (head, piece, kind) in [
        (JSON_HEAD, "x", "body"),
        (STREAM_HEAD, ": ping\n\n", "comments"),
        (STREAM_HEAD, "data: {}\n\n", "events"),
        ("HTTP/1.1 200 OK\r\nX: ", "x", "head"),
        ("", "", "nothing"),
    ] {
        let server = endless(head, piece.into(), pause);
        let limit = Duration::from_millis(300);
        let seen = ask_within(&server.client(), &post(Until::Response), limit).await;
        assert_eq!(
            seen.events().last(),
            Some(&Event::TimedOut(limit)),
            "{kind}"
        );
        assert_eq!(seen.answer.arrival, Arrival::Silent);
        assert!(seen.took < Duration::from_secs(5), "{:?}", seen.took);
    }
}

#[tokio::test]
async fn heads_that_never_end_are_given_up() {
    for line in ["X-More: y\r\n".to_owned(), "x".repeat(1000)] {
        let server = endless("HTTP/1.1 200 OK\r\nX: y", line.into_bytes(), Duration::ZERO);
        let seen = ask(&server.client(), &post(Until::Response)).await;
        assert_eq!(seen.shape(), ["sent", "failed read"]);
        assert!(seen.failure().contains("too large"), "{}", seen.failure());
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn two_hundred_megabytes_use_no_more_memory_than_the_bound() {
    fn peak() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        line.unwrap()
            .split_whitespace()
            .nth(1)
            .unwrap()
            .parse()
            .unwrap()
    }
    for head in [JSON_HEAD, STREAM_HEAD] {
        let head = head.to_owned();
        let server = Server::start(move |stream| {
            let mut open =
                stream.write_all(head.as_bytes()).is_ok() && stream.write_all(b"data: \"").is_ok();
            for _ in 0..3200 {
                open = open && stream.write_all(&[b'x'; 64 * 1024]).is_ok();
            }
            false
        });
        let before = peak();
        let seen = ask(&server.client(), &post(Until::Response)).await;
        assert_eq!(seen.shape().last().unwrap(), "bound");
        // Other tests of this process run beside it.
        let grown = peak() - before;
        assert!(grown < 64 * 1024, "{grown} KiB more");
    }
}
