//! A view on the transcript: what was asked, what came back. All that a fact or a rule may look at.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::Value;

use super::exchanges;
use super::{Entry, Event, Gap, Key, Stage, TransportKind};
use crate::probe::{self, Probe};
use crate::transport::Limits;
use crate::wire::json::{self, Document, Unreadable};
use crate::wire::message::{self, Message, RpcError};

/// Entries of the transcript that prove something; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    first: u32,
    rest: Vec<u32>,
}

impl Evidence {
    /// Evidence that rests on one entry.
    #[must_use]
    pub const fn of(entry: u32) -> Self {
        Self {
            first: entry,
            rest: Vec::new(),
        }
    }

    /// Evidence from several entries; none if there are none.
    pub fn collect(entries: impl IntoIterator<Item = u32>) -> Option<Self> {
        let mut entries = entries.into_iter();
        let first = entries.next()?;
        let mut rest: Vec<u32> = Vec::new();
        for entry in entries {
            if entry != first && !rest.contains(&entry) {
                rest.push(entry);
            }
        }
        Some(Self { first, rest })
    }

    /// This evidence and more.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for entry in other.entries() {
            if entry != self.first && !self.rest.contains(&entry) {
                self.rest.push(entry);
            }
        }
        self
    }

    /// The entries.
    pub fn entries(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::once(self.first).chain(self.rest.iter().copied())
    }
}

/// The head of an HTTP response.
#[derive(Debug, Clone, Copy)]
pub struct Head<'t> {
    /// Its entry.
    pub entry: u32,
    /// The status code.
    pub status: u16,
    pub(super) headers: &'t [(String, String)],
}

impl<'t> Head<'t> {
    /// The first header of this name, compared without case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'t str> {
        self.all(name).next()
    }

    /// All headers of this name.
    pub fn all<'a>(&self, name: &'a str) -> impl Iterator<Item = &'t str> + use<'t, 'a> {
        self.headers
            .iter()
            .filter(move |(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// True if the body is a stream of server-sent events.
    #[must_use]
    pub fn is_event_stream(&self) -> bool {
        self.is_of("text/event-stream")
    }

    /// True if clients take a result from this response: a success, of one of the two content types
    /// (basic/transports/streamable-http, "Sending Messages").
    #[must_use]
    pub fn carries_results(&self) -> bool {
        (200..300).contains(&self.status)
            && (self.is_of("application/json") || self.is_event_stream())
    }

    fn is_of(&self, kind: &str) -> bool {
        self.header("content-type").is_some_and(|value| {
            value
                .split(';')
                .next()
                .is_some_and(|known| known.trim().eq_ignore_ascii_case(kind))
        })
    }
}

/// What came of a question. A JSON-RPC error is a conversation; a transport failure is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A result that carries the request's id.
    Result(u32),
    /// A JSON-RPC error; `own_id` tells whether it carries the request's id.
    Error {
        /// Its entry.
        entry: u32,
        /// False where the id was missing, null or another.
        own_id: bool,
    },
    /// The acknowledgement of a subscription.
    Acknowledged(u32),
    /// Something arrived that is no response to this request: plain text, a body without JSON-RPC,
    /// a result with another id, or an HTTP answer without a body.
    Other(u32),
    /// Nothing in time.
    Silence(u32),
    /// The connection ended first, or could not be made.
    Transport(u32),
    /// A bound of ours was reached before the answer was read: proves nothing about the server.
    Cut(u32),
    /// The message wants no answer.
    Unanswerable,
    /// It was left out.
    NotSent(Gap),
    /// The recording ends before anything came.
    Open,
}

/// A question and what came of it.
#[derive(Debug, Clone)]
pub struct Exchange<'t> {
    /// Which question.
    pub key: &'t Key,
    /// Which connection.
    pub conn: u32,
    /// The entry where it was sent, or where it was skipped.
    pub sent: u32,
    /// The head of the HTTP response.
    pub head: Option<Head<'t>>,
    /// What came back.
    pub reply: Reply,
    /// What else arrived on the connection meanwhile.
    pub during: Vec<u32>,
}

impl Exchange<'_> {
    /// The entry that best proves what came back.
    #[must_use]
    pub fn proof(&self) -> Evidence {
        let answer = match self.reply {
            Reply::Result(entry)
            | Reply::Error { entry, .. }
            | Reply::Acknowledged(entry)
            | Reply::Other(entry)
            | Reply::Silence(entry)
            | Reply::Transport(entry)
            | Reply::Cut(entry) => Some(entry),
            Reply::Unanswerable | Reply::NotSent(_) | Reply::Open => None,
        };
        Evidence {
            first: self.sent,
            rest: answer
                .into_iter()
                .filter(|entry| *entry != self.sent)
                .collect(),
        }
    }

    /// A JSON-RPC response came, whatever its worth.
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        matches!(self.reply, Reply::Result(_) | Reply::Error { .. })
    }

    /// An HTTP answer without JSON-RPC whose status turns this one request away. 401, 429 and 502 to 504
    /// are not among them: they speak of credentials and of an overload, whatever is asked.
    #[must_use]
    pub fn is_turned_away(&self) -> bool {
        matches!(self.reply, Reply::Other(_))
            && self.head.is_some_and(|head| {
                matches!(head.status, 400 | 403..=406 | 413 | 415 | 422 | 431 | 500)
            })
    }

    /// The probe that asked, if this build knows it.
    #[must_use]
    pub fn probe(&self) -> Option<&'static Probe> {
        probe::by_id(&self.key.probe)
    }
}

/// Whether something that others build on holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// Proven.
    Holds(Evidence),
    /// Disproven.
    Broken(Evidence),
    /// Neither, and why.
    Unknown(Gap),
}

/// A pure function of the transcript that others build on, owned by one rule.
#[derive(Debug)]
pub struct Fact {
    /// Its name; also its key in the memo.
    pub id: &'static str,
    /// The rule that fails if it is broken.
    pub rule: &'static str,
    /// Only on HTTP.
    pub http_only: bool,
    /// What builds on it cannot be judged unless it is proven; otherwise only if it is disproven.
    pub must_be_proven: bool,
    /// The derivation.
    pub derive: fn(&View<'_>) -> Truth,
}

/// Entries, their messages and the exchanges they form.
pub struct View<'t> {
    transport: TransportKind,
    entries: &'t [Entry],
    documents: Vec<Option<Result<Document, Unreadable>>>,
    exchanges: Vec<Exchange<'t>>,
    facts: RefCell<HashMap<&'static str, Truth>>,
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View")
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

impl<'t> View<'t> {
    /// Reads what the entries hold. The same entries always give the same view.
    #[must_use]
    pub fn new(transport: TransportKind, entries: &'t [Entry]) -> Self {
        let bounds = Limits::default();
        let limits = json::Limits {
            nodes: bounds.nodes,
            depth: bounds.depth,
        };
        let documents: Vec<_> = entries
            .iter()
            .map(|entry| match &entry.event {
                Event::Sent { data, .. } | Event::Received { data, .. } if !data.is_cut() => {
                    Some(json::read(&data.bytes, limits))
                }
                _ => None,
            })
            .collect();
        let exchanges = match transport {
            TransportKind::Stdio => exchanges::stdio(entries, &documents),
            TransportKind::Http => exchanges::http(entries, &documents),
        };
        Self {
            transport,
            entries,
            documents,
            exchanges,
            facts: RefCell::default(),
        }
    }

    /// How the server was reached.
    #[must_use]
    pub const fn transport(&self) -> TransportKind {
        self.transport
    }

    /// Everything that happened.
    #[must_use]
    pub const fn entries(&self) -> &'t [Entry] {
        self.entries
    }

    /// One entry.
    #[must_use]
    pub fn entry(&self, entry: u32) -> Option<&'t Entry> {
        self.entries.get(entry as usize)
    }

    /// The JSON value of a sent or received entry.
    #[must_use]
    pub fn value(&self, entry: u32) -> Option<&Value> {
        match self.documents.get(entry as usize)? {
            Some(Ok(document)) => Some(&document.value),
            _ => None,
        }
    }

    /// The message of an entry, by its shape.
    #[must_use]
    pub fn message(&self, entry: u32) -> Option<Message<'_>> {
        self.value(entry).map(message::classify)
    }

    /// All questions, in the order of the transcript.
    #[must_use]
    pub fn exchanges(&self) -> &[Exchange<'t>] {
        &self.exchanges
    }

    /// The questions of one probe.
    pub fn asked(&self, probe: &'static Probe) -> impl Iterator<Item = &Exchange<'t>> + '_ {
        self.exchanges
            .iter()
            .filter(move |exchange| exchange.key.probe == probe.id)
    }

    /// The questions of one probe in one scenario.
    pub fn asked_in(
        &self,
        scenario: &'static str,
        probe: &'static Probe,
    ) -> impl Iterator<Item = &Exchange<'t>> + '_ {
        self.asked(probe)
            .filter(move |exchange| exchange.key.scenario == scenario)
    }

    /// The result of an exchange, if it is an object.
    #[must_use]
    pub fn result(&self, exchange: &Exchange<'_>) -> Option<&Value> {
        let Reply::Result(entry) = exchange.reply else {
            return None;
        };
        match self.message(entry)? {
            Message::Success { result, .. } => Some(result),
            _ => None,
        }
    }

    /// The JSON-RPC error of an exchange.
    #[must_use]
    pub fn error(&self, exchange: &Exchange<'_>) -> Option<RpcError<'_>> {
        let Reply::Error { entry, .. } = exchange.reply else {
            return None;
        };
        match self.message(entry)? {
            Message::Failure { error, .. } => Some(error),
            _ => None,
        }
    }

    /// The code of an exchange's JSON-RPC error.
    #[must_use]
    pub fn error_code(&self, exchange: &Exchange<'_>) -> Option<i64> {
        self.error(exchange).and_then(|error| error.code)
    }

    /// The request of an exchange.
    #[must_use]
    pub fn request(&self, exchange: &Exchange<'_>) -> Option<&Value> {
        self.value(exchange.sent)
    }

    /// Whether a fact holds; computed once.
    pub fn fact(&self, fact: &'static Fact) -> Truth {
        if let Some(known) = self.facts.borrow().get(fact.id) {
            return known.clone();
        }
        let truth = (fact.derive)(self);
        self.facts.borrow_mut().insert(fact.id, truth.clone());
        truth
    }
}

/// Plain words for where a transport failed.
#[must_use]
pub const fn stage_words(stage: Stage) -> &'static str {
    match stage {
        Stage::Launch => "start the server",
        Stage::Resolve => "resolve the host name",
        Stage::Connect => "connect",
        Stage::Tls => "agree on TLS",
        Stage::Send => "send the request",
        Stage::Read => "read the answer",
    }
}
