//! Child processes: every wait is bounded, every group is ended.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

const POLL: Duration = Duration::from_millis(20);

/// What a program left behind.
pub(super) struct Finished {
    /// `None` when it was ended by a signal.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Finished {
    /// The end of what it wrote to stderr or, if nothing, to stdout.
    pub(super) fn last_words(&self) -> String {
        let text = if self.stderr.trim().is_empty() {
            &self.stdout
        } else {
            &self.stderr
        };
        let lines: Vec<&str> = text.trim().lines().collect();
        lines[lines.len().saturating_sub(5)..].join(" | ")
    }
}

/// Runs a program to its end, or ends its group after `limit`.
///
/// Its output goes to `LOG.out` and `LOG.err`, which stay for the reader.
pub(super) fn run(command: &mut Command, limit: Duration, log: &Path) -> Result<Finished> {
    let (out, err) = (log.with_extension("out"), log.with_extension("err"));
    let mut group = Group::start(command, &out, &err)?;
    let deadline = Instant::now() + limit;
    let status = loop {
        if let Some(status) = group.child.try_wait()? {
            break status;
        }
        if Instant::now() >= deadline {
            bail!("{} still ran after {limit:?}", group.name);
        }
        std::thread::sleep(POLL);
    };
    Ok(Finished {
        code: status.code(),
        stdout: read_lossy(&out)?,
        stderr: read_lossy(&err)?,
    })
}

fn read_lossy(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A process group that ends with this value.
pub(super) struct Group {
    child: Child,
    name: String,
}

impl Group {
    /// Starts a program in a group of its own, without input.
    pub(super) fn start(command: &mut Command, out: &Path, err: &Path) -> Result<Self> {
        let create = |path: &Path| {
            File::create(path).with_context(|| format!("creating {}", path.display()))
        };
        command
            .stdin(Stdio::null())
            .stdout(create(out)?)
            .stderr(create(err)?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command
            .spawn()
            .with_context(|| format!("starting {name}"))?;
        Ok(Self { child, name })
    }

    /// Waits until the program listens on a port of the loopback address.
    pub(super) fn wait_for_port(&mut self, port: u16, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        loop {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("{} ended before it listened: {status}", self.name);
            }
            if Instant::now() >= deadline {
                bail!(
                    "{} did not listen on port {port} within {limit:?}",
                    self.name
                );
            }
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let id = self.child.id();
        let mut kill = if cfg!(windows) {
            let mut kill = Command::new("taskkill");
            kill.args(["/T", "/F", "/PID", &id.to_string()]);
            kill
        } else {
            let mut kill = Command::new("kill");
            kill.args(["-KILL", "--", &format!("-{id}")]);
            kill
        };
        // A group that is already gone is what is wanted.
        let _ = kill
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a program can be started at all.
pub(super) fn is_installed(program: &str) -> bool {
    let argument = if program == "go" {
        "version"
    } else {
        "--version"
    };
    Command::new(program)
        .arg(argument)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A port that nobody listens on.
///
/// Counted up from below the range that systems hand to outgoing connections,
/// so that no connection of a running checker can take it meanwhile.
pub(super) fn free_port() -> Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(21_000);
    for _ in 0..1_000 {
        let port = NEXT.fetch_add(1, Ordering::Relaxed);
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free port among a thousand")
}

/// A log path in the unit's folder.
pub(super) fn log(work: &Path, name: &str) -> PathBuf {
    work.join(format!("log-{name}"))
}
