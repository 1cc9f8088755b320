//! What the handle of a process and its tasks share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::super::{Arrival, Limits, Outgoing, Until};
use crate::protocol::{meta, method};
use crate::transcript::{Data, Event, Key, Log};
use crate::wire::json;
use crate::wire::message::{Message, classify};

/// How far the process is on its way; only ever goes forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Answers may come.
    Open,
    /// Nothing more will come; the process may live on.
    Gone,
    /// The process exited, and that is recorded.
    Exited,
    /// The tree is gone and everything is recorded.
    Ended,
}

#[derive(Debug)]
pub(super) struct Shared {
    log: Log,
    json: json::Limits,
    /// True once the handle was dropped: what happens then is of our making.
    muted: AtomicBool,
    stdout_ended: AtomicBool,
    phase: watch::Sender<Phase>,
    asked: Mutex<Vec<Asked>>,
    stderr: Mutex<Ring>,
}

/// A message that was sent. Kept, so that late and repeated answers are recognised too.
#[derive(Debug)]
struct Asked {
    id: Option<Value>,
    key: Key,
    until: Until,
    /// Present while somebody waits.
    end: Option<oneshot::Sender<Arrival>>,
}

impl Asked {
    fn is_pending(&self) -> bool {
        self.id.is_some() && self.end.as_ref().is_some_and(|end| !end.is_closed())
    }

    fn resolve(&mut self, arrival: Arrival) {
        if let Some(end) = self.end.take() {
            // Nobody may wait any more, which is fine.
            let _ = end.send(arrival);
        }
    }
}

impl Shared {
    pub(super) fn new(log: Log, limits: &Limits) -> Self {
        Self {
            log,
            json: json::Limits {
                nodes: limits.nodes,
                depth: limits.depth,
            },
            muted: AtomicBool::new(false),
            stdout_ended: AtomicBool::new(false),
            phase: watch::Sender::new(Phase::Open),
            asked: Mutex::default(),
            stderr: Mutex::new(Ring::new(limits.stderr)),
        }
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    pub(super) fn record(&self, key: Option<&Key>, event: Event) {
        if !self.muted.load(Ordering::Acquire) {
            self.log.push(key, event);
        }
    }

    pub(super) fn mute(&self) {
        self.muted.store(true, Ordering::Release);
    }

    pub(super) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    pub(super) fn stdout_ended(&self) -> bool {
        self.stdout_ended.load(Ordering::Acquire)
    }

    pub(super) fn end_stdout(&self) {
        self.stdout_ended.store(true, Ordering::Release);
    }

    /// Goes to a later phase. From [`Phase::Gone`] on, whoever waits is told.
    pub(super) fn advance(&self, to: Phase) {
        let mut asked = lock(&self.asked);
        self.phase.send_if_modified(|phase| {
            let forward = to > *phase;
            *phase = to.max(*phase);
            forward
        });
        for one in asked.iter_mut() {
            one.resolve(Arrival::Gone);
        }
    }

    /// Waits at most `limit` for a phase; true if it was reached.
    pub(super) async fn reached(&self, wanted: Phase, limit: Duration) -> bool {
        let mut phase = self.phase.subscribe();
        let reached = phase.wait_for(|phase| *phase >= wanted);
        timeout(limit, reached).await.is_ok()
    }

    /// Expects an answer to a message about to be sent; the number is for [`Shared::resolve`].
    pub(super) fn ask(&self, out: &Outgoing) -> (usize, oneshot::Receiver<Arrival>) {
        let (end, wait) = oneshot::channel();
        let mut one = Asked {
            id: out.id.clone(),
            key: out.key.clone(),
            until: out.until,
            end: Some(end),
        };
        let mut asked = lock(&self.asked);
        // Under the lock that `advance` holds, so that no ticket is missed.
        if self.phase() >= Phase::Gone {
            one.resolve(Arrival::Gone);
        }
        asked.push(one);
        (asked.len() - 1, wait)
    }

    pub(super) fn resolve(&self, number: usize, arrival: Arrival) {
        if let Some(one) = lock(&self.asked).get_mut(number) {
            one.resolve(arrival);
        }
    }

    /// Records a line with the key of the message it answers, if it does, and ends that wait.
    pub(super) fn receive(&self, data: Data) {
        let answered = self.answered(&data);
        let key = answered.map(|number| lock(&self.asked)[number].key.clone());
        self.record(key.as_ref(), super::intake::received(data));
        if let Some(number) = answered {
            self.resolve(number, Arrival::Answered);
        }
    }

    /// Which message this line answers. Shape comes before the id: a request of the server's may
    /// carry an id of ours and answers nothing.
    fn answered(&self, data: &Data) -> Option<usize> {
        if data.is_cut() {
            return None;
        }
        let document = json::read(&data.bytes, self.json).ok()?;
        let asked = lock(&self.asked);
        let with_id = |id: &Value| asked.iter().position(|one| one.id.as_ref() == Some(id));
        match classify(&document.value) {
            Message::Success { id: Some(id), .. } | Message::Failure { id: Some(id), .. } => {
                with_id(id)
            }
            // An error without an id answers the only open question: nothing better will come.
            Message::Failure { id: None, .. } => {
                let mut pending = asked.iter().enumerate().filter(|(_, one)| one.is_pending());
                let (number, _) = pending.next()?;
                pending.next().is_none().then_some(number)
            }
            Message::Notification {
                method: method::ACKNOWLEDGED,
                params: Some(params),
            } => {
                let number = with_id(params.get("_meta")?.get(meta::SUBSCRIPTION_ID)?)?;
                (asked[number].until == Until::Acknowledged).then_some(number)
            }
            _ => None,
        }
    }

    pub(super) fn keep_stderr(&self, bytes: &[u8]) {
        lock(&self.stderr).push(bytes);
    }

    /// Records what was kept of stderr, once.
    pub(super) fn record_stderr(&self) {
        if let Some(data) = lock(&self.stderr).take() {
            self.record(None, Event::Stderr(data));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every holder leaves a whole value behind, also when it panics.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The newest bytes of a stream.
#[derive(Debug)]
struct Ring {
    kept: std::collections::VecDeque<u8>,
    limit: usize,
    length: u64,
}

impl Ring {
    fn new(limit: usize) -> Self {
        Self {
            kept: std::collections::VecDeque::new(),
            limit,
            length: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let newest = &bytes[bytes.len().saturating_sub(self.limit)..];
        let excess = (self.kept.len() + newest.len()).saturating_sub(self.limit);
        self.kept.drain(..excess);
        self.kept.extend(newest);
    }

    /// Empties the ring. Where older bytes were lost it begins with a whole line, if it holds one.
    fn take(&mut self) -> Option<Data> {
        let length = std::mem::take(&mut self.length);
        let mut bytes = Vec::from(std::mem::take(&mut self.kept));
        if length > bytes.len() as u64 {
            let begin = bytes.iter().position(|byte| *byte == b'\n');
            if let Some(begin) = begin.filter(|at| at + 1 < bytes.len()) {
                bytes.drain(..=begin);
            }
        }
        (length > 0).then_some(Data { bytes, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_keeps_the_newest_lines() {
        let mut ring = Ring::new(10);
        assert_eq!(ring.take(), None);
        ring.push(b"one\n");
        ring.push(b"two\n");
        assert_eq!(ring.take(), Some(Data::whole(*b"one\ntwo\n")));

        ring.push(b"three\nfour\nfive\n");
        let data = ring.take().unwrap();
        assert_eq!((data.bytes.as_slice(), data.length), (&b"five\n"[..], 16));

        ring.push(b"0123456789abcdef");
        ring.push(b"g");
        let data = ring.take().unwrap();
        assert_eq!(
            (data.bytes.as_slice(), data.length),
            (&b"789abcdefg"[..], 17)
        );
    }
}
