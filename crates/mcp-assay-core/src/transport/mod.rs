//! Carries bytes and reports what happened. Never repairs, never retries silently.

pub mod http;
pub mod stdio;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::transcript::Key;

/// Bounds of a run (all enforced while reading, not after).
#[derive(Debug, Clone)]
pub struct Limits {
    /// One line on stdout, or one HTTP body, in bytes.
    pub message: usize,
    /// One SSE stream, in bytes.
    pub stream: usize,
    /// Nodes of one JSON document.
    pub nodes: usize,
    /// Nesting of one JSON document.
    pub depth: usize,
    /// stderr kept per process, in bytes (the newest).
    pub stderr: usize,
    /// Entries recorded of one connection; what comes after is dropped and noted once.
    pub entries: usize,
    /// Pages of one list.
    pub pages: u16,
    /// Wait for the answer to one request.
    pub request: Duration,
    /// Wait for the first answer of a spawned server.
    pub first_answer: Duration,
    /// The whole run.
    pub deadline: Duration,
    /// Message content kept in the transcript, in bytes.
    pub kept: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 16 * 1024 * 1024,
            stream: 16 * 1024 * 1024,
            nodes: 250_000,
            depth: 128,
            stderr: 64 * 1024,
            entries: 10_000,
            pages: 1000,
            request: Duration::from_secs(10),
            first_answer: Duration::from_secs(30),
            deadline: Duration::from_secs(120),
            kept: crate::transcript::KEPT_BYTES,
        }
    }
}

/// How to start a server on stdio.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Program and arguments; never a shell line.
    pub argv: Vec<String>,
    /// Working directory.
    pub cwd: Option<PathBuf>,
    /// The whole environment of the child: it inherits nothing else.
    pub env: Vec<(String, String)>,
}

/// Where a server on HTTP is, and how to reach it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The MCP endpoint.
    pub url: url::Url,
    /// Headers the user adds to every request, in order.
    pub headers: Vec<(String, String)>,
    /// A PEM file with further certificate authorities.
    pub ca_cert: Option<PathBuf>,
    /// Requests in flight at once.
    pub concurrency: usize,
}

/// A message ready to be sent.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// The question it asks.
    pub key: Key,
    /// The id an answer will carry; none for notifications and bodiless requests.
    pub id: Option<Value>,
    /// The encoded message, without a newline; empty for a bodiless HTTP request.
    pub body: Vec<u8>,
    /// The HTTP method.
    pub http_method: &'static str,
    /// Headers in the order to send, the user's own not included.
    pub headers: Vec<(String, String)>,
    /// What ends the wait.
    pub until: Until,
}

/// What ends the wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The response that carries the request's id (on HTTP: the end of the answer).
    Response,
    /// The response, or `notifications/subscriptions/acknowledged` for this request; on HTTP the
    /// stream is closed then, which cancels the subscription.
    Acknowledged,
    /// The head of the HTTP response and the first event, if it is a stream and that comes within
    /// two seconds.
    FirstEvent,
    /// Nothing: a notification.
    Sent,
}

/// How the wait for an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// What was waited for arrived.
    Answered,
    /// Nothing arrived in time.
    Silent,
    /// The connection is gone, or the transport failed.
    Gone,
}
