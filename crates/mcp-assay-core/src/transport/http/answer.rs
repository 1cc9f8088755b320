//! Reads the body of an answer: whole, or event by event, within its bounds.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::http::response::Parts;
use serde_json::Value;

use super::failure::Failure;
use crate::protocol::{meta, method};
use crate::transcript::{Data, Event, Framing, Key, Log, Stage};
use crate::transport::{Limits, Until};
use crate::wire::json;
use crate::wire::message::{Message, classify};
use crate::wire::sse::{SseItem, SseReader};

/// What is kept of a body that exceeds its bound. Its content proves nothing, so it must not use
/// up what the transcript keeps of others.
const CUT_HEAD: usize = 1024;

/// How long an open stream may take for its first event where that is what is waited for.
const FIRST_EVENT: Duration = Duration::from_secs(2);

/// How reading ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The body was read to its end: the connection can serve again.
    Complete,
    /// What was waited for arrived, and the rest was left.
    Enough,
    /// A bound was reached, and the rest was left.
    Bound,
}

/// What is read, and where to.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) key: &'a Key,
    pub(super) log: &'a Log,
    pub(super) limits: &'a Limits,
    pub(super) until: Until,
    pub(super) id: Option<&'a Value>,
}

impl Reading<'_> {
    /// Reads the answer as its content type says.
    pub(super) async fn answer(&self, head: &Parts, body: Incoming) -> Result<End, Failure> {
        let stream = is_event_stream(head);
        if self.until == Until::FirstEvent && !(stream && head.status == 200) {
            return Ok(End::Enough);
        }
        if self.until == Until::FirstEvent {
            // A stream that is open and says nothing has answered; it would never end.
            let first = tokio::time::timeout(FIRST_EVENT, self.events(body)).await;
            return first.unwrap_or(Ok(End::Enough));
        }
        if stream {
            self.events(body).await
        } else {
            self.body(body).await
        }
    }

    /// Reads one body, up to `limits.message` bytes.
    pub(super) async fn body(&self, mut body: Incoming) -> Result<End, Failure> {
        let limit = self.limits.message;
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| Failure::of_body(&error, bytes.len() as u64))?;
            // Trailers carry nothing that is judged.
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let length = bytes.len() + data.len();
            bytes.extend_from_slice(&data[..data.len().min(limit - bytes.len())]);
            if length > limit {
                bytes.truncate(CUT_HEAD.min(limit));
                bytes.shrink_to_fit();
                self.received(
                    Framing::Body,
                    None,
                    Data {
                        bytes,
                        length: length as u64,
                    },
                );
                return Ok(self.bound(format!("one body: {limit} bytes")));
            }
        }
        if !bytes.is_empty() {
            self.received(Framing::Body, None, Data::whole(bytes));
        }
        self.push(Event::Eof);
        Ok(End::Complete)
    }

    /// Reads events, up to `limits.stream` bytes and `limits.entries` events.
    async fn events(&self, mut body: Incoming) -> Result<End, Failure> {
        let mut reader = SseReader::new(self.limits.message);
        let mut read = 0;
        let mut events = 0;
        let most = self.limits.entries;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| Failure::of_body(&error, read as u64))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let within = &data[..data.len().min(self.limits.stream - read)];
            let mut found = false;
            let mut items = Vec::new();
            reader.push(within, &mut |item| {
                if items.len() <= most - events {
                    items.extend(received(item));
                }
            });
            for (name, data) in items {
                if events == most {
                    return Ok(self.bound(format!("one stream: {most} events")));
                }
                events += 1;
                found |= self.ends_the_wait(&data);
                self.received(Framing::SseEvent, name, data);
            }
            if found {
                return Ok(self.rest(body).await);
            }
            if within.len() < data.len() {
                return Ok(self.bound(format!("one stream: {} bytes", self.limits.stream)));
            }
            read += within.len();
        }
        if let Some(SseItem::Unterminated { length, .. }) = reader.finish()
            && length > 0
        {
            return Err(Failure::new(
                Stage::Read,
                format!(
                    "read the stream: it ended inside an event, {length} bytes of data lack the \
                     empty line that delivers them"
                ),
            ));
        }
        self.push(Event::Eof);
        Ok(End::Complete)
    }

    /// Ends the wait without waiting: the end of the stream is taken along if it is there already,
    /// because then the connection can serve again.
    async fn rest(&self, mut body: Incoming) -> End {
        // The connection's task sees what came in together with the last event.
        tokio::task::yield_now().await;
        let next = poll_fn(|context| Poll::Ready(Pin::new(&mut body).poll_frame(context))).await;
        if let Poll::Ready(None) = next {
            self.push(Event::Eof);
            return End::Complete;
        }
        End::Enough
    }

    /// True where this event is what is waited for.
    fn ends_the_wait(&self, data: &Data) -> bool {
        if self.until == Until::FirstEvent {
            return true;
        }
        let Some(id) = self.id else { return false };
        if data.is_cut() {
            return false;
        }
        let limits = json::Limits {
            nodes: self.limits.nodes,
            depth: self.limits.depth,
        };
        let Ok(document) = json::read(&data.bytes, limits) else {
            return false;
        };
        match classify(&document.value) {
            Message::Success {
                id: Some(theirs), ..
            }
            | Message::Failure {
                id: Some(theirs), ..
            } => theirs == id,
            Message::Notification {
                method: name,
                params,
            } => {
                self.until == Until::Acknowledged
                    && name == method::ACKNOWLEDGED
                    && params.is_some_and(|params| params["_meta"][meta::SUBSCRIPTION_ID] == *id)
            }
            _ => false,
        }
    }

    fn bound(&self, which: String) -> End {
        self.push(Event::Bound(which.into()));
        End::Bound
    }

    fn received(&self, framing: Framing, name: Option<String>, data: Data) {
        self.push(Event::Received {
            framing,
            name,
            data,
        });
    }

    pub(super) fn push(&self, event: Event) {
        self.log.push(Some(self.key), event);
    }
}

/// Name and data of an event; comments and reconnection times are no messages.
fn received(item: SseItem) -> Option<(Option<String>, Data)> {
    match item {
        SseItem::Event { event, data, .. } => Some((event, Data::whole(data))),
        SseItem::Truncated {
            event,
            mut data,
            length,
            ..
        } => {
            data.truncate(CUT_HEAD);
            data.shrink_to_fit();
            Some((
                event,
                Data {
                    bytes: data,
                    length,
                },
            ))
        }
        _ => None,
    }
}

fn is_event_stream(head: &Parts) -> bool {
    head.headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("text/event-stream"))
}
