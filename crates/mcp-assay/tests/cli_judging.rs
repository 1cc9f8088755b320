//! The flags that choose what is asked, what is judged, and what the exit code follows.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/cli.rs"]
mod cli;

use cli::{Served, check, command, finish, run, scratch, tell_tale};
use serde_json::Value;

/// Outcome of each rule, by id.
fn outcomes(report: &Value) -> Vec<(String, String)> {
    let text = |rule: &Value, name: &str| rule[name].as_str().unwrap().to_owned();
    report["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| (text(rule, "id"), text(rule, "outcome")))
        .collect()
}

/// The rules that were judged on a correct server over HTTP, where all of them can be.
fn judged(flags: &[&str]) -> Vec<String> {
    let server = Served::start(&["--fault", "auth-correct"]);
    let mut command = command();
    command.args([&server.url, "--bearer-env", "TOKEN", "--format", "json"]);
    let done = finish(command.env("TOKEN", "fixture-token").args(flags));
    let report = done.json();
    report["rules"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|rule| rule["reason"] != "left out by --only or --skip")
        .map(|rule| rule["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn rules_are_chosen_by_id_name_and_family() {
    assert_eq!(judged(&["--only", "MCP005"]), ["MCP005"]);
    assert_eq!(
        judged(&["--only", "mcp005,ping-served"]),
        ["MCP005", "MCP006"]
    );
    assert_eq!(
        judged(&["--only", "MCP005", "--only", "MCP004"]),
        ["MCP004", "MCP005"]
    );
    let everything = judged(&[]);
    let family = judged(&["--only", "migration"]);
    assert!(family.len() > 20 && everything.len() >= family.len());
    let less = judged(&["--only", "migration", "--skip", "cache-hints-missing"]);
    assert_eq!(less.len(), family.len() - 1);
    assert!(!less.contains(&"MCP005".to_owned()));
    assert_eq!(
        judged(&["--only", "MCP004,MCP005", "--skip", "MCP004"]),
        ["MCP005"]
    );
}

#[test]
fn a_word_that_names_no_rule_is_a_usage_error_before_the_run() {
    let dir = scratch();
    let mark = dir.path().join("started");
    for flags in [
        ["--only", "MCP999"].as_slice(),
        &["--skip", "MCP004,nonsense"],
        &["--only", "MCP004", "--skip", "MCP004"],
        &["--only", "MCP999", "--plan"],
    ] {
        let done = finish(command().args(flags).arg("--").args(tell_tale(&mark)));
        assert_eq!(done.code, Some(2), "{flags:?}");
        assert!(done.stdout.is_empty(), "{flags:?}");
        assert!(done.stderr.contains("select rules: "), "{}", done.stderr);
        assert!(!mark.exists(), "{flags:?}");
    }
}

#[test]
fn a_partial_selection_is_never_ready() {
    for flags in [["--only", "MCP005"], ["--skip", "MCP005"]] {
        let done = check("", &flags);
        assert_eq!(done.code, Some(0), "{flags:?}");
        assert!(
            done.stdout.contains("selected rules pass"),
            "{}",
            done.stdout
        );
        assert!(!done.stdout.contains("READY"), "{}", done.stdout);
        assert!(done.stderr.is_empty(), "{}", done.stderr);
        let report = check("", &[flags[0], flags[1], "--format", "json"]).json();
        assert_eq!(report["ready"], false);
        assert_eq!(report["verdict"], "incomplete");
    }
    // What was selected could not be measured: neither ready nor a finding.
    let done = check("--fault exits-after-3", &["--only", "MCP009"]);
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.starts_with("could not judge: incomplete "),
        "{}",
        done.stderr
    );
    // A finding among the selected rules counts, one among the others does not.
    assert_eq!(
        check("--fault ttl-missing", &["--only", "MCP005"]).code,
        Some(1)
    );
    assert_eq!(
        check("--fault ttl-missing", &["--skip", "MCP005"]).code,
        Some(0)
    );
}

/// The exit codes of a run under `--fail-on` error, warning, must and never.
fn codes(fixture: &str) -> [i32; 4] {
    ["error", "warning", "must", "never"].map(|on| check(fixture, &["--fail-on", on]).code.unwrap())
}

#[test]
fn the_exit_code_follows_fail_on() {
    assert_eq!(codes("--era dual"), [0, 0, 0, 0], "nothing to find");
    assert_eq!(
        codes("--fault ttl-missing"),
        [1, 1, 1, 0],
        "an error, and a must"
    );
    assert_eq!(codes("--fault logging-declared"), [0, 1, 0, 0], "a warning");
    assert_eq!(
        codes("--fault cache-scope-differs-across-pages"),
        [0, 1, 1, 0],
        "a warning, and a must"
    );
    assert_eq!(codes("--fault ping-served"), [0, 0, 0, 0], "a note");
    assert_eq!(
        codes("--fault exits-at-start"),
        [2, 2, 2, 2],
        "no judgement"
    );
    assert_eq!(check("", &["--fail-on", "nothing"]).code, Some(2));
}

#[test]
fn times_have_units() {
    for time in ["500", "500ms", "10s", "1.5s", "2m"] {
        let done = run([
            "--plan",
            "--timeout",
            time,
            "--deadline",
            time,
            "localhost/mcp",
        ]);
        assert_eq!(done.code, Some(0), "{time}: {}", done.stderr);
    }
    for time in ["0", "ten", "1h", "-1s", ""] {
        for flag in ["--timeout", "--deadline"] {
            let done = run([
                "--plan".to_owned(),
                format!("{flag}={time}"),
                "localhost/mcp".into(),
            ]);
            assert_eq!(done.code, Some(2), "{time}");
            assert!(done.stderr.contains(flag), "{}", done.stderr);
        }
    }
}

#[test]
fn the_wait_for_an_answer_and_for_the_run_are_kept() {
    let server = Served::start(&["--fault", "silent"]);
    let quick = server.check(&["--timeout", "200ms", "--deadline", "60s"]);
    assert_eq!(quick.code, Some(2));
    assert!(quick.took.as_secs() < 10, "{:?}", quick.took);
    let slow = server.check(&["--timeout", "50s", "--deadline", "1s"]);
    assert_eq!(slow.code, Some(2));
    assert!(slow.took.as_secs() < 10, "{:?}", slow.took);
}

#[test]
fn a_forced_era_is_said() {
    let modern = check("--era dual", &["--era", "modern"]);
    assert!(
        modern.stdout.contains("forced: only modern was asked"),
        "{}",
        modern.stdout
    );
    assert_eq!(modern.code, Some(0));
    let legacy = check("--era dual", &["--era", "legacy"]);
    assert!(
        legacy.stdout.contains("forced: only legacy was asked"),
        "{}",
        legacy.stdout
    );
    assert!(!legacy.stdout.contains("READY  dual"), "{}", legacy.stdout);
    let report = check("--era dual", &["--era", "legacy", "--format", "json"]).json();
    assert_eq!(report["forcedEra"], "legacy");
    assert_eq!(check("", &["--era", "ancient"]).code, Some(2));
}

#[test]
fn the_order_of_requests_changes_no_outcome() {
    for flags in [
        ["--era", "dual"],
        ["--era", "legacy"],
        ["--fault", "tool-order-unstable"],
    ] {
        let server = Served::start(&flags);
        let with = |n: &str| {
            server
                .check(&["--format", "json", "--concurrency", n])
                .json()
        };
        assert_eq!(outcomes(&with("1")), outcomes(&with("4")), "{flags:?}");
    }
}

#[test]
fn a_plan_sends_nothing() {
    let dir = scratch();
    let mark = dir.path().join("started");
    let done = finish(command().arg("--plan").arg("--").args(tell_tale(&mark)));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(!mark.exists());
    for part in [
        "server/discover",
        "initialize",
        "<listed resource>",
        "deviates in: ",
    ] {
        assert!(done.stdout.contains(part), "{part}");
    }

    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let done = run(["--plan", &url]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(
        done.stdout.contains("Mcp-Method: server/discover"),
        "{}",
        done.stdout
    );
    assert!(listener.accept().is_err(), "somebody connected");

    let modern = run(["--plan", "--era", "modern", "--no-read", &url]).stdout;
    assert!(!modern.contains("initialize") && !modern.contains("<listed resource>"));
}

#[test]
fn listed_items_can_be_left_alone() {
    let dir = scratch();
    let file = dir.path().join("run.jsonl");
    let recorded = |flags: &[&str]| {
        let file = file.to_str().unwrap();
        let done = run(["--record", file, "--stdio", "mcp-assay fixture --stdio"]
            .iter()
            .chain(flags));
        assert!(done.code.is_some());
        // A subscription to a listed resource reads nothing.
        std::fs::read_to_string(file)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter_map(|entry| {
                let text = entry["event"]["sent"]["data"]["text"].as_str()?.to_owned();
                serde_json::from_str::<Value>(&text).ok()
            })
            .filter(|request| {
                request["method"] == "resources/read" || request["method"] == "prompts/get"
            })
            .map(|request| request["params"].to_string())
            .collect::<String>()
    };
    let read = recorded(&[]);
    assert!(
        read.contains("fixture://readme") && read.contains("introduce"),
        "{read}"
    );
    let unread = recorded(&["--no-read"]);
    assert!(
        !unread.contains("fixture://") && !unread.contains("introduce"),
        "{unread}"
    );
}
