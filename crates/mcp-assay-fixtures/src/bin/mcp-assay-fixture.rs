//! Runs a fixture server:
//! `mcp-assay-fixture (--stdio | --http PORT [--until-eof] | --list) [--era ERA] [--fault NAME]`.

use std::io::{self, Write};
use std::process::ExitCode;

use mcp_assay_fixtures::{Era, HttpServer, Options, fault, faults, serve_stdio};

enum Mode {
    Stdio,
    Http(u16),
    List,
}

fn main() -> ExitCode {
    match run() {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            // Without stderr there is nobody to tell.
            drop(writeln!(io::stderr(), "error: {message}"));
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<u8, String> {
    let mut mode = None;
    let mut until_eof = false;
    let mut options = Options {
        era: Era::Modern,
        fault: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .ok_or_else(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "--stdio" => mode = Some(Mode::Stdio),
            "--list" => mode = Some(Mode::List),
            "--http" => {
                let port = value()?;
                mode = Some(Mode::Http(
                    port.parse().map_err(|_| format!("{port} is no port"))?,
                ));
            }
            "--until-eof" => until_eof = true,
            "--era" => {
                options.era = match value()?.as_str() {
                    "modern" => Era::Modern,
                    "legacy" => Era::Legacy,
                    "dual" => Era::Dual,
                    other => return Err(format!("{other} is no era; use modern, legacy or dual")),
                }
            }
            "--fault" => {
                let name = value()?;
                options.fault =
                    Some(fault(&name).ok_or_else(|| format!("{name} is no fault; see --list"))?);
            }
            other => return Err(format!("{other} is unknown")),
        }
    }
    let done = |result: io::Result<()>| result.map(|()| 0).map_err(|error| error.to_string());
    match mode.ok_or("use --stdio, --http PORT or --list")? {
        Mode::Stdio => {
            let status = serve_stdio(&options).map_err(|error| error.to_string())?;
            Ok(u8::try_from(status).unwrap_or(1))
        }
        Mode::Http(port) => done(serve_http(&options, port, until_eof)),
        Mode::List => done(list()),
    }
}

fn serve_http(options: &Options, port: u16, until_eof: bool) -> io::Result<()> {
    let server = HttpServer::start(options, port)?;
    let mut output = io::stdout();
    writeln!(output, "listening on {}", server.url())?;
    output.flush()?;
    if until_eof {
        io::copy(&mut io::stdin().lock(), &mut io::sink())?;
        return Ok(());
    }
    loop {
        std::thread::park();
    }
}

fn list() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for fault in faults() {
        writeln!(
            output,
            "{:<42} {:<8} {}",
            fault.name,
            fault.rule.unwrap_or("-"),
            fault.about
        )?;
    }
    Ok(())
}
