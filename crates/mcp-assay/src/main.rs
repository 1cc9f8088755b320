//! The command line of mcp-assay: arguments, run, render, exit code.

mod args;
mod catalogue;
mod check;
mod demo;
mod environment;
mod exit;
mod fixture;
mod output;
mod plan;
mod target;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output and are no error.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() {
                exit::COULD_NOT_JUDGE
            } else {
                exit::READY
            });
        }
    };
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            output::complain(&format!("error: {error:#}"));
            ExitCode::from(exit::COULD_NOT_JUDGE)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        None if cli.check.list_rules => catalogue::list(false),
        None => check::check(&cli.check),
        Some(Command::Demo(args)) => demo::demo(&args),
        Some(Command::Rules(args)) => catalogue::list(args.coverage),
        Some(Command::Explain { rule }) => catalogue::explain(&rule),
        Some(Command::Replay(args)) => check::replay(&args),
        Some(Command::Fixture(args)) => fixture::serve(&args),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "mcp-assay", &mut script);
            output::print(&String::from_utf8_lossy(&script))?;
            Ok(ExitCode::from(exit::READY))
        }
    }
}
