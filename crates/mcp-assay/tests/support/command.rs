//! Runs the program itself.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How a run of the program ended.
#[derive(Debug)]
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
    /// The most memory it used, in KiB, where the system tells.
    pub peak: Option<u64>,
}

/// Runs the program with nothing but a PATH in its environment. The wait ends when the program
/// does and nobody holds its pipes any more; a minute is too long.
pub fn assay(arguments: &[&str]) -> Finished {
    const TOO_LONG: Duration = Duration::from_secs(60);
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-assay"))
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = drain(child.stdout.take().unwrap());
    let stderr = drain(child.stderr.take().unwrap());
    let mut peak = None;
    let status = loop {
        peak = peak_of(child.id()).or(peak);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > TOO_LONG {
            child.kill().unwrap();
            panic!("{arguments:?} does not end");
        }
        thread::sleep(Duration::from_millis(2));
    };
    let took = started.elapsed();
    Finished {
        code: status.code(),
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
        took,
        peak,
    }
}

fn drain(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    })
}

fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The arguments that check the built-in server with this fault on stdio.
pub fn stdio(fault: &str) -> [&str; 6] {
    [
        "--",
        env!("CARGO_BIN_EXE_mcp-assay"),
        "fixture",
        "--stdio",
        "--fault",
        fault,
    ]
}
