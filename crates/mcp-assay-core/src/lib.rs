//! Asks a running MCP server questions, records the traffic and judges it.
pub mod protocol;
pub mod render;
pub mod report;
pub mod transcript;
pub mod transport;
pub mod wire;
