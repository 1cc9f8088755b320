//! Runs a built-in server.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use mcp_assay_fixtures::{Era, HttpServer, Options, fault, faults, serve_stdio};

use crate::args::{FixtureArgs, FixtureEra};
use crate::{exit, output};

pub(crate) fn serve(args: &FixtureArgs) -> anyhow::Result<ExitCode> {
    if args.list {
        let mut text = String::new();
        for fault in faults() {
            text.push_str(&format!(
                "{:<36} {:<6} {}\n",
                fault.name,
                fault.rule.unwrap_or("-"),
                fault.about
            ));
        }
        output::print(&text)?;
        return Ok(ExitCode::from(exit::READY));
    }
    let known = match &args.fault {
        None => None,
        Some(name) => Some(
            fault(name)
                .with_context(|| format!("no fault is called `{name}`; --list names them"))?,
        ),
    };
    let options = Options {
        era: match args.era {
            FixtureEra::Modern => Era::Modern,
            FixtureEra::Legacy => Era::Legacy,
            FixtureEra::Dual => Era::Dual,
        },
        fault: known,
    };
    match (args.stdio, args.http) {
        (true, _) => {
            let code = serve_stdio(&options).context("serve on standard streams")?;
            Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)))
        }
        (false, Some(port)) => {
            let server = HttpServer::start(&options, port)
                .with_context(|| format!("listen on port {port} of 127.0.0.1"))?;
            output::print(&format!("listening on {}\n", server.url()))?;
            loop {
                // Ends by Ctrl-C.
                std::thread::park();
            }
        }
        (false, None) => bail!("choose a transport: --stdio or --http PORT"),
    }
}
