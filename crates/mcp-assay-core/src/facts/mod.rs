//! What others build on: pure functions of the transcript, each owned by one rule.

mod answers;
mod discover;
mod envelope;
mod era;
mod reach;

pub(crate) use answers::gap_words;
pub use answers::{Answer, base_answers, base_errors, describe};
pub use discover::{DISCOVER_USABLE, DiscoverResult, capability, discover_result, is_flag};
pub use envelope::{
    ENDPOINT, HEADER_PAIRS, HEADERS_ACCEPTED, META_ACCEPTED, META_PAIRS, Pair, legacy_sse_exchange,
    refused_pair,
};
pub use era::{
    MODERN_SERVICE, REVISION_SERVED, era, legacy_negotiated, modern_proof, offered_versions,
    refusal_of_all, refused_version, revisions,
};
pub use reach::{Reach, reach};

use crate::transcript::view::Fact;

/// All facts, for tests and docs.
pub static FACTS: &[&Fact] = &[
    &ENDPOINT,
    &REVISION_SERVED,
    &MODERN_SERVICE,
    &META_ACCEPTED,
    &HEADERS_ACCEPTED,
    &DISCOVER_USABLE,
];
