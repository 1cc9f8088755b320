//! The HTTP transport against real sockets that answer in every wrong way.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its server must fail"
)]

mod answers;
mod bounds;
mod fetching;
mod fixture;
mod requests;
mod server;
mod streams;
mod tls;
