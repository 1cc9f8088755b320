//! Short conversations where order matters. They write the transcript; they judge nothing.

mod asker;
mod auth;
mod features;
mod http;
mod stdio;

use std::time::{Duration, Instant};

use crate::transcript::view::View;
use crate::transcript::{Entry, Log, Recorder, TransportKind};
use crate::transport::Limits;

pub use features::LAST_ATTEMPT;
pub use http::run as run_http;
pub use stdio::run as run_stdio;

/// Modern requests, in the way a 2026-07-28 client sends them.
pub const MODERN: &str = "modern";
/// The legacy handshake and what follows it.
pub const LEGACY: &str = "legacy";
/// The legacy handshake with an older revision.
pub const LEGACY_OLDER: &str = "legacy-older";
/// Legacy requests without a handshake: the control for a demanded handshake.
pub const BARE: &str = "bare";
/// A process of its own whose first message is the probe.
pub const FIRST: &str = "first-message";
/// Metadata documents that the server names.
pub const METADATA: &str = "metadata";

/// True if the requests of this scenario follow a legacy handshake on the same connection.
#[must_use]
pub fn is_after_handshake(scenario: &str) -> bool {
    scenario == LEGACY || scenario == LEGACY_OLDER
}

/// Which eras to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Eras {
    /// Both.
    #[default]
    Auto,
    /// Modern requests only.
    Modern,
    /// The legacy handshake only.
    Legacy,
}

/// What a run may do.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Bounds.
    pub limits: Limits,
    /// Which eras to ask for.
    pub eras: Eras,
    /// Leave listed resources unread and listed prompts unasked.
    pub no_read: bool,
    /// Leave authorization metadata that the server names unread.
    pub no_metadata: bool,
}

/// The clock of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    end: Instant,
}

impl Clock {
    pub(crate) fn new(deadline: Duration) -> Self {
        Self {
            end: Instant::now() + deadline,
        }
    }

    /// The wait that is left, at most `wish`.
    pub(crate) fn at_most(self, wish: Duration) -> Duration {
        wish.min(self.end.saturating_duration_since(Instant::now()))
    }

    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.end
    }
}

/// An id that a server cannot guess: some send requests under ids they saw or expect.
pub(crate) fn fresh_id() -> i64 {
    // Without randomness from the system ids would be guessable, not wrong.
    let random = getrandom::u32().unwrap_or(0x2026_0728);
    i64::from(random >> 1).max(1_000_000)
}

/// Everything one side of a run needs.
#[derive(Debug, Clone)]
pub(crate) struct Run<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) recorder: &'a Recorder,
    pub(crate) clock: Clock,
}

/// What several sides of a run recorded so far, as one view.
pub(crate) fn look<T>(
    transport: TransportKind,
    logs: &[Log],
    look: impl FnOnce(&View<'_>) -> T,
) -> T {
    let entries: Vec<Entry> = logs.iter().flat_map(Log::snapshot).collect();
    look(&View::new(transport, &entries))
}
