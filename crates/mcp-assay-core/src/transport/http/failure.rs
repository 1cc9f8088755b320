//! Transport failures: where, and what was tried and seen.

use std::error::Error;
use std::io;

use crate::transcript::Stage;

/// The transport failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) stage: Stage,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn new(stage: Stage, message: impl Into<String>) -> Self {
        Self {
            stage,
            message: message.into(),
        }
    }

    /// No head of an answer came.
    pub(super) fn of_head(error: &hyper::Error, reused: bool) -> Self {
        let (stage, seen) = if error.is_parse() {
            (
                Stage::Read,
                format!("what came is no HTTP/1 answer: {}", chain(error)),
            )
        } else if error.is_incomplete_message() {
            (
                Stage::Read,
                "the connection was closed before the head of an answer was complete".to_owned(),
            )
        } else {
            match io_kind(error) {
                Some(io::ErrorKind::BrokenPipe) => (
                    Stage::Send,
                    "the connection was closed while the request was written".to_owned(),
                ),
                Some(_) => (Stage::Read, chain(error)),
                None => (Stage::Send, chain(error)),
            }
        };
        let on = if reused {
            " on a reused connection"
        } else {
            ""
        };
        Self::new(
            stage,
            format!("wait for the head of the answer{on}: {seen}"),
        )
    }

    /// The answer broke off.
    pub(super) fn of_body(error: &hyper::Error, read: u64) -> Self {
        Self::new(
            Stage::Read,
            format!("read the body, {read} bytes so far: {}", chain(error)),
        )
    }
}

/// The error and its causes, outermost first, without repetition.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = cause.source();
    }
    text
}

fn io_kind(error: &hyper::Error) -> Option<io::ErrorKind> {
    let mut next = error.source();
    while let Some(cause) = next {
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            return Some(io.kind());
        }
        next = cause.source();
    }
    None
}
