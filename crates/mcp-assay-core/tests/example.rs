//! The documented example, run on real servers.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../examples/check.rs"]
#[expect(dead_code, reason = "its `main` reads the command line")]
mod check;

use mcp_assay_core::report::Verdict;
use mcp_assay_fixtures::{Era, HttpServer, Options, fault};

fn checked(words: &[String]) -> (Verdict, String) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let report = runtime.block_on(check::ask(words)).unwrap();
    let mut out = Vec::new();
    check::print(&report, &mut out).unwrap();
    (report.verdict, String::from_utf8(out).unwrap())
}

#[test]
fn the_example_tells_correct_from_broken() {
    for (name, verdict, line) in [
        (None, Verdict::Ready, "MCP005 Pass"),
        (Some("ttl-missing"), Verdict::NotReady, "MCP005 Fail"),
    ] {
        let options = Options {
            era: Era::Dual,
            fault: name.and_then(fault),
        };
        let server = HttpServer::start(&options, 0).unwrap();
        let (found, printed) = checked(&[server.url()]);
        assert_eq!(found, verdict, "{printed}");
        assert!(printed.contains(line), "{printed}");
    }
}

#[test]
fn the_example_reports_a_program_that_is_not_there() {
    let (verdict, printed) = checked(&["no-such-program".to_owned()]);
    assert_eq!(verdict, Verdict::Unreachable, "{printed}");
}

#[test]
fn the_example_asks_for_a_server() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    assert!(runtime.block_on(check::ask(&[])).is_err());
}
