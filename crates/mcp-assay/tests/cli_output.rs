//! Where reports go, and in which form.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/cli.rs"]
mod cli;

use std::fs;
use std::path::Path;

use cli::{Served, check, command, finish, run, scratch, tell_tale};
use serde_json::Value;

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

/// Looks like a report in this format.
fn assert_is(format: &str, text: &str) {
    match format {
        "text" => assert!(
            text.starts_with("mcp-assay ") && text.contains("MCP005"),
            "{text}"
        ),
        "markdown" => assert!(text.starts_with('#') && text.contains("MCP005"), "{text}"),
        "json" => {
            let report: Value = serde_json::from_str(text).unwrap();
            assert_eq!(report["schemaVersion"], 1);
            assert_eq!(report["findings"][0]["ruleId"], "MCP005");
        }
        "sarif" => {
            let log: Value = serde_json::from_str(text).unwrap();
            assert_eq!(log["version"], "2.1.0");
            assert_eq!(log["runs"][0]["results"][0]["ruleId"], "MCP005");
        }
        other => panic!("{other}"),
    }
}

const FORMATS: [&str; 4] = ["text", "json", "sarif", "markdown"];

#[test]
fn each_format_is_printed() {
    for format in FORMATS {
        let done = check("--fault ttl-missing", &["--format", format]);
        assert_eq!(done.code, Some(1));
        assert!(done.stderr.is_empty(), "{}", done.stderr);
        assert!(done.stdout.ends_with('\n'), "{format}");
        assert_is(format, &done.stdout);
    }
    let unknown = check("", &["--format", "xml"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("xml"), "{}", unknown.stderr);
}

#[test]
fn one_run_gives_many_renderings() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    // Longer than any report: a file that existed is replaced, not written over.
    fs::write(at("json"), "x".repeat(200_000)).unwrap();
    let mut flags = vec!["--output".to_owned(), at("main").display().to_string()];
    for format in FORMATS {
        let emit = format!("{format}:{}", at(format).display());
        flags.extend(["--emit".to_owned(), emit]);
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let done = check("--fault ttl-missing", &flags);
    assert_eq!(done.code, Some(1));
    assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{done:?}");
    for format in FORMATS {
        assert_is(format, &text(&at(format)));
    }
    assert_eq!(text(&at("main")), text(&at("text")));
}

#[test]
fn a_file_that_cannot_be_written_fails_before_the_run() {
    let dir = scratch();
    let mark = dir.path().join("started");
    let nowhere = dir.path().join("missing").join("file");
    let nowhere = nowhere.to_str().unwrap();
    for flags in [
        ["--output", nowhere],
        ["--record", nowhere],
        ["--emit", &format!("json:{nowhere}")],
        ["--emit", &format!("xml:{nowhere}")],
        ["--emit", "report.json"],
    ] {
        let done = finish(command().args(flags).arg("--").args(tell_tale(&mark)));
        assert_eq!(done.code, Some(2), "{flags:?}");
        assert!(done.stdout.is_empty(), "{flags:?}");
        assert!(done.stderr.starts_with("error: "), "{}", done.stderr);
        assert!(!mark.exists(), "{flags:?} started the server");
    }
}

#[test]
fn verbose_shows_rules_and_traffic() {
    let brief = check("--era dual", &[]).stdout;
    assert!(!brief.contains("traffic"), "{brief}");
    for flag in ["--verbose", "-v"] {
        let done = check("--era dual", &[flag]);
        for part in [
            "\nrules\n",
            "\ntraffic\n",
            "pass      MCP001",
            "> {\"id\":",
            "< {\"id\":",
        ] {
            assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
        }
    }
    let report = check("--era dual", &["--format", "json", "--verbose"]).json();
    assert!(!report["exchanges"].as_array().unwrap().is_empty());
}

#[test]
fn a_pipe_gets_no_colours() {
    for flags in [[].as_slice(), &["--no-color"]] {
        let done = check("--fault ttl-missing", flags);
        assert!(!done.stdout.contains('\x1b'), "{}", done.stdout);
    }
}

/// `script` runs a command at a terminal of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colours_unless_told_otherwise() {
    let at_terminal = |flags: &str, no_color: &str| {
        let line = format!("mcp-assay --stdio 'mcp-assay fixture --stdio' {flags}");
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env_clear();
        script.env("PATH", cli::search_path()).env("TERM", "xterm");
        script.env("NO_COLOR", no_color).env("SHELL", "/bin/sh");
        let done = finish(script.stdin(std::process::Stdio::null()));
        assert!(done.stdout.contains("2026-07-28"), "{done:?}");
        done.stdout.contains("\x1b[")
    };
    assert!(at_terminal("", ""));
    assert!(!at_terminal("--no-color", ""));
    assert!(!at_terminal("", "1"));
    assert!(!at_terminal("--format json", ""));
}

#[test]
fn a_recorded_run_gives_the_same_report_again() {
    let dir = scratch();
    let file = dir.path().join("run.jsonl");
    let file = file.to_str().unwrap();
    let broken = Served::start(&["--fault", "session-id-on-discover"]);
    let auth = Served::start(&["--fault", "auth-correct"]);
    let stdio = |fixture: &str| {
        vec![
            "--stdio".to_owned(),
            format!("mcp-assay fixture --stdio {fixture}"),
        ]
    };
    for target in [
        stdio("--era dual"),
        stdio("--era legacy"),
        stdio("--fault ttl-missing"),
        stdio("--fault exits-after-3"),
        stdio("--fault exits-at-start"),
        vec![broken.url.clone()],
        vec![auth.url.clone()],
    ] {
        let live = finish(
            command()
                .args(["--format", "json", "--record", file])
                .args(&target),
        );
        let replayed = run(["replay", "--format", "json", file]);
        assert_eq!(live.json(), replayed.json(), "{target:?}");
        assert_eq!(live.code, replayed.code, "{target:?}");
        let first = |text: &str| text.lines().next().map(str::to_owned);
        assert_eq!(first(&live.stderr), first(&replayed.stderr), "{target:?}");
    }
}

#[test]
fn a_replay_takes_the_flags_of_judging_and_output() {
    let dir = scratch();
    let file = dir.path().join("run.jsonl");
    let file = file.to_str().unwrap();
    assert_eq!(
        check("--fault logging-declared", &["--record", file]).code,
        Some(0)
    );
    assert_eq!(run(["replay", file, "--fail-on", "warning"]).code, Some(1));
    assert_eq!(
        run(["replay", file, "--fail-on", "warning", "--skip", "MCP015"]).code,
        Some(0)
    );
    let emitted = dir.path().join("report.json");
    let emit = format!("json:{}", emitted.display());
    let done = run(["replay", file, "--emit", &emit, "--verbose"]);
    assert!(done.stdout.contains("\ntraffic\n"), "{}", done.stdout);
    assert_eq!(json(&emitted)["verdict"], "ready");
}

#[test]
fn what_is_no_recording_is_refused() {
    let dir = scratch();
    let file = dir.path().join("run.jsonl");
    for content in ["", "nonsense\n", "{\"format\":99}\n"] {
        fs::write(&file, content).unwrap();
        let done = run([Path::new("replay"), &file]);
        assert_eq!(done.code, Some(2), "{content}");
        assert!(
            done.stdout.is_empty() && done.stderr.starts_with("error: read "),
            "{done:?}"
        );
    }
    assert_eq!(run(["replay", "no-such-file"]).code, Some(2));
}

#[test]
fn a_reader_that_went_away_is_no_reason_to_complain() {
    for (args, code) in [
        (vec!["rules"], 0),
        (vec!["--help"], 0),
        (vec!["--stdio", "mcp-assay fixture --stdio --era dual"], 0),
        (vec!["--stdio", "mcp-assay fixture --stdio --era legacy"], 1),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let started = std::time::Instant::now();
        let child = command()
            .args(&args)
            .stdout(writer)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let done = cli::end(child, started);
        assert_eq!(done.code, Some(code), "{args:?}");
        assert!(done.stderr.is_empty(), "{args:?}: {}", done.stderr);
    }
}
