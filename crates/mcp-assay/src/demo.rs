//! Four built-in servers, one after the other: what the answers look like.

use std::io::IsTerminal as _;
use std::net::TcpListener;
use std::process::ExitCode;

use anyhow::Context as _;
use mcp_assay_core::render::{Format, render};
use mcp_assay_core::{Endpoint, Launch, Selection, Settings, Target, build, record};

use crate::args::DemoArgs;
use crate::{check, exit, output};

/// What is shown, and the arguments of the built-in server.
const SERVERS: [(&str, &[&str]); 3] = [
    ("a correct server", &["--era", "dual"]),
    ("a legacy server", &["--era", "legacy"]),
    (
        "a server that forgot what its results must carry",
        &["--fault", "cache-hints-missing-on-tools-list"],
    ),
];

pub(crate) fn demo(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let program = std::env::current_exe().context("find our own program")?;
    let terminal = std::io::stdout().is_terminal();
    let options = output::text_options(args.verbose, args.no_color, terminal);
    let runtime = check::runtime()?;
    let mut targets: Vec<(&str, Target)> = SERVERS
        .into_iter()
        .map(|(title, flags)| {
            let mut argv = vec![program.to_string_lossy().into_owned()];
            argv.extend(["fixture", "--stdio"].map(str::to_owned));
            argv.extend(flags.iter().map(|flag| (*flag).to_owned()));
            let launch = Launch {
                argv,
                cwd: None,
                env: Vec::new(),
            };
            (title, Target::Stdio(launch))
        })
        .collect();
    targets.push(("a server that is not there", Target::Http(nobody()?)));
    for (title, target) in targets {
        let mut transcript = runtime.block_on(record(&target, &Settings::default(), &[]))?;
        // The place of this program is nobody's concern.
        if let Target::Stdio(launch) = &target {
            transcript.header.target = format!("mcp-assay {}", launch.argv[1..].join(" "));
        }
        let report = build(&transcript, &Selection::default(), args.verbose);
        output::print(&format!("== {title}\n\n"))?;
        output::print(&render(&report, Format::Text, &options))?;
        output::print("\n")?;
    }
    Ok(ExitCode::from(exit::READY))
}

/// A port of this machine where nobody listens: it was free a moment ago.
fn nobody() -> anyhow::Result<Endpoint> {
    let port = TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .context("find a free port")?
        .port();
    Ok(Endpoint {
        url: url::Url::parse(&format!("http://127.0.0.1:{port}/mcp"))?,
        headers: Vec::new(),
        ca_cert: None,
        concurrency: 1,
    })
}
