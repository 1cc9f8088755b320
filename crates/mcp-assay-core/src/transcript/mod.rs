//! The event log of a run: what was sent, what came back, what happened besides.

mod event;
mod exchanges;
mod file;
mod log;
mod redact;
pub mod view;

pub use event::{Data, Ending, Entry, Event, Framing, Gap, Key, RequestHead, Stage};
pub use file::{FORMAT, Header, ReadError, Transcript, TransportKind};
pub use log::{KEPT_BYTES, Log, Recorder};
pub use redact::Redactor;
