//! Measures the checker against a floor: a bare client that makes the same spawns and sends the same
//! messages without judging. Both run in turns on the same machine, so what is written down are
//! ratios, not times.

mod floor;
mod own;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use floor::Recording;
use own::Usage;

/// Runs of each kind, in turns; the median counts.
const RUNS: usize = 15;

/// One server to measure on.
struct Subject {
    name: &'static str,
    /// Arguments of the built-in server.
    server: &'static [&'static str],
    http: bool,
}

const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "modern, stdio",
        server: &["--era", "modern"],
        http: false,
    },
    Subject {
        name: "dual era, stdio",
        server: &["--era", "dual"],
        http: false,
    },
    Subject {
        name: "legacy, stdio",
        server: &["--era", "legacy"],
        http: false,
    },
    Subject {
        name: "modern, HTTP",
        server: &["--era", "modern"],
        http: true,
    },
    Subject {
        name: "dual era, HTTP",
        server: &["--era", "dual"],
        http: true,
    },
    Subject {
        name: "100 ms an answer, HTTP",
        server: &["--fault", "slow"],
        http: true,
    },
];

/// `cargo xtask bench [--write]`: prints the figures; `--write` puts them into
/// `docs/performance.md`.
pub(crate) fn command(arguments: &[String]) -> Result<bool> {
    let write = arguments.iter().any(|argument| argument == "--write");
    let binary = build()?;
    let mut text = String::from(
        "| server | wall, ratio to the floor | own CPU, ms | own peak memory, MiB |\n|---|---|---|---|\n",
    );
    for subject in &SUBJECTS {
        let row = measure(&binary, subject)?;
        println!("{row}");
        writeln!(text, "{row}")?;
    }
    let start = median((0..RUNS).map(|_| version(&binary)).collect::<Result<_>>()?);
    let silent = silent(&binary)?;
    let rest = format!(
        "\n`--version` takes {:.1} ms. A server that never answers costs {:.2} s at the default \
         first-answer limit of 30 s.\n",
        start.as_secs_f64() * 1000.0,
        silent.as_secs_f64()
    );
    println!("{rest}");
    text.push_str(&rest);
    if write {
        replace(Path::new("docs/performance.md"), &text)?;
    }
    Ok(true)
}

fn build() -> Result<PathBuf> {
    let status = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--package", "mcp-assay"])
        .status()
        .context("running cargo")?;
    if !status.success() {
        bail!("the release build failed");
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let name = format!("mcp-assay{}", std::env::consts::EXE_SUFFIX);
    fs::canonicalize(target.join("release").join(name)).context("finding the release build")
}

/// A built-in HTTP server that ends with this value.
struct Server(Child, String);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(binary: &Path, arguments: &[&str]) -> Result<Server> {
    use std::io::{BufRead as _, BufReader};

    let mut child = Command::new(binary)
        .args(["fixture", "--http", "0"])
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .context("starting the built-in server")?;
    let mut line = String::new();
    let stdout = child.stdout.take().context("the server's output")?;
    BufReader::new(stdout).read_line(&mut line)?;
    let url = line
        .trim()
        .rsplit(' ')
        .next()
        .unwrap_or_default()
        .to_owned();
    Ok(Server(child, url))
}

fn measure(binary: &Path, subject: &Subject) -> Result<String> {
    let recording =
        std::env::temp_dir().join(format!("mcp-assay-bench-{}.jsonl", std::process::id()));
    let server = if subject.http {
        Some(serve(binary, subject.server)?)
    } else {
        None
    };
    let mut arguments: Vec<String> = Vec::new();
    match &server {
        Some(server) => arguments.push(server.1.clone()),
        None => {
            arguments.push("--".to_owned());
            arguments.push(binary.display().to_string());
            arguments.extend(["fixture", "--stdio"].map(str::to_owned));
            arguments.extend(subject.server.iter().map(|word| (*word).to_owned()));
        }
    }
    let mut recorded = vec!["--record".to_owned(), recording.display().to_string()];
    recorded.extend(arguments.iter().cloned());
    own::run(binary, &recorded)?;
    let plan = Recording::read(&recording)?;
    fs::remove_file(&recording)?;
    let (mut ours, mut floors, mut usages) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let begun = Instant::now();
        let usage = own::run(binary, &arguments)?;
        ours.push(begun.elapsed());
        usages.push(usage);
        // The better of one request after the other and several at once.
        let one = plan.play(1)?;
        let many = if subject.http { plan.play(4)? } else { one };
        floors.push(one.min(many));
    }
    let (wall, floor) = (median(ours), median(floors));
    let Usage { cpu, memory } = own::median(&usages);
    Ok(format!(
        "| {} | {:.2} ({:.1} ms to {:.1} ms) | {:.0} | {:.1} |",
        subject.name,
        wall.as_secs_f64() / floor.as_secs_f64(),
        wall.as_secs_f64() * 1000.0,
        floor.as_secs_f64() * 1000.0,
        cpu.as_secs_f64() * 1000.0,
        memory as f64 / 1024.0,
    ))
}

fn version(binary: &Path) -> Result<Duration> {
    let begun = Instant::now();
    let status = Command::new(binary)
        .arg("--version")
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        bail!("--version failed");
    }
    Ok(begun.elapsed())
}

fn silent(binary: &Path) -> Result<Duration> {
    let program = binary.display().to_string();
    let arguments: Vec<String> = ["--", &program, "fixture", "--stdio", "--fault", "silent"]
        .map(str::to_owned)
        .to_vec();
    let begun = Instant::now();
    own::run(binary, &arguments)?;
    Ok(begun.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Puts the figures between the markers of the page.
fn replace(page: &Path, figures: &str) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| format!("reading {}", page.display()))?;
    let (begin, end) = ("<!-- figures:begin -->\n", "<!-- figures:end -->");
    let parts: BTreeMap<&str, usize> = [begin, end]
        .into_iter()
        .filter_map(|mark| Some((mark, text.find(mark)?)))
        .collect();
    let (Some(from), Some(to)) = (parts.get(begin), parts.get(end)) else {
        bail!("{} has no markers for the figures", page.display());
    };
    let new = format!("{}{figures}{}", &text[..from + begin.len()], &text[*to..]);
    fs::write(page, new).with_context(|| format!("writing {}", page.display()))
}
