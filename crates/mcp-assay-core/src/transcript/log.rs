//! The recorder: secrets out, bounds kept, entries in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::event::{Data, Entry, Event, Key};
use super::redact::Redactor;

/// Bytes of message content a transcript keeps; beyond, a message keeps only its head.
pub const KEPT_BYTES: usize = 32 * 1024 * 1024;

/// What a message keeps of its content once [`KEPT_BYTES`] is used up.
const HEAD_BYTES: usize = 1024;

/// Shared by all connections of a run: the clock, the secrets and the budget.
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    start: Instant,
    redactor: Redactor,
    kept: AtomicUsize,
    limit: usize,
}

impl Recorder {
    /// A recorder whose clock starts now and which keeps at most `limit` bytes of content.
    #[must_use]
    pub fn new(redactor: Redactor, limit: usize) -> Self {
        Self {
            shared: Arc::new(Shared {
                start: Instant::now(),
                redactor,
                kept: AtomicUsize::new(0),
                limit,
            }),
        }
    }

    /// A log for one connection, or for one HTTP exchange on it.
    #[must_use]
    pub fn log(&self, conn: u32) -> Log {
        Log {
            shared: Arc::clone(&self.shared),
            conn,
            entries: Arc::default(),
        }
    }
}

/// The entries of one connection, in the order they happened. Clones write to the same log.
#[derive(Debug, Clone)]
pub struct Log {
    shared: Arc<Shared>,
    conn: u32,
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Log {
    /// Records an event now. Secrets are replaced and bounds applied before it is kept.
    pub fn push(&self, key: Option<&Key>, event: Event) {
        let event = self.bounded(self.shared.redactor.event(event));
        let entry = Entry {
            conn: self.conn,
            key: key.cloned(),
            at: self.shared.start.elapsed(),
            event,
        };
        self.lock().push(entry);
    }

    /// Takes over what another log of the run holds, in its order.
    pub fn append(&self, other: &Log) {
        let taken = std::mem::take(&mut *other.lock());
        self.lock().extend(taken);
    }

    /// What was recorded so far.
    #[must_use]
    pub fn snapshot(&self) -> Vec<Entry> {
        self.lock().clone()
    }

    /// An empty log on the same connection, to be appended later: HTTP exchanges that overlap are
    /// recorded apart, so that the transcript's order is the plan's.
    #[must_use]
    pub fn fork(&self) -> Log {
        Log {
            shared: Arc::clone(&self.shared),
            conn: self.conn,
            entries: Arc::default(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        // A panic in another holder leaves a whole Vec behind: entries are pushed in one step.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bounded(&self, mut event: Event) -> Event {
        if let Event::Sent { data, .. } | Event::Received { data, .. } | Event::Stderr(data) =
            &mut event
        {
            self.charge(data);
        }
        event
    }

    fn charge(&self, data: &mut Data) {
        let size = data.bytes.len();
        let before = self.shared.kept.fetch_add(size, Ordering::Relaxed);
        if before + size > self.shared.limit && size > HEAD_BYTES {
            data.bytes.truncate(HEAD_BYTES);
            data.bytes.shrink_to_fit();
            self.shared
                .kept
                .fetch_sub(size - HEAD_BYTES, Ordering::Relaxed);
        }
    }
}
