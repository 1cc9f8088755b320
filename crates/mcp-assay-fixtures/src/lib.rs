//! MCP reference servers on raw pipes and sockets.
//!
//! A correct server for each era, and a table of named [`Fault`]s, each of which makes
//! one of them wrong in exactly one way (or unusual in a permitted way, or hostile).
//! Nothing here uses an SDK: the servers must be able to send what no SDK would.
//!
//! ```no_run
//! use mcp_assay_fixtures::{Era, HttpServer, Options, fault};
//!
//! let options = Options { era: Era::Modern, fault: fault("ttl-missing") };
//! let server = HttpServer::start(&options, 0)?;
//! assert!(server.url().ends_with("/mcp"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod base64;
mod catalog;
mod fault;
mod faults;
mod features;
mod http;
mod legacy;
mod message;
mod modern;
mod server;
mod stdio;

pub use fault::{Era, Expect, Fault, Kind};
pub use faults::{fault, faults};
pub use http::HttpServer;
pub use server::Options;
pub use stdio::serve_stdio;
