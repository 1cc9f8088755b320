//! Runs the program as a user does: a process of its own, with an environment of its own.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test binary uses a part of it"
)]

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-assay");

/// No run of a test takes that long; one that does is killed and fails.
const LIMIT: Duration = Duration::from_secs(60);

/// Waits short enough for servers that never answer, long enough for a busy machine.
pub const SHORT: [&str; 4] = ["--timeout", "1500", "--deadline", "5s"];

/// The search path: our own program first, so that reports show `mcp-assay` and no directory.
pub fn search_path() -> std::ffi::OsString {
    let ours = Path::new(PROGRAM).parent().unwrap().to_owned();
    let theirs = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([ours].into_iter().chain(std::env::split_paths(&theirs))).unwrap()
}

/// The program with an environment of `PATH` only.
pub fn command() -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .env_clear()
        .env("PATH", search_path())
        .stdin(Stdio::null());
    // Windows programs do not run without it.
    if let Some(root) = std::env::var_os("SystemRoot") {
        command.env("SystemRoot", root);
    }
    command
}

/// What a run left behind.
#[derive(Debug)]
pub struct Done {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
    pub took: Duration,
    /// The most memory it used, in KiB, where the system tells.
    pub peak: Option<u64>,
}

impl Done {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// All that a user saw, for snapshots.
    pub fn shown(&self) -> String {
        let mut shown = format!("exit code {}\n", self.code.unwrap());
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(shown, "-- {name}\n{text}").unwrap();
            }
        }
        shown
    }
}

/// Runs the program with these arguments.
pub fn run<I: IntoIterator<Item: AsRef<OsStr>>>(args: I) -> Done {
    finish(command().args(args))
}

/// Checks a built-in server on stdio: its flags, then ours.
pub fn check(fixture: &str, flags: &[&str]) -> Done {
    let server = format!("mcp-assay fixture --stdio {fixture}");
    run(["--stdio", server.trim()].iter().chain(flags))
}

/// Starts a command and waits for its end.
pub fn finish(command: &mut Command) -> Done {
    let started = Instant::now();
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    end(child, started)
}

/// Waits for the end of a process whose outputs are pipes.
pub fn end(mut child: Child, started: Instant) -> Done {
    fn all(from: Option<impl std::io::Read + Send + 'static>) -> thread::JoinHandle<String> {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut from) = from {
                from.read_to_end(&mut bytes).unwrap();
            }
            String::from_utf8(bytes).unwrap()
        })
    }
    let (stdout, stderr) = (all(child.stdout.take()), all(child.stderr.take()));
    let mut peak = None;
    let status = loop {
        peak = peak_of(child.id()).or(peak);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("still running after {LIMIT:?}");
        }
        thread::sleep(Duration::from_millis(5));
    };
    let took = started.elapsed();
    Done {
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
        code: status.code(),
        took,
        peak,
    }
}

fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A built-in server on HTTP, in a process of its own; ended when dropped.
#[derive(Debug)]
pub struct Served {
    child: Child,
    pub url: String,
}

impl Served {
    pub fn start(flags: &[&str]) -> Self {
        let mut child = command()
            .args(["fixture", "--http", "0"])
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap()
            .to_owned();
        Self { child, url }
    }

    /// Checks it with these flags.
    pub fn check(&self, flags: &[&str]) -> Done {
        run([self.url.as_str()].iter().chain(flags))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port of this machine where nobody listens: it was free a moment ago.
pub fn dead_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// A directory of the test's own.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// A command that leaves `mark` behind when it is started, and then is a correct server.
pub fn tell_tale(mark: &Path) -> [PathBuf; 4] {
    let script = r#"touch "$0"; exec mcp-assay fixture --stdio"#;
    ["sh", "-c", script]
        .map(PathBuf::from)
        .into_iter()
        .chain([mark.to_owned()])
        .collect::<Vec<_>>()
        .try_into()
        .unwrap()
}

/// What differs from run to run, and from machine to machine.
pub fn filters() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    for (pattern, replacement) in [
        (r"(127\.0\.0\.1|localhost):\d+", "$1:[PORT]"),
        (r"mcp-assay \d+\.\d+\.\d+\S*", "mcp-assay [VERSION]"),
        (
            r"mcp-assay-fixture \d+\.\d+\.\d+\S*",
            "mcp-assay-fixture [VERSION]",
        ),
        (
            r#"(\\?"version\\?": ?\\?")\d+\.\d+\.\d+[^"\\]*"#,
            "$1[VERSION]",
        ),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[TIME]"),
        (r#""durationMs": \d+"#, r#""durationMs": "[MS]""#),
        (r"\(os error \d+\)", "(os error [CODE])"),
        (r#"(\\?"id\\?":)\d+"#, "$1[ID]"),
        (r#""entry": \d+"#, r#""entry": "[N]""#),
        (r"mcp-assay\.exe", "mcp-assay"),
        // How many rules and probes there are is the matrix's matter.
        (r"(passed|failed|not measured|not applicable) \d+", "$1 [N]"),
        (r"\d+ rules", "[N] rules"),
        (r"\d+ of \d+ questions", "[N] of [N] questions"),
        (
            r"\d+ of \d+ (must and must-not checks hold, \d+ broken,) \d+",
            "[N] of [N] $1 [N]",
        ),
    ] {
        settings.add_filter(pattern, replacement);
    }
    settings.bind_to_scope()
}
