//! What the program says of itself, and the hints for likely slips.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/cli.rs"]
mod cli;

use cli::{SHORT, Served, check, command, dead_port, finish, run};

#[test]
fn version_and_help_go_to_standard_output() {
    for flag in ["--version", "-V"] {
        let done = run([flag]);
        assert_eq!(
            done.stdout,
            format!("mcp-assay {}\n", env!("CARGO_PKG_VERSION"))
        );
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    }
    let long = run(["--help"]);
    assert_eq!((long.code, long.stderr.as_str()), (Some(0), ""));
    for part in [
        "--stdio",
        "--http",
        "--fail-on",
        "Exit codes:",
        "mcp-assay demo",
    ] {
        assert!(long.stdout.contains(part), "{part}");
    }
    assert_eq!(run(["-h"]).code, Some(0));
    assert_eq!(run(["replay", "--help"]).code, Some(0));
}

#[test]
fn every_option_is_documented() {
    let help = run(["--help"]).stdout;
    for option in [
        "--stdio",
        "--http",
        "--cwd",
        "--env",
        "--env-pass",
        "--env-pass-all",
        "--header",
        "--header-env",
        "--bearer-env",
        "--ca-cert",
        "--concurrency",
        "--era",
        "--timeout",
        "--deadline",
        "--no-read",
        "--no-metadata",
        "--only",
        "--skip",
        "--fail-on",
        "--format",
        "--output",
        "--emit",
        "--record",
        "--verbose",
        "--no-color",
        "--plan",
        "--list-rules",
    ] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn the_catalogue_is_offline() {
    let rules = run(["rules"]);
    assert_eq!(rules.code, Some(0));
    assert_eq!(run(["--list-rules"]).stdout, rules.stdout);
    for rule in mcp_assay_core::rules::RULES {
        let line = rules
            .stdout
            .lines()
            .find(|line| line.starts_with(rule.id))
            .unwrap();
        assert!(
            line.contains(rule.name) && line.contains(rule.claim),
            "{line}"
        );
        for word in [rule.id, rule.name] {
            let explained = run(["explain", word]);
            assert_eq!(explained.code, Some(0), "{word}");
            // Words may be wrapped differently.
            let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                flat(&explained.stdout).contains(&flat(rule.claim)),
                "{}",
                explained.stdout
            );
        }
    }
    let coverage = run(["rules", "--coverage"]);
    assert_eq!(coverage.code, Some(0));
    for requirement in mcp_assay_core::requirements::REQUIREMENTS {
        assert!(
            coverage.stdout.contains(requirement.id),
            "{}",
            requirement.id
        );
    }
    let unknown = run(["explain", "MCP999"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("MCP999"), "{}", unknown.stderr);
}

#[test]
fn completions_know_the_flags() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let done = run(["completions", shell]);
        assert_eq!(done.code, Some(0), "{shell}");
        for part in ["mcp-assay", "fail-on", "replay"] {
            assert!(done.stdout.contains(part), "{shell}: {part}");
        }
    }
    assert_eq!(run(["completions", "no-such-shell"]).code, Some(2));
}

#[test]
fn the_built_in_servers_are_listed() {
    let list = run(["fixture", "--list"]);
    assert_eq!(list.code, Some(0));
    for fault in mcp_assay_fixtures::faults() {
        assert!(list.stdout.contains(fault.name), "{}", fault.name);
    }
    for args in [
        ["fixture"].as_slice(),
        &["fixture", "--stdio", "--fault", "no-such-fault"],
        &["fixture", "--stdio", "--http", "0"],
        &["fixture", "--stdio", "--era", "ancient"],
    ] {
        let done = run(args);
        assert_eq!(done.code, Some(2), "{args:?}");
        assert!(
            done.stdout.is_empty() && done.stderr.starts_with("error: "),
            "{done:?}"
        );
    }
}

/// A usage error: nothing is asked, and the hint is on standard error.
#[track_caller]
fn assert_refused(args: &[&str], hint: &str) {
    let done = run(args);
    assert_eq!(done.code, Some(2), "{args:?}");
    assert!(done.stdout.is_empty(), "{}", done.stdout);
    assert!(done.stderr.contains(hint), "{}", done.stderr);
}

#[test]
fn likely_slips_on_the_command_line_get_a_hint() {
    assert_refused(&[], "mcp-assay demo");
    assert_refused(&["node", "x.js"], "did you mean `mcp-assay -- node x.js`?");
    assert_refused(&["npx", "a b"], "did you mean `mcp-assay -- npx 'a b'`?");
    assert_refused(&["--stdio", ""], "the command is empty");
    assert_refused(&["--stdio", "node \"x"], "never closed");
    assert_refused(&["http://127.0.0.1:9/mcp", "--", "node"], "not both");
    assert_refused(
        &["--stdio", "node", "--http", "http://127.0.0.1:9/mcp"],
        "cannot be used with",
    );
    assert_refused(&["--http", "ftp://127.0.0.1/mcp"], "http or https");
    assert_refused(&["--fial-on", "error"], "--fail-on");
    assert_refused(
        &["--ca-cert", "no-such-file", "http://127.0.0.1:9/mcp"],
        "no-such-file",
    );
    let nonsense = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    assert_refused(
        &["--ca-cert", nonsense, "https://127.0.0.1:9/mcp"],
        "no PEM certificate",
    );
}

#[test]
fn a_variable_before_the_command_is_no_program() {
    let done = run(["--stdio", "FOO=1 node x"]);
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr
            .starts_with("could not judge: unreachable (launch-failed"),
        "{done:?}"
    );
    assert!(done.stderr.contains("use `--env FOO="), "{}", done.stderr);
}

#[test]
fn likely_slips_in_a_url_get_a_hint() {
    let port = dead_port();
    let refused = run([format!("localhost:{port}/mcp")]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("hint: is the server running"),
        "{}",
        refused.stderr
    );
    let no_path = run([format!("http://127.0.0.1:{port}")]);
    assert!(
        no_path.stderr.contains("hint: the URL has no path"),
        "{}",
        no_path.stderr
    );

    let old = Served::start(&["--fault", "http-sse"]);
    let url = old.url.replace("/mcp", "/sse");
    let done = run([url.as_str()].iter().chain(&SHORT));
    assert!(
        done.stderr.contains("hint: /sse is the usual place"),
        "{done:?}"
    );
    let right = Served::start(&[]).check(&[]);
    assert!(right.stderr.is_empty(), "{}", right.stderr);
}

#[test]
fn a_url_needs_no_scheme() {
    let server = Served::start(&["--era", "dual"]);
    let bare = server.url.strip_prefix("http://").unwrap();
    assert_eq!(run([bare]).code, Some(0));
    assert_eq!(run(["--http", bare]).code, Some(0));
}

#[test]
fn a_command_needs_no_quotes_after_two_dashes() {
    let done = finish(command().args(["--", "mcp-assay", "fixture", "--stdio", "--era", "legacy"]));
    assert_eq!(done.code, Some(1));
    assert_eq!(done.stdout, check("--era legacy", &[]).stdout);
}
