//! The event stream reader: by the standard, in bounds, whatever the chunks.

use futures_util::{FutureExt, StreamExt, stream};
use mcp_assay_core::wire::sse::{SseItem, SseReader};
use proptest::prelude::*;
use sse_stream::SseByteStream;

fn read(chunks: &[&[u8]], max_event: usize) -> Vec<SseItem> {
    let mut items = Vec::new();
    let mut reader = SseReader::new(max_event);
    for chunk in chunks {
        reader.push(chunk, &mut |item| items.push(item));
    }
    items.extend(reader.finish());
    items
}

fn all(text: &str) -> Vec<SseItem> {
    read(&[text.as_bytes()], 1000)
}

fn event(event: Option<&str>, data: &str, id: Option<&str>) -> SseItem {
    SseItem::Event {
        event: event.map(Into::into),
        data: data.into(),
        id: id.map(Into::into),
    }
}

fn unterminated(event: Option<&str>, data: &str, id: Option<&str>) -> SseItem {
    SseItem::Unterminated {
        event: event.map(Into::into),
        data: data.into(),
        id: id.map(Into::into),
        length: data.len() as u64,
    }
}

#[test]
fn reads_fields() {
    assert_eq!(
        all("event: message\nid: 7\ndata: {\"a\":\ndata:1}\nother: x\n\ndata: b\n\n"),
        [
            event(Some("message"), "{\"a\":\n1}", Some("7")),
            event(None, "b", None)
        ]
    );
    // One space is skipped, no more; later fields replace earlier ones; names are exact.
    assert_eq!(
        all("event:a\nevent:  b\ndata:  x \nid:1\nid\nDATA: no\n data: no\ndatas: no\n\n"),
        [event(Some(" b"), " x ", Some(""))]
    );
    assert_eq!(
        all("data\n\ndata:\ndata\n\n"),
        [event(None, "", None), event(None, "\n", None)]
    );
    assert_eq!(all("event: x\n\ndata: y\n\n"), [event(None, "y", None)]);
    assert_eq!(all("event: x\nevent:\ndata\n\n"), [event(None, "", None)]);
    assert_eq!(
        all("id: a\nid: b\0c\ndata\n\n"),
        [event(None, "", Some("a"))]
    );
}

#[test]
fn reads_comments_and_retry() {
    let retry = SseItem::Retry { milliseconds: 1500 };
    assert_eq!(
        all(": hi\n:\nretry: 1500\nretry: 1s\nretry: +1\nretry\n\n"),
        [SseItem::Comment, SseItem::Comment, retry]
    );
    assert_eq!(all("retry: 99999999999999999999\n"), []);
}

#[test]
fn takes_every_line_ending_and_a_byte_order_mark() {
    for end in ["\n", "\r\n", "\r"] {
        let text = "\u{feff}data: a\ndata: b\n\n:\n\n".replace('\n', end);
        assert_eq!(
            all(&text),
            [event(None, "a\nb", None), SseItem::Comment],
            "{end:?}"
        );
    }
    assert_eq!(
        all("\u{feff}\u{feff}data: a\n\ndata: b\n\n"),
        [event(None, "b", None)]
    );
    assert_eq!(read(&[b"\xef\xbbdata: a\n\n"], 10), []);
    // A mark inside the data stays.
    assert_eq!(all("data: \u{feff}a\n\n"), [event(None, "\u{feff}a", None)]);
}

#[test]
fn notes_an_event_that_was_not_ended() {
    assert_eq!(all("data: a\n"), [unterminated(None, "a", None)]);
    assert_eq!(
        all("data: a\n\ndata: b"),
        [event(None, "a", None), unterminated(None, "b", None)]
    );
    assert_eq!(
        all("event: x\nid: 1\n"),
        [unterminated(Some("x"), "", Some("1"))]
    );
    for nothing in ["", "\n", ": half a comm", "unknown: x", "\u{feff}"] {
        assert!(
            !all(nothing)
                .iter()
                .any(|item| matches!(item, SseItem::Unterminated { .. }))
        );
    }
}

#[test]
fn bounds_an_event() {
    let items = read(&[b"id: 1\ndata: abc\ndata: def\n\ndata: abcd\n\n"], 4);
    let SseItem::Truncated {
        event: None,
        data,
        id,
        length: 7,
        hash: Some(_),
    } = &items[0]
    else {
        panic!("{items:?}")
    };
    assert_eq!((data.as_slice(), id.as_deref()), (&b"abc\n"[..], Some("1")));
    assert_eq!(items[1], event(None, "abcd", None));

    let long_name = format!("event: {}\ndata: x\n\n", "e".repeat(100_000));
    let items = read(&[long_name.as_bytes()], 4);
    let [
        SseItem::Truncated {
            event: Some(name),
            hash: None,
            length: 1,
            ..
        },
    ] = &items[..]
    else {
        panic!("{items:?}")
    };
    assert!(name.len() < 10_000);
}

/// Text that is dense in what matters to the format.
fn likely() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "\n", "\n", "\n\n", "\r", "\r\n", ":", " ", "data:", "data:", "data", "event: ", "id:",
        "retry:", "12", "x", "é", "\u{feff}",
    ]);
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// What the other reader makes of the same text; it reports blocks without data too.
fn other_reader(text: &str) -> Vec<SseItem> {
    let chunks = stream::iter([Ok::<_, std::io::Error>(text.as_bytes())]);
    let blocks: Vec<_> = SseByteStream::new(chunks)
        .collect()
        .now_or_never()
        .expect("nothing to wait for");
    let events = blocks.into_iter().map(Result::unwrap).filter_map(|block| {
        let named = block.event.as_deref().filter(|name| !name.is_empty());
        block
            .data
            .as_deref()
            .map(|data| event(named, data, block.id.as_deref()))
    });
    events.collect()
}

proptest! {
    #[test]
    fn chunking_does_not_matter(
        text in likely(),
        bytes in prop::collection::vec(any::<u8>(), 0..30),
        max_event in 0usize..12,
        size in 1usize..6,
    ) {
        let input = [text.as_bytes(), &bytes].concat();
        let chunks: Vec<&[u8]> = input.chunks(size).collect();
        prop_assert_eq!(read(&chunks, max_event), read(&[&input], max_event));
    }

    #[test]
    fn agrees_with_another_reader(text in likely()) {
        let events: Vec<SseItem> =
            all(&text).into_iter().filter(|item| matches!(item, SseItem::Event { .. })).collect();
        prop_assert_eq!(events, other_reader(&text));
    }
}
