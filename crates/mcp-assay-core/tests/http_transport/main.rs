//! The HTTP transport against real sockets that answer in every wrong way.

mod answers;
mod bounds;
mod fetching;
mod fixture;
mod requests;
mod server;
mod streams;
mod tls;
