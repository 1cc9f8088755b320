//! Installing the servers of a unit from its lockfile.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::process;
use super::targets::{Kind, Unit};

/// A cold build of the slowest unit takes a few minutes.
const LIMIT: Duration = Duration::from_secs(900);

/// What became of a unit.
pub(super) enum Installed {
    Ready(Unit),
    /// A toolchain is missing on this machine.
    Skipped(String),
    Failed(String),
}

pub(super) fn install(unit: Unit) -> Installed {
    let tool = unit.kind.tool();
    if !process::is_installed(tool) {
        return Installed::Skipped(format!("{tool} is not installed"));
    }
    match install_with_tool(&unit) {
        Ok(()) => Installed::Ready(unit),
        Err(error) => Installed::Failed(format!("{error:#}")),
    }
}

fn install_with_tool(unit: &Unit) -> Result<()> {
    fs::create_dir_all(&unit.work).with_context(|| format!("creating {}", unit.work.display()))?;
    match unit.kind {
        Kind::Npm => from_lockfile(unit, || {
            step(
                unit,
                unit.kind.tool(),
                ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                &unit.work,
            )
        }),
        Kind::Python => from_lockfile(unit, || {
            let python = unit.python();
            step(
                unit,
                unit.kind.tool(),
                ["-m", "venv", "--clear", "venv"],
                &unit.work,
            )?;
            let pip = [
                "-m",
                "pip",
                "install",
                "--disable-pip-version-check",
                "--no-input",
            ];
            let files = [
                "--no-deps",
                "--require-hashes",
                "--requirement",
                unit.kind.lockfile(),
            ];
            step(unit, &python, pip.into_iter().chain(files), &unit.work)
        }),
        // These two know themselves what is out of date.
        Kind::Cargo => {
            let target = unit.work.join("target");
            let arguments = ["build", "--locked", "--target-dir"].map(OsStr::new);
            step(
                unit,
                "cargo",
                arguments.into_iter().chain([target.as_os_str()]),
                &unit.source,
            )
        }
        Kind::Go => {
            let out = unit.work.join("");
            let arguments = ["build", "-mod=readonly", "-o"].map(OsStr::new);
            let package = OsStr::new(".");
            step(
                unit,
                "go",
                arguments.into_iter().chain([out.as_os_str(), package]),
                &unit.source,
            )
        }
    }
}

/// Copies the unit's files and installs again only when its lockfile changed.
fn from_lockfile(unit: &Unit, install: impl FnOnce() -> Result<()>) -> Result<()> {
    copy_files(&unit.source, &unit.work)?;
    let wanted = fs::read(unit.source.join(unit.kind.lockfile()))?;
    // The lockfile itself is the stamp, written when all is in place.
    let stamp = unit.work.join("installed-lockfile");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    install()?;
    fs::write(&stamp, wanted).with_context(|| format!("writing {}", stamp.display()))
}

fn copy_files(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let copy = to.join(entry.file_name());
            fs::copy(entry.path(), &copy).with_context(|| format!("writing {}", copy.display()))?;
        }
    }
    Ok(())
}

fn step(
    unit: &Unit,
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    directory: &Path,
) -> Result<()> {
    let program = program.as_ref();
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory);
    let finished = process::run(&mut command, LIMIT, &unit.work.join("install"))?;
    ensure!(
        finished.code == Some(0),
        "{} failed: {}",
        Path::new(program).display(),
        finished.last_words()
    );
    Ok(())
}
