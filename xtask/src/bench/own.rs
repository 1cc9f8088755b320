//! What a process used by itself, its children not counted.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// The longest run: the silent server.
const LIMIT: Duration = Duration::from_secs(150);

/// Between two looks at a running process.
const LOOK: Duration = Duration::from_micros(500);

/// CPU time and peak memory (KiB) of one process.
#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    pub(super) cpu: Duration,
    pub(super) memory: u64,
}

/// Runs the checker to its end. Its figures come from `/proc`; elsewhere they are zero.
///
/// A process that has ended keeps its CPU time until it is waited for, but not its memory, so that is
/// looked at while it runs.
pub(super) fn run(binary: &Path, arguments: &[String]) -> Result<Usage> {
    let mut child = Command::new(binary)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("starting the checker")?;
    let place = format!("/proc/{}", child.id());
    let mut usage = Usage::default();
    let begun = Instant::now();
    if Path::new(&place).exists() {
        loop {
            usage.memory = usage.memory.max(peak(&place));
            let stat = fs::read_to_string(format!("{place}/stat")).unwrap_or_default();
            let fields: Vec<&str> = stat
                .rsplit(") ")
                .next()
                .unwrap_or_default()
                .split(' ')
                .collect();
            // Fields 3, 14 and 15 of proc(5): state, user and system time in hundredths of a second.
            if fields.first() == Some(&"Z") {
                let ticks = |at: usize| {
                    fields
                        .get(at)
                        .and_then(|f| f.parse::<u64>().ok())
                        .unwrap_or(0)
                };
                usage.cpu = Duration::from_millis((ticks(11) + ticks(12)) * 10);
                break;
            }
            if begun.elapsed() > LIMIT {
                let _ = child.kill();
                bail!("the checker still ran after {LIMIT:?}");
            }
            std::thread::sleep(LOOK);
        }
    }
    child.wait().context("waiting for the checker")?;
    Ok(usage)
}

fn peak(place: &str) -> u64 {
    fs::read_to_string(format!("{place}/status"))
        .unwrap_or_default()
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().split(' ').next()?.parse().ok())
        .unwrap_or(0)
}

/// CPU is a mean, for its clock ticks in hundredths of a second; memory is the largest.
pub(super) fn median(usages: &[Usage]) -> Usage {
    let count = u32::try_from(usages.len()).unwrap_or(1).max(1);
    Usage {
        cpu: usages.iter().map(|usage| usage.cpu).sum::<Duration>() / count,
        memory: usages
            .iter()
            .map(|usage| usage.memory)
            .max()
            .unwrap_or_default(),
    }
}
