//! Project tasks, run as `cargo xtask TASK`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task reports to the person who started it"
)]

mod bench;
mod docs;
mod generated;
mod interop;
mod new_rule;
mod schema;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask TASK

tasks:
  docs [--check]         make the pages of the rules and the tables that list them
  schema [--check]       make the JSON Schema of a report
  new-rule MCPnnn NAME   begin a rule (see CONTRIBUTING.md)
  bench [--write]        measure the checker against a bare client (docs/performance.md)
  interop                run the checker against servers built on real SDKs (see interop/README.md)";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next();
    let arguments: Vec<String> = arguments.collect();
    let outcome = match task.as_deref() {
        Some("docs") => docs::command(&arguments),
        Some("schema") => schema::command(&arguments),
        Some("new-rule") => new_rule::command(&arguments),
        Some("bench") => bench::command(&arguments),
        Some("interop") => interop::command(&arguments),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}
