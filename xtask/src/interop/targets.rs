//! What can be run: `interop/targets.toml` and the folders beside it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

/// A server and how it starts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    pub(super) name: String,
    /// The folder under `interop/` that holds its lockfile.
    pub(super) unit: String,
    #[serde(default)]
    pub(super) core: bool,
    /// Program and arguments; the program is looked up in the unit.
    pub(super) command: Vec<String>,
    /// The path of the endpoint; absent for a stdio server.
    pub(super) http: Option<String>,
}

impl Target {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.unit == name
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    target: Vec<Target>,
}

pub(super) fn read(home: &Path) -> Result<Vec<Target>> {
    let path = home.join("targets.toml");
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let file: File =
        toml::from_str(&text).with_context(|| format!("reading {}", path.display()))?;
    Ok(file.target)
}

/// How the servers of a folder are installed; its lockfile tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Npm,
    Python,
    Cargo,
    Go,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Npm, Self::Python, Self::Cargo, Self::Go];

    pub(super) fn lockfile(self) -> &'static str {
        match self {
            Self::Npm => "package-lock.json",
            Self::Python => "requirements.txt",
            Self::Cargo => "Cargo.lock",
            Self::Go => "go.sum",
        }
    }

    /// The program without which nothing of this kind can be installed.
    pub(super) fn tool(self) -> &'static str {
        match self {
            Self::Npm if cfg!(windows) => "npm.cmd",
            Self::Npm => "npm",
            Self::Python if cfg!(windows) => "python",
            Self::Python => "python3",
            Self::Cargo => "cargo",
            Self::Go => "go",
        }
    }
}

/// A folder of servers that share one lockfile.
pub(super) struct Unit {
    pub(super) kind: Kind,
    /// Committed files.
    pub(super) source: PathBuf,
    /// Installed files; also the working directory of its servers.
    pub(super) work: PathBuf,
}

impl Unit {
    pub(super) fn find(home: &Path, name: &str) -> Result<Self> {
        let source = home.join(name);
        for kind in Kind::ALL {
            if source.join(kind.lockfile()).is_file() {
                return Ok(Self {
                    kind,
                    source,
                    work: home.join(".work").join(name),
                });
            }
        }
        bail!("no lockfile in {}", source.display())
    }

    /// Where the interpreter of the unit's virtual environment is.
    pub(super) fn python(&self) -> PathBuf {
        self.work.join(if cfg!(windows) {
            "venv/Scripts/python.exe"
        } else {
            "venv/bin/python"
        })
    }

    /// The program that `name` stands for in a target of this unit.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        let binary = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        match self.kind {
            Kind::Npm => PathBuf::from(name),
            Kind::Python => self.python(),
            Kind::Cargo => self.work.join("target/debug").join(binary),
            Kind::Go => self.work.join(binary),
        }
    }
}
