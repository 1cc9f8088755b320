//! What can happen on a connection, as plain data.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::file::{Kept, micros};

/// Bytes as they were seen, or the head of them where a bound was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Kept", try_from = "Kept")]
pub struct Data {
    /// What was kept.
    pub bytes: Vec<u8>,
    /// How many bytes there were.
    pub length: u64,
}

impl Data {
    /// Everything was kept.
    #[must_use]
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let length = bytes.len() as u64;
        Self { bytes, length }
    }

    /// True where a bound cut the bytes short: then they prove nothing about their content.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.length > self.bytes.len() as u64
    }
}

/// How a received message was framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Framing {
    /// A line on stdout, without its line ending.
    Line,
    /// A whole HTTP body.
    Body,
    /// The data of one server-sent event; its name is in [`Event::Received::name`].
    SseEvent,
}

/// Where a transport failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stage {
    /// The program could not be started.
    Launch,
    /// The name did not resolve.
    Resolve,
    /// Nobody accepts connections there.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The request could not be written.
    Send,
    /// The answer broke off or was no HTTP.
    Read,
}

/// How we ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ending {
    /// Its stdin was closed.
    StdinClosed,
    /// The tree was asked to terminate.
    Terminated,
    /// The tree was killed.
    Killed,
}

/// Head of an HTTP request as sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestHead {
    /// The HTTP method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// Headers in the order sent.
    pub headers: Vec<(String, String)>,
}

/// Why something is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Gap {
    /// The run did not ask.
    NotAsked,
    /// It was asked, and no usable answer came; says what came instead.
    NoAnswer(Cow<'static, str>),
    /// It would need the user's consent.
    NeedsConsent(Cow<'static, str>),
    /// The user left it out.
    Skipped(Cow<'static, str>),
    /// The rule with this id explains it.
    Because(Cow<'static, str>),
    /// It makes no sense for this server: the feature is not declared, the transport lacks it.
    NotOffered(Cow<'static, str>),
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event {
    /// A process was started or a client set up: argv or URL.
    Opened(Vec<String>),
    /// A message was written.
    Sent {
        /// Present on HTTP.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        head: Option<RequestHead>,
        /// The line without its newline, or the body.
        data: Data,
    },
    /// The head of an HTTP response. Header values hold one char per byte.
    Head {
        /// The status code.
        status: u16,
        /// Headers in the order received.
        headers: Vec<(String, String)>,
    },
    /// A message arrived.
    Received {
        /// How it was framed.
        framing: Framing,
        /// The name of a server-sent event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Its bytes.
        data: Data,
    },
    /// The process wrote to stderr (a piece, in order; bounded).
    Stderr(Data),
    /// The wait for the keyed request ended without an answer.
    TimedOut(#[serde(with = "micros")] Duration),
    /// stdout was closed, or the HTTP body ended.
    Eof,
    /// The process ended by itself: its exit code, or none if a signal ended it.
    Exited(Option<i32>),
    /// We ended the process.
    Stopped(Ending),
    /// The transport failed; not evidence about conformance.
    Failed {
        /// Where.
        stage: Stage,
        /// What was tried and seen.
        message: String,
    },
    /// A bound was reached and the rest was dropped: names the bound.
    Bound(Cow<'static, str>),
    /// The keyed probe was left out, and why.
    Skipped(Gap),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// Which question an entry belongs to. Orders the transcript and survives replay.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The scenario that asked.
    pub scenario: Cow<'static, str>,
    /// The probe.
    pub probe: Cow<'static, str>,
    /// Which of several targets, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub item: u16,
    /// Which page of a list, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub page: u16,
    /// Which repetition, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempt: u16,
}

impl Key {
    /// The first question of a probe in a scenario.
    #[must_use]
    pub const fn new(scenario: &'static str, probe: &'static str) -> Self {
        Self {
            scenario: Cow::Borrowed(scenario),
            probe: Cow::Borrowed(probe),
            item: 0,
            page: 0,
            attempt: 0,
        }
    }

    /// The same question about another target.
    #[must_use]
    pub fn item(mut self, item: u16) -> Self {
        self.item = item;
        self
    }

    /// The same question for another page.
    #[must_use]
    pub fn page(mut self, page: u16) -> Self {
        self.page = page;
        self
    }

    /// The same question once more.
    #[must_use]
    pub fn attempt(mut self, attempt: u16) -> Self {
        self.attempt = attempt;
        self
    }
}

/// One line of the transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Which connection: a process on stdio, a client on HTTP.
    pub conn: u32,
    /// The question it belongs to, where that is known when it happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// Time since the run began.
    #[serde(with = "micros")]
    pub at: Duration,
    /// What happened.
    pub event: Event,
}
