//! One checker run against one server.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::Observed;
use super::process::{self, Group};
use super::targets::{Target, Unit};

/// The checker's own deadline is 120 s; past this it hangs.
const CHECKER_LIMIT: Duration = Duration::from_secs(150);
const LISTEN_LIMIT: Duration = Duration::from_secs(60);
const BUILD_LIMIT: Duration = Duration::from_secs(1_800);

/// Builds the checker and returns its path.
pub(super) fn build_checker() -> Result<PathBuf> {
    let log = std::env::temp_dir().join(format!("mcp-assay-build-{}", std::process::id()));
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--package", "mcp-assay", "--bin", "mcp-assay"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    let built = process::run(&mut cargo, BUILD_LIMIT, &log)?;
    ensure!(
        built.code == Some(0),
        "building the checker failed: {}",
        built.last_words()
    );
    built
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)))
        .next_back()
        .context("cargo named no executable")
}

/// Runs the checker against a server and reads its report.
pub(super) fn run(checker: &Path, unit: &Unit, target: &Target) -> Result<Observed> {
    let (name, arguments) = target
        .command
        .split_first()
        .context("the command is empty")?;
    let program = unit.program(name);
    let log = process::log(&unit.work, &target.name);
    let mut command = Command::new(checker);
    command.args(["--format", "json"]).current_dir(&unit.work);
    let _server = match &target.http {
        None => {
            command.arg("--").arg(program).args(arguments);
            None
        }
        Some(path) => {
            let port = process::free_port()?;
            let mut server = Command::new(program);
            server
                .args(arguments)
                .env("PORT", port.to_string())
                .current_dir(&unit.work);
            let (out, err) = (
                log.with_extension("server-out"),
                log.with_extension("server-err"),
            );
            let mut group = Group::start(&mut server, &out, &err)?;
            group.wait_for_port(port, LISTEN_LIMIT)?;
            command.arg(format!("http://127.0.0.1:{port}{path}"));
            Some(group)
        }
    };
    let finished = process::run(&mut command, CHECKER_LIMIT, &log)?;
    Observed::read(&finished.stdout, finished.code).with_context(|| {
        format!(
            "no readable report (exit {:?}): {}",
            finished.code,
            finished.last_words()
        )
    })
}
