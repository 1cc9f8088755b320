//! Reads what came off the wire and notes what is odd; never repairs.
//!
//! Everything here is pure, synchronous and bounded: whatever bytes a server sends, memory stays
//! within limits the caller names, and nothing panics. A reader says what it saw and leaves the
//! judgement to the rules.

mod bounded;
pub mod command;
pub mod header;
pub mod json;
pub mod lines;
pub mod message;
pub mod sse;
pub mod www_authenticate;
