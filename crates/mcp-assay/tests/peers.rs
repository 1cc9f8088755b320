//! Mistakes that other checkers make, each with the server that provokes it and the right answer.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/cli.rs"]
mod cli;
mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use mcp_assay_core::probe;
use mcp_assay_core::report::{Era as Spoken, OutcomeKind, Report, Verdict};
use mcp_assay_core::requirements::REQUIREMENTS;
use mcp_assay_core::rules::RULES;
use mcp_assay_core::transcript::Event;
use mcp_assay_core::transcript::view::View;
use mcp_assay_core::{Endpoint, Selection, Target, Transcript, build, record};
use mcp_assay_fixtures::{Era, faults};
use serde_json::Value;
use support::listener::Listener;
use support::{Case, Transport, faulty, hits, rule, run, serve, settings};

fn checked(case: &Case) -> Report {
    run(case, &settings(), 4).1
}

/// Checks the server with this fault on each transport it has.
fn each(fault: &str, expect: impl Fn(&Report, &str)) {
    for case in faulty(fault) {
        expect(&checked(&case), &case.name());
    }
}

/// Nothing may be said of a server that was not met.
fn assert_nothing_was_judged(report: &Report, name: &str) {
    assert_eq!(hits(report), [""; 0], "{name}");
    assert_eq!(report.summary.checks, 0, "{name}");
    let judged = |rule: &&mcp_assay_core::report::RuleReport| {
        matches!(rule.outcome, OutcomeKind::Pass | OutcomeKind::Fail)
    };
    assert_eq!(report.rules.iter().filter(judged).count(), 0, "{name}");
}

/// Arguments that check the server with this fault on stdio, with short waits.
fn on_stdio<'a>(flags: &[&'a str], fault: &'a str) -> Vec<&'a str> {
    let waits = ["--timeout", "1s", "--deadline", "5s"];
    [&waits[..], flags, &stdio(fault)].concat()
}

/// The built-in server with this fault, as a command.
fn stdio(fault: &str) -> [&str; 6] {
    ["--", "mcp-assay", "fixture", "--stdio", "--fault", fault]
}

/// Arguments that check a URL, with short waits.
fn on_http<'a>(flags: &[&'a str], url: &'a str) -> Vec<&'a str> {
    let waits = ["--timeout", "1s", "--deadline", "5s"];
    [&waits[..], flags, &["--http", url]].concat()
}

#[test]
fn peer_01_a_401_with_a_json_body_is_auth_required() {
    for fault in ["refuses-401-json", "refuses-401-json-rpc"] {
        each(fault, |report, name| {
            assert_eq!(report.verdict, Verdict::AuthRequired, "{name}");
            assert_nothing_was_judged(report, name);
        });
        let server = serve(fault);
        let run = cli::run(&on_http(&[], &server.url()));
        assert_eq!(run.code, Some(2), "{fault}");
        assert!(run.stderr.starts_with("could not judge: auth-required ("));
        assert!(!run.stdout.contains("undefined"), "{}", run.stdout);
    }
}

#[test]
fn peer_02_a_refused_version_is_one_cause() {
    each("legacy-http-unsupported-version", |report, name| {
        assert_eq!(hits(report), ["MCP050 error sdk"], "{name}");
        assert_eq!(report.verdict, Verdict::NotReady, "{name}");
        let modern_only = ["MCP006", "MCP007", "MCP008", "MCP013", "MCP014", "MCP021"];
        for id in modern_only.map(|id| rule(report, id)) {
            assert_eq!(id.outcome, OutcomeKind::NotMeasured, "{name}: {}", id.id);
            assert_eq!(id.because.as_deref(), Some("MCP050"), "{name}: {}", id.id);
        }
    });
}

#[test]
fn peer_03_a_dual_era_server_may_serve_sessions_and_streams_to_legacy_clients() {
    let correct = Case {
        era: Era::Dual,
        fault: None,
        transport: Transport::Http,
    };
    let streaming = faulty("dual-get-stream")[0];
    for case in [correct, streaming] {
        let (transcript, report) = run(&case, &settings(), 4);
        let issues_session = |entry: &mcp_assay_core::transcript::Entry| {
            matches!(&entry.event, Event::Head { headers, .. }
                if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id")))
        };
        assert!(transcript.entries.iter().any(issues_session));
        assert_eq!(report.verdict, Verdict::Ready, "{}", case.name());
        assert_eq!(report.era, Spoken::Dual);
        assert_eq!(hits(&report), [""; 0], "{}", case.name());
        assert_eq!(rule(&report, "MCP003").outcome, OutcomeKind::Pass);
    }
    // The second one does what would be a finding without its legacy clients.
    let report = checked(&streaming);
    let get = &rule(&report, "MCP010").checks[0];
    assert_eq!(get.outcome, OutcomeKind::NotApplicable);
}

#[test]
fn peer_04_initialize_may_be_refused_with_any_error() {
    for fault in [
        "initialize-refused-32020",
        "initialize-refused-32601",
        "initialize-refused-32602",
        "initialize-400-plain",
        "initialize-404-empty",
    ] {
        each(fault, |report, name| {
            assert_eq!(report.verdict, Verdict::Ready, "{name}");
            assert_eq!(report.era, Spoken::Modern, "{name}");
            assert_eq!(hits(report), [""; 0], "{name}");
            assert_eq!(rule(report, "MCP002").outcome, OutcomeKind::Pass, "{name}");
        });
    }
}

/// What is wrong and judged is found; what no rule judges yet is at least not taken for something
/// else, and nothing that it breaks counts as held.
#[test]
fn peer_05_real_violations_are_not_ready_or_left_open() {
    for (fault, expected) in [
        ("supported-versions-wrong", "MCP050 error sdk"),
        (
            "supported-versions-without-target",
            "MCP050 error application",
        ),
        ("ttl-negative-fraction", "MCP005 error sdk"),
        ("input-required-on-tools-list", "MCP004 error application"),
        // The server checks Mcp-Name first; without it the rule would be blind.
        ("resource-not-found-32002", "MCP011 warning sdk"),
    ] {
        each(fault, |report, name| {
            assert_eq!(hits(report), [expected], "{name}");
        });
    }
    let open = |fault: &str, expect: &dyn Fn(&Report, &str)| {
        each(fault, |report, name| {
            assert_eq!(hits(report), [""; 0], "{name}");
            assert!(report.crashed_rules.is_empty(), "{name}");
            expect(report, name);
        });
    };
    let check = |report: &Report, id: &str, requirement: &str| {
        let checks = &rule(report, id).checks;
        let check = checks.iter().find(|check| check.requirement == requirement);
        check.unwrap().outcome
    };
    // For a rule of the family `base`: versioning.
    open("unknown-version-served", &|report, name| {
        let outcome = check(report, "MCP012", "version.unsupported-error");
        assert_eq!(outcome, OutcomeKind::NotMeasured, "{name}");
    });
    open("unknown-version-served-later", &|_, _| ());
    // For a rule of the family `http`: header validation.
    open("header-mismatch-ignored", &|report, name| {
        let outcome = check(report, "MCP012", "transport.http.header.method-mismatch");
        assert_eq!(outcome, OutcomeKind::NotMeasured, "{name}");
    });
    // For a rule of the family `http`: the status of unknown methods.
    open("method-not-found-200", &|_, _| ());
    // For a rule of the family `features`: the shape of lists. A list that is none was not
    // delivered, and without it nobody is ready.
    open("tools-not-a-list", &|report, name| {
        assert_eq!(report.verdict, Verdict::Incomplete, "{name}");
        assert!(report.verdict_reason.contains("tools/list"), "{name}");
    });
    // For a rule of the family `features`: unknown resources.
    open("resource-not-found-empty", &|report, name| {
        let outcome = rule(report, "MCP011").outcome;
        assert_ne!(outcome, OutcomeKind::Fail, "{name}");
    });
}

#[test]
fn peer_06_requests_and_guesses_are_never_taken_for_answers() {
    for fault in [
        // Requests on a modern connection are for a rule of the family `base`.
        "server-requests-with-our-ids",
        "responses-with-guessed-ids",
    ] {
        let cases = faulty(fault);
        assert_eq!(cases.len(), 2);
        for case in cases {
            let name = case.name();
            let mut used: BTreeSet<i64> = BTreeSet::new();
            for _ in 0..2 {
                let (transcript, report) = run(&case, &settings(), 4);
                assert_eq!(hits(&report), [""; 0], "{name}");
                assert_eq!(report.verdict, Verdict::Ready, "{name}");
                assert_eq!(report.era, Spoken::Modern, "{name}");
                for id in ids(&transcript) {
                    assert!(id >= 1_000_000, "{name}: {id} could be guessed");
                    assert!(used.insert(id), "{name}: {id} was used twice");
                }
            }
            assert!(used.len() > 30, "{name}: {}", used.len());
        }
    }
}

/// The ids of all requests that were sent.
fn ids(transcript: &Transcript) -> Vec<i64> {
    let view = View::new(transcript.header.transport, &transcript.entries);
    let id = |exchange: &mcp_assay_core::transcript::view::Exchange<'_>| {
        view.request(exchange)?.get("id")?.as_i64()
    };
    view.exchanges().iter().filter_map(id).collect()
}

#[test]
fn peer_07_empty_objects_are_no_mcp() {
    for fault in ["empty-objects", "id-only", "null-lines", "text-lines"] {
        let cases = faulty(fault);
        assert_eq!(cases.len(), 2);
        each(fault, |report, name| {
            assert_eq!(report.verdict, Verdict::NotMcp, "{name}");
            assert_eq!(report.era, Spoken::Unknown, "{name}");
            assert_nothing_was_judged(report, name);
        });
    }
    let run = cli::run(&on_stdio(&[], "id-only"));
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("could not judge: not-mcp ("));
}

#[test]
fn peer_08_another_set_of_tools_is_no_other_order() {
    each("changing-tools", |report, name| {
        assert_eq!(hits(report), [""; 0], "{name}");
        let order = rule(report, "MCP017");
        assert_eq!(order.outcome, OutcomeKind::NotMeasured, "{name}");
        let reason = order.reason.as_deref().unwrap();
        assert!(reason.contains("set of tools changed"), "{name}: {reason}");
    });
    // The near miss.
    each("tool-order-unstable", |report, name| {
        assert_eq!(hits(report), ["MCP017 warning application"], "{name}");
    });
}

#[test]
fn peer_09_a_refused_envelope_is_one_cause() {
    each("meta-rejected", |report, name| {
        assert_eq!(hits(report), ["MCP013 error sdk"], "{name}");
        let failed = report
            .rules
            .iter()
            .filter(|rule| rule.outcome == OutcomeKind::Fail);
        assert_eq!(failed.count(), 1, "{name}");
        for id in ["MCP006", "MCP009", "MCP011", "MCP012"] {
            let because = rule(report, id).because.as_deref();
            assert_eq!(because, Some("MCP013"), "{name}: {id}");
        }
    });
}

#[test]
fn peer_10_a_server_that_dies_after_the_opening_is_never_ready() {
    for fault in [
        "silent-after-3",
        "exits-after-3",
        // All that gates is measured by then.
        "silent-after-lists",
        "exits-after-lists",
    ] {
        each(fault, |report, name| {
            assert_eq!(report.verdict, Verdict::Incomplete, "{name}");
            assert!(!report.ready, "{name}");
        });
        let run = cli::run(&on_stdio(&[], fault));
        assert_eq!(run.code, Some(2), "{fault}: {}", run.stdout);
        assert!(run.stderr.starts_with("could not judge: incomplete ("));
    }
    // One question that is never answered, or answered without a body, is no reason to judge
    // nothing; both are for rules of the families `base` and `http`.
    for fault in ["removed-methods-silent", "unknown-methods-silent"] {
        each(fault, |report, name| {
            assert_ne!(report.verdict, Verdict::Incomplete, "{name}");
            let ping = rule(report, "MCP006").outcome;
            assert_eq!(ping, OutcomeKind::NotMeasured, "{name}");
        });
    }
    each("method-not-found-404-empty", |report, name| {
        assert_ne!(report.verdict, Verdict::Incomplete, "{name}");
        let ping = rule(report, "MCP006").outcome;
        assert_eq!(ping, OutcomeKind::Pass, "{name}");
    });
}

/// That a crashed rule is never ready is tested beside the engine and the exit codes: no server
/// makes a rule crash.
#[test]
fn peer_11_our_own_failures_are_no_findings() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let garbage = path("garbage.jsonl");
    std::fs::write(&garbage, "{\"format\": \"none\"}\nnull\n").unwrap();
    let (missing, nowhere) = (path("missing.jsonl"), path("no-such-folder/report.json"));
    for arguments in [
        vec!["replay", &garbage],
        vec!["replay", &missing],
        on_stdio(&["--output", &nowhere], "no-tools"),
        vec!["--http", "http://127.0.0.1:1/mcp", "--only", "no-such-rule"],
        vec!["--no-such-flag"],
    ] {
        let run = cli::run(&arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
    // A rule that panics does not happen for a recording that was cut anywhere.
    let (transcript, _) = run(&faulty("pages")[0], &settings(), 4);
    for keep in 0..transcript.entries.len() {
        let mut cut = transcript.clone();
        cut.entries.truncate(keep);
        let report = build(&cut, &Selection::default(), false);
        assert!(report.crashed_rules.is_empty(), "{keep} entries");
    }
}

#[test]
fn peer_12_every_wait_is_bounded_and_none_is_fixed() {
    for transport in [Transport::Stdio, Transport::Http] {
        let correct = Case {
            era: Era::Dual,
            fault: None,
            transport,
        };
        // Fixed waits for subscriptions would take five seconds.
        let report = checked(&correct);
        assert!(report.duration_ms < 2500, "{} ms", report.duration_ms);
    }
    // A stream that opens and says nothing has answered, however long a client would wait.
    for (fault, timeout) in [("get-hangs", "300ms"), ("get-stream-served", "10s")] {
        let server = serve(fault);
        let run = cli::run(&["--timeout", timeout, "--http", &server.url()]);
        assert_eq!(run.code, Some(0), "{fault}: {}", run.stdout);
        assert!(run.took < Duration::from_secs(5), "{fault}: {:?}", run.took);
    }

    let silent = serve("silent");
    let url = silent.url();
    let limits = ["--deadline", "1s"];
    for arguments in [
        [&limits[..], &stdio("silent")[..]].concat(),
        [&limits[..], &["--http", &url]].concat(),
    ] {
        let run = cli::run(&arguments);
        assert_eq!(run.code, Some(2), "{}", run.stdout);
        assert!(run.took < Duration::from_secs(4), "{:?}", run.took);
    }
}

#[test]
fn peer_13_hostile_servers_cost_neither_time_nor_memory() {
    /// KiB; a debug build alone takes about a third of it.
    const MOST: u64 = 96 * 1024;
    let bounded = |arguments: &[&str], fault: &str| {
        let run = cli::run(arguments);
        assert!(
            run.took < Duration::from_secs(10),
            "{fault}: {:?}",
            run.took
        );
        if let Some(peak) = run.peak {
            assert!(peak < MOST, "{fault}: {peak} KiB");
        }
        run
    };
    // It would not end while a grandchild held its pipes.
    let grandchild = bounded(&on_stdio(&[], "grandchild"), "grandchild");
    assert_eq!(grandchild.code, Some(0), "{}", grandchild.stdout);
    bounded(&on_stdio(&[], "ignores-sigterm"), "ignores-sigterm");
    for fault in ["huge-line", "floods", "endless-line"] {
        let run = bounded(&on_stdio(&[], fault), fault);
        assert_eq!(run.code, Some(2), "{fault}: {}", run.stdout);
    }
    for fault in [
        "huge-line",
        "endless-body",
        "endless-sse",
        "headers-never-end",
    ] {
        let server = serve(fault);
        let run = bounded(&on_http(&[], &server.url()), fault);
        assert_eq!(run.code, Some(2), "{fault}: {}", run.stdout);
    }
}

#[test]
fn peer_14_malformed_answers_crash_nothing() {
    for (fault, expected) in [
        ("null-lines", Verdict::NotMcp),
        ("closes-stdin", Verdict::Unreachable),
        ("closes-stdout", Verdict::Unreachable),
    ] {
        each(fault, |report, name| {
            assert_eq!(report.verdict, expected, "{name}");
            assert_nothing_was_judged(report, name);
        });
    }
    // For a rule of the family `base`: the shape of errors.
    for fault in ["error-without-message", "error-not-an-object"] {
        each(fault, |report, name| {
            assert!(report.crashed_rules.is_empty(), "{name}");
            assert_eq!(hits(report), [""; 0], "{name}");
        });
    }
    for fault in [
        "null-lines",
        "closes-stdin",
        "error-without-message",
        "error-not-an-object",
    ] {
        let run = cli::run(&on_stdio(&["--verbose"], fault));
        assert!(!run.stderr.contains("panicked"), "{fault}: {}", run.stderr);
        assert!(matches!(run.code, Some(0 | 2)), "{fault}: {:?}", run.code);
    }
}

#[test]
fn peer_15_nothing_a_server_says_reaches_the_output_raw() {
    let server = serve("ansi-names");
    let challenging = serve("challenge-with-markup");
    let (named, challenged) = (server.url(), challenging.url());
    for format in ["text", "json", "sarif", "markdown"] {
        let flags = ["--verbose", "--format", format];
        for arguments in [
            on_stdio(&flags, "ansi-names"),
            on_http(&flags, &named),
            on_http(&flags, &challenged),
        ] {
            let run = cli::run(&arguments);
            for out in [&run.stdout, &run.stderr] {
                let hidden = |c: char| {
                    (c.is_control() && c != '\n')
                        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
                };
                assert!(!out.contains(hidden), "{format}: {out}");
                // A workflow command is one at the start of a line only.
                let command = |line: &str| line.trim_start().starts_with("::");
                assert!(!out.lines().any(command), "{format}: {out}");
                // The server with the names is ready, and says so once more.
                let claims = out.lines().filter(|line| line.starts_with("READY"));
                assert!(claims.count() <= 1, "{format}: {out}");
                if format == "markdown" && std::ptr::eq(out, &raw const run.stdout) {
                    assert_no_markup_of_a_server(out);
                }
            }
        }
    }
    // The deception is there to be seen, or all this would prove nothing.
    let run = cli::run(&on_stdio(&["--verbose"], "ansi-names"));
    assert!(run.stdout.contains("deceived"), "{}", run.stdout);
    let run = cli::run(&on_http(&[], &challenged));
    assert!(run.stderr.contains("deceived"), "{}", run.stderr);
}

fn assert_no_markup_of_a_server(markdown: &str) {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    for event in Parser::new_ext(markdown, Options::all()) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                assert!(!html.contains("img"), "{html}");
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                assert!(!dest_url.contains("127.0.0.1:9"), "{dest_url}");
            }
            _ => {}
        }
    }
}

#[test]
fn peer_16_sarif_tells_nothing_from_something_and_no_secrets() {
    let sarif = |arguments: &[&str]| -> (Value, String) {
        let run = cli::run(&[&["--format", "sarif"][..], arguments].concat());
        (serde_json::from_str(&run.stdout).unwrap(), run.stdout)
    };
    // Nothing was measured: no results, and an invocation that failed.
    let (report, _) = sarif(&["--http", "http://127.0.0.1:1/mcp"]);
    let run = &report["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert_eq!(run["results"].as_array().unwrap().len(), 0);

    // Two findings of one rule are two alerts, the same ones in the next run.
    let server = serve("pre-release-codes");
    let fingerprints = || {
        let (report, _) = sarif(&on_http(&[], &server.url()));
        let run = report["runs"][0].clone();
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
        let results = run["results"].as_array().unwrap().clone();
        assert_eq!(results.len(), 2);
        assert!(results.iter().all(|result| result["ruleId"] == "MCP012"));
        let all = results
            .iter()
            .map(|result| result["partialFingerprints"].as_object().unwrap().clone());
        all.flatten()
            .map(|(kind, value)| format!("{kind} {value}"))
            .collect::<BTreeSet<_>>()
    };
    let first = fingerprints();
    // Two of each kind.
    assert_eq!(first.len(), 4, "{first:?}");
    assert_eq!(fingerprints(), first);

    let secret = "tr0ub4dor-and-3";
    let url = server
        .url()
        .replace("http://", &format!("http://me:{secret}@"))
        + "?token="
        + secret;
    let header = format!("X-Api-Key: {secret}");
    for format in ["sarif", "json", "markdown", "text"] {
        let flags = ["--verbose", "--format", format, "--header", &header];
        let run = cli::run(&on_http(&flags, &url));
        assert_eq!(run.code, Some(1), "{format}: {}", run.stderr);
        let out = run.stdout + &run.stderr;
        assert!(out.contains("127.0.0.1"), "{format}: {out}");
        assert!(!out.contains(secret), "{format}: {out}");
    }
}

#[test]
fn peer_17_no_link_is_dead() {
    let pages: BTreeSet<&str> =
        include_str!("../../mcp-assay-core/tests/catalogue/pages-2026-07-28.txt")
            .lines()
            .collect();
    let known: BTreeSet<String> = REQUIREMENTS
        .iter()
        .map(|known| {
            assert!(pages.contains(known.page), "{}: {}", known.id, known.page);
            known.url()
        })
        .collect();
    // One server per rule, and every link in its report.
    let mut met = BTreeSet::new();
    for rule in RULES {
        let fault = faults()
            .iter()
            .find(|fault| fault.http && fault.rule == Some(rule.id))
            .unwrap_or_else(|| panic!("no fault for {}", rule.id));
        let report = checked(&Case {
            era: fault.era,
            fault: Some(fault),
            transport: Transport::Http,
        });
        for finding in report.findings {
            let link = finding.spec_ref;
            assert!(known.contains(&link), "{}: {link}", finding.rule_id);
            met.insert(finding.rule_id);
        }
    }
    assert_eq!(met.len(), RULES.len());
}

#[test]
fn peer_18_metadata_is_read_without_redirects_headers_or_forbidden_addresses() {
    let challenge = |place: &str| {
        Listener::saying(format!(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer resource_metadata=\"{place}\"\r\n\
             Content-Length: 0\r\nConnection: close\r\n\r\n"
        ))
    };
    let bystander = Listener::saying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_owned());
    let redirecting = Listener::saying(format!(
        "HTTP/1.1 302 Found\r\nLocation: {}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        bystander.origin()
    ));
    let server = challenge(&format!("{}/metadata", redirecting.origin()));
    let url = format!("{}/mcp", server.origin());
    let flags = ["--header", "X-Api-Key: tr0ub4dor-and-3"];
    let run = cli::run(&on_http(&flags, &url));
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    let asked = server.requests();
    assert!(
        asked
            .iter()
            .all(|request| request.to_lowercase().contains("x-api-key: "))
    );
    let read = redirecting.requests();
    assert_eq!(read.len(), 1, "{read:?}");
    assert!(read[0].starts_with("GET /metadata HTTP/1.1\r\n"));
    assert!(!read[0].to_lowercase().contains("x-api-key"), "{read:?}");
    assert_eq!(bystander.requests(), [""; 0]);

    // That a public server may not name loopback is tested beside the transport.
    for place in [
        "http://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/metadata",
        "file:///etc/passwd",
        "ftp://127.0.0.1/metadata",
    ] {
        let server = challenge(place);
        let transcript = recorded(&format!("{}/mcp", server.origin()));
        let view = View::new(transcript.header.transport, &transcript.entries);
        let read: Vec<_> = view.asked(&probe::RESOURCE_METADATA).collect();
        assert_eq!(read.len(), 1, "{place}");
        let refused = |entry: &mcp_assay_core::transcript::Entry| matches!(&entry.event, Event::Failed { message, .. } if message.contains("not tried"));
        let about_it = |entry: &&mcp_assay_core::transcript::Entry| {
            entry
                .key
                .as_ref()
                .is_some_and(|key| key.probe == probe::RESOURCE_METADATA.id)
        };
        let entries: Vec<_> = transcript.entries.iter().filter(about_it).collect();
        assert!(
            entries.iter().all(|entry| refused(entry)),
            "{place}: {entries:?}"
        );
    }
}

fn recorded(url: &str) -> Transcript {
    let endpoint = Endpoint {
        url: url::Url::parse(url).unwrap(),
        headers: Vec::new(),
        ca_cert: None,
        concurrency: 4,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime
        .block_on(record(&Target::Http(endpoint), &settings(), &[]))
        .unwrap()
}
