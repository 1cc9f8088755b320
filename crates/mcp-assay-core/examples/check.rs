//! Checks a server and prints what became of each rule.
//!
//! ```text
//! cargo run --example check -- http://127.0.0.1:3000/mcp
//! cargo run --example check -- node dist/server.js
//! ```

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use mcp_assay_core::{Endpoint, Launch, Limits, Report, Settings, Target, check};

/// Runs on one thread: all that a check does is wait for a server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let report = ask(&words).await?;
    print(&report, &mut std::io::stdout().lock())?;
    Ok(())
}

/// Checks the server at a URL, or the one that a command starts.
///
/// A server that cannot be reached or started is a report too: its verdict says so.
pub(crate) async fn ask(words: &[String]) -> Result<Report, Box<dyn Error>> {
    let target = match words {
        [] => return Err("give a URL, or a command with its arguments".into()),
        [url] if url.starts_with("http") => Target::Http(Endpoint {
            url: url.parse()?,
            // For credentials: `("Authorization".into(), format!("Bearer {token}"))`.
            headers: Vec::new(),
            ca_cert: None,
            concurrency: 4,
        }),
        argv => Target::Stdio(Launch {
            argv: argv.to_vec(),
            cwd: None,
            // All that the server gets: it inherits nothing.
            env: vec![("PATH".to_owned(), std::env::var("PATH")?)],
        }),
    };
    let settings = Settings {
        limits: Limits {
            deadline: Duration::from_secs(30),
            ..Limits::default()
        },
        ..Settings::default()
    };
    // The transcript holds every message; `Transcript::write` keeps it for later.
    let (_transcript, report) = check(&target, &settings).await?;
    Ok(report)
}

/// The verdict, the outcome of each rule, and what to do about each finding.
pub(crate) fn print(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{:?}: {}", report.verdict, report.verdict_reason)?;
    for rule in &report.rules {
        let reason = rule.reason.as_deref().unwrap_or_default();
        writeln!(out, "{} {:?} {reason}", rule.id, rule.outcome)?;
    }
    for finding in &report.findings {
        writeln!(out, "{}: {}", finding.rule_id, finding.observed)?;
        writeln!(out, "  {:?} has to: {}", finding.remediation, finding.fix)?;
    }
    Ok(())
}
