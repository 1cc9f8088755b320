//! What a user sees of each kind of server: both outputs and the exit code.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/cli.rs"]
mod cli;

use cli::{SHORT, Served, check, dead_port, run};

macro_rules! assert_shown {
    ($name:literal, $done:expr) => {{
        let _filters = cli::filters();
        insta::assert_snapshot!($name, $done.shown());
    }};
}

#[test]
fn a_correct_server() {
    assert_shown!("correct-stdio", check("--era dual", &[]));
    assert_shown!("correct-http", Served::start(&["--era", "dual"]).check(&[]));
}

#[test]
fn a_legacy_server_fits_a_screen() {
    let done = check("--era legacy", &[]);
    assert!(done.stdout.lines().count() <= 24, "{}", done.stdout);
    for line in done
        .stdout
        .lines()
        .filter(|line| !line.contains("https://"))
    {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for part in ["NOT READY  legacy", "1 cause found", "owner     sdk"] {
        assert!(done.stdout.contains(part), "{part}");
    }
    assert_eq!(done.code, Some(1));
    assert_shown!("legacy-stdio", done);
}

#[test]
fn a_broken_server() {
    assert_shown!(
        "broken",
        check("--fault cache-hints-missing-on-tools-list", &[])
    );
}

#[test]
fn a_port_where_nobody_listens() {
    let url = format!("http://127.0.0.1:{}/mcp", dead_port());
    assert_shown!("dead-port", run([url]));
}

#[test]
fn a_server_that_never_answers() {
    let stdio = check("--fault silent", &["--timeout", "300", "--deadline", "1s"]);
    assert_shown!("silent-stdio", stdio);
    let flags = ["--timeout", "300", "--deadline", "2s"];
    assert_shown!(
        "silent-http",
        Served::start(&["--fault", "silent"]).check(&flags)
    );
}

#[test]
fn a_server_that_wants_credentials() {
    let challenge = Served::start(&["--fault", "auth-correct"]).check(&SHORT);
    assert!(
        challenge
            .stderr
            .starts_with("could not judge: auth-required ")
    );
    assert_shown!("auth-required", challenge);
    let bare = Served::start(&["--fault", "refuses-401-json"]).check(&SHORT);
    assert_shown!("auth-required-without-challenge", bare);
}

#[test]
fn a_login_page() {
    let done = Served::start(&["--fault", "login-page"]).check(&SHORT);
    assert!(done.stderr.starts_with("could not judge: not-mcp "));
    assert_shown!("login-page", done);
}

#[test]
fn a_server_that_ends_midway() {
    let done = check("--fault exits-after-3", &[]);
    assert!(done.stderr.starts_with("could not judge: incomplete "));
    assert_shown!("incomplete", done);
}

#[test]
fn a_server_that_ends_at_start() {
    let done = check("--fault exits-at-start", &[]);
    assert_eq!(done.code, Some(2));
    assert_eq!(
        done.stderr,
        "could not judge: unreachable \
         (launch-failed: the server exited with 1 and answered nothing)\n"
    );
    assert!(done.stdout.contains("UNREACHABLE  launch-failed"));
    let report = check("--fault exits-at-start", &["--format", "json"]).json();
    let seen = report["diagnostics"].as_array().unwrap();
    assert!(
        seen.contains(&"stderr: error: nothing works".into()),
        "{seen:?}"
    );
}

/// The contract of the machine format, by example.
#[test]
fn a_broken_server_in_json() {
    let done = check(
        "--fault cache-scope-differs-across-pages",
        &["--format", "json"],
    );
    let mut report = done.json();
    report["rules"]
        .as_array_mut()
        .unwrap()
        .retain(|rule| rule["id"] == "MCP005");
    for check in report["rules"][0]["checks"].as_array_mut().unwrap() {
        check.as_object_mut().unwrap().remove("evidence");
    }
    for part in ["summary", "conformance"] {
        for (name, count) in report[part].as_object_mut().unwrap() {
            assert!(count.is_u64(), "{part}.{name}");
            *count = "[N]".into();
        }
    }
    let _filters = cli::filters();
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn the_demo() {
    let done = run(["demo"]);
    assert_eq!(done.code, Some(0));
    assert!(done.stderr.is_empty(), "{}", done.stderr);
    for verdict in [
        "\nREADY ",
        "\nNOT READY  legacy",
        "\nNOT READY  modern",
        "\nUNREACHABLE ",
    ] {
        assert!(done.stdout.contains(verdict), "{verdict}");
    }
    assert!(
        !done.stdout.contains(env!("CARGO_MANIFEST_DIR")),
        "{}",
        done.stdout
    );
}
