//! What a server on stdio is given, and that nothing of it is left behind.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(unix)]

#[path = "support/cli.rs"]
mod cli;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cli::{command, finish, run, scratch};

/// A correct server that first runs a line of shell, with `$0` a path.
fn server(line: &str, path: &Path) -> [String; 4] {
    let script = format!("{line}; exec mcp-assay fixture --stdio");
    let path = path.to_str().unwrap().to_owned();
    ["sh".to_owned(), "-c".to_owned(), script, path]
}

/// What the shell adds by itself.
const SHELLS_OWN: [&str; 4] = ["PWD", "OLDPWD", "SHLVL", "_"];

/// The variables that a server sees when we have `ours` and are called with these flags.
fn seen(ours: &[(&str, &str)], flags: &[&str]) -> BTreeSet<String> {
    let dir = scratch();
    let file = dir.path().join("environment");
    let mut command = command();
    command.envs(ours.iter().copied()).args(flags);
    let done = finish(command.arg("--").args(server("env > \"$0\"", &file)));
    assert_eq!(done.code, Some(0), "{done:?}");
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .filter(|line| !line.starts_with("PATH="))
        .filter(|line| {
            SHELLS_OWN
                .iter()
                .all(|own| !line.starts_with(&format!("{own}=")))
        })
        .map(str::to_owned)
        .collect()
}

fn set(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

const OURS: [(&str, &str); 8] = [
    ("HOME", "/home"),
    ("LANG", "C"),
    ("https_proxy", "http://127.0.0.1:9"),
    ("npm_config_cache", "/cache"),
    ("NPM_CONFIG_AUTH_TOKEN", "secret-1"),
    ("GITHUB_TOKEN", "secret-2"),
    ("NODE_OPTIONS", "--inspect"),
    ("LD_PRELOAD", ""),
];

#[test]
fn the_environment_is_the_documented_one() {
    let minimal = [
        "HOME=/home",
        "LANG=C",
        "https_proxy=http://127.0.0.1:9",
        "npm_config_cache=/cache",
    ];
    assert_eq!(seen(&OURS, &[]), set(&minimal));
}

#[test]
fn variables_are_set_and_passed_on() {
    let ours = [("TOKEN", "secret-3"), ("OTHER", "x"), ("HOME", "/home")];
    let flags = [
        "--env",
        "A=1",
        "--env",
        "B=x=y z",
        "--env",
        "HOME=/else",
        "--env-pass",
        "TOKEN",
    ];
    assert_eq!(
        seen(&ours, &flags),
        set(&["A=1", "B=x=y z", "HOME=/else", "TOKEN=secret-3"])
    );
    let all: Vec<String> = OURS
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let all: BTreeSet<String> = all.into_iter().collect();
    assert_eq!(seen(&OURS, &["--env-pass-all"]), all);
}

#[test]
fn wrong_variables_are_usage_errors() {
    for flags in [["--env", "A"], ["--env", "=x"], ["--env-pass", "NOT_SET"]] {
        let done = run(flags
            .iter()
            .chain(&["--", "mcp-assay", "fixture", "--stdio"]));
        assert_eq!(done.code, Some(2), "{flags:?}");
        assert!(
            done.stdout.is_empty() && done.stderr.starts_with("error: "),
            "{done:?}"
        );
    }
}

#[test]
fn what_was_withheld_is_named_when_the_server_ends_at_start() {
    let mut command = command();
    command.env("GITHUB_TOKEN", "secret-2").env("HOME", "/home");
    command.args([
        "--stdio",
        "mcp-assay fixture --stdio --fault exits-at-start",
    ]);
    let done = finish(&mut command);
    let hint = "hint: the server got a minimal environment; withheld: GITHUB_TOKEN. \
                Pass what it needs with --env-pass NAME\n";
    assert!(done.stderr.ends_with(hint), "{}", done.stderr);
    assert!(!done.stderr.contains("secret-2"));
    // A program that is not there missed no variable.
    let mut command = cli::command();
    command.env("GITHUB_TOKEN", "secret-2");
    let done = finish(command.args(["--stdio", "no-such-program"]));
    assert_eq!(done.code, Some(2));
    assert!(!done.stderr.contains("withheld"), "{}", done.stderr);
}

#[test]
fn the_working_directory_is_the_one_asked_for() {
    let dir = scratch();
    let file = dir.path().join("seen");
    let place = dir.path().join("a place");
    fs::create_dir(&place).unwrap();
    let mut command = command();
    command.arg("--cwd").arg(&place).arg("--");
    let done = finish(command.args(server("pwd -P > \"$0\"", &file)));
    assert_eq!(done.code, Some(0), "{done:?}");
    let seen = fs::read_to_string(file).unwrap();
    assert_eq!(Path::new(seen.trim_end()), fs::canonicalize(place).unwrap());

    let done = run([
        "--cwd",
        "/no/such/place",
        "--stdio",
        "mcp-assay fixture --stdio",
    ]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("/no/such/place"), "{}", done.stderr);
}

/// Processes that were started with this mark in their environment, and still run.
#[cfg(target_os = "linux")]
fn left(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        // Processes of others cannot be read, and one may end meanwhile.
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if String::from_utf8_lossy(&environment).contains(mark) {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }
    found
}

#[cfg(target_os = "linux")]
fn mark(name: &str) -> String {
    format!("ASSAY_TEST_MARK={name}-{}", std::process::id())
}

/// Servers that do all they can to stay, and what each run ends with.
#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left_and_no_run_hangs() {
    let cases = [
        ("--era dual", Some(0)),
        ("--era legacy", Some(1)),
        ("--fault grandchild", Some(0)),
        ("--fault ignores-sigterm", Some(0)),
        ("--fault silent", Some(2)),
        ("--fault closes-stdout", Some(2)),
        ("--fault exits-after-3", Some(2)),
        ("--fault floods", Some(2)),
    ];
    thread::scope(|scope| {
        for (fixture, code) in cases {
            scope.spawn(move || {
                let mark = mark(&fixture.replace(' ', "-"));
                let flags = ["--timeout", "1s", "--deadline", "4s", "--env", &mark];
                let done = cli::check(fixture, &flags);
                assert_eq!(left(&mark), Vec::<String>::new(), "{fixture}");
                assert_eq!(done.code, code, "{fixture}: {done:?}");
                assert!(
                    done.took < Duration::from_secs(30),
                    "{fixture}: {:?}",
                    done.took
                );
            });
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_leaves_no_process() {
    for (signal, fault) in [
        ("INT", "silent"),
        ("TERM", "silent"),
        ("INT", "ignores-sigterm"),
    ] {
        let dir = scratch();
        let file = dir.path().join("started");
        let mark = mark(&format!("{signal}-{fault}"));
        // A server that hangs, and has a child that would outlive it.
        let script =
            format!("sleep 50 & touch \"$0\"; exec mcp-assay fixture --stdio --fault {fault}");
        let started = Instant::now();
        let child = command()
            .args(["--env", &mark, "--", "sh", "-c", &script])
            .arg(&file)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !file.exists() {
            assert!(started.elapsed() < Duration::from_secs(20), "never started");
            thread::sleep(Duration::from_millis(5));
        }
        assert_ne!(left(&mark), Vec::<String>::new(), "the mark is of no use");
        let sent = Command::new("kill")
            .args([format!("-{signal}"), child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        let done = cli::end(child, started);
        assert_eq!(done.code, Some(130), "{done:?}");
        assert_eq!(done.stderr, "interrupted; nothing was judged\n");
        assert!(done.stdout.is_empty());
        assert!(done.took < Duration::from_secs(20), "{:?}", done.took);
        // The system may need a moment to take the processes away.
        let killed = Instant::now();
        while !left(&mark).is_empty() && killed.elapsed() < Duration::from_secs(2) {
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(left(&mark), Vec::<String>::new());
    }
}
