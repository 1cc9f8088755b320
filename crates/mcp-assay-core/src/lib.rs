//! Asks a running MCP server questions, records the traffic and judges it.
pub mod wire;
