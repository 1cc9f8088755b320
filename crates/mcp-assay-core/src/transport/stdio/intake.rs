//! What the server writes: lines on stdout, anything on stderr.

use std::borrow::Cow;

use tokio::io::{AsyncRead, AsyncReadExt};

use super::super::Limits;
use super::shared::Shared;
use super::tree::Tree;
use crate::transcript::{Data, Ending, Event, Framing, Stage};
use crate::wire::lines::{Line, LineSplitter};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// What is kept of a line that is longer than the bound: it proves nothing but its length.
const HEAD: usize = 1024;

/// A flood: this many times the bound of a stream was dropped.
const FLOOD: u64 = 4;

/// What a line costs beyond its bytes, so that endless empty lines are a flood before long too.
const LINE_COST: u64 = 64;

/// The bounds of one connection, and how much of them is used up.
#[derive(Debug)]
pub(super) struct Bounds {
    line: usize,
    entries: usize,
    bytes: u64,
    recorded: usize,
    kept: u64,
    /// What was read, each line with its [`LINE_COST`].
    spent: u64,
    reached: bool,
    empty_seen: bool,
}

impl Bounds {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            line: limits.message,
            entries: limits.entries,
            bytes: limits.stream as u64,
            recorded: 0,
            kept: 0,
            spent: 0,
            reached: false,
            empty_seen: false,
        }
    }

    /// True if an entry of this size may be recorded. Records once that a bound was reached.
    fn admit(&mut self, size: usize, shared: &Shared) -> bool {
        let size = size as u64;
        if self.reached {
            return false;
        }
        let bound = if self.recorded == self.entries {
            format!("{} lines of one process", self.entries)
        } else if self.kept + size > self.bytes {
            format!("{} bytes of one process", self.bytes)
        } else {
            self.recorded += 1;
            self.kept += size;
            return true;
        };
        self.reached = true;
        shared.record(None, Event::Bound(Cow::Owned(bound)));
        false
    }

    /// True if so much was read in vain that reading on makes no sense.
    fn is_flooded(&self) -> bool {
        self.spent - self.kept > FLOOD * self.bytes + self.line as u64
    }
}

/// Reads stdout to its end, or until it turns out to be a flood: then the tree is killed.
pub(super) async fn read_stdout(
    mut stdout: impl AsyncRead + Unpin,
    shared: &Shared,
    tree: &Tree,
    mut bounds: Bounds,
) {
    let mut splitter = LineSplitter::new(bounds.line);
    let mut chunk = vec![0; CHUNK];
    let mut total: u64 = 0;
    let failure = loop {
        match stdout.read(&mut chunk).await {
            Ok(0) => break None,
            Ok(read) => {
                total += read as u64;
                bounds.spent += read as u64;
                splitter.push(&chunk[..read], &mut |line| {
                    bounds.spent += LINE_COST;
                    take(line, shared, &mut bounds);
                });
            }
            Err(error) => break Some(format!("read stdout: {error}")),
        }
        if bounds.is_flooded() {
            if let Some(line) = splitter.finish() {
                take(line, shared, &mut bounds);
            }
            let flood = format!("{total} bytes on stdout, most of them dropped: a flood");
            shared.record(None, Event::Bound(Cow::Owned(flood)));
            shared.record(None, Event::Stopped(Ending::Killed));
            tree.kill();
            return;
        }
    };
    let failure = match splitter.finish() {
        Some(line) => {
            let length = line.length;
            take(line, shared, &mut bounds);
            failure.or_else(|| {
                Some(format!(
                    "read stdout: it ended inside a line, {length} bytes without a newline"
                ))
            })
        }
        None => failure,
    };
    if let Some(message) = failure {
        let stage = Stage::Read;
        shared.record(None, Event::Failed { stage, message });
    }
    shared.end_stdout();
    shared.record(None, Event::Eof);
}

/// Records a line, and matches it to a question if the server ended it with a newline.
fn take(line: Line, shared: &Shared, bounds: &mut Bounds) {
    // One empty line is evidence that they occur; more of them say nothing new.
    if line.length == 0 && std::mem::replace(&mut bounds.empty_seen, true) {
        return;
    }
    let mut bytes = line.bytes;
    if line.truncated {
        bytes.truncate(HEAD);
        bytes.shrink_to_fit();
    }
    if !bounds.admit(bytes.len(), shared) {
        return;
    }
    let length = line.length;
    let data = Data { bytes, length };
    if line.terminated {
        shared.receive(data);
    } else {
        shared.record(None, received(data));
    }
}

pub(super) fn received(data: Data) -> Event {
    Event::Received {
        framing: Framing::Line,
        name: None,
        data,
    }
}

/// Reads stderr to its end; the newest of it is kept.
pub(super) async fn read_stderr(mut stderr: impl AsyncRead + Unpin, shared: &Shared) {
    let mut chunk = vec![0; CHUNK / 8];
    while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
        shared.keep_stderr(&chunk[..read]);
    }
}
