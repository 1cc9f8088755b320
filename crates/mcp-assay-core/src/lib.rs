//! Asks a running MCP server questions, records the traffic, judges it against revision 2026-07-28
//! and says who has to fix what.
//!
//! Four steps, one direction: ask, record, judge, render.
//!
//! ```no_run
//! use mcp_assay_core::{Launch, Settings, Target, check};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let target = Target::Stdio(Launch {
//!     argv: vec!["node".into(), "dist/server.js".into()],
//!     cwd: None,
//!     env: vec![("PATH".into(), std::env::var("PATH")?)],
//! });
//! let (_transcript, report) = check(&target, &Settings::default()).await?;
//! for rule in &report.rules {
//!     println!("{} {:?}", rule.id, rule.outcome);
//! }
//! # Ok(())
//! # }
//! ```

mod engine;
pub mod facts;
pub mod probe;
pub mod protocol;
pub mod render;
pub mod report;
pub mod requirements;
pub mod rules;
mod run;
pub mod scenario;
pub mod transcript;
pub mod transport;
pub mod wire;

pub use engine::{Outcome, Selection, UnknownRule, judge};
pub use report::{Report, build};
pub use run::{Secret, SetupError, Target, check, record};
pub use scenario::{Eras, Settings};
pub use transcript::Transcript;
pub use transport::{Endpoint, Launch, Limits};
