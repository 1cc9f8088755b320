//! Reports made by hand, one for each verdict.

use crate::protocol::TARGET_REVISION;
use crate::report::*;
use crate::transcript::TransportKind;

pub(super) fn report(verdict: Verdict, reason: &str) -> Report {
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: "mcp-assay".to_owned(),
            version: "0.1.0".to_owned(),
        },
        target: "npx -y @modelcontextprotocol/server-everything".to_owned(),
        transport: TransportKind::Stdio,
        target_revision: TARGET_REVISION.to_owned(),
        started_at: "2026-08-01T12:00:00Z".to_owned(),
        duration_ms: 412,
        verdict,
        verdict_reason: reason.to_owned(),
        ready: verdict == Verdict::Ready,
        unreachable: None,
        incomplete: None,
        era: Era::Unknown,
        forced_era: None,
        revisions: Revisions::default(),
        server: None,
        sdk: None,
        summary: Summary::default(),
        conformance: None,
        findings: Vec::new(),
        rules: Vec::new(),
        crashed_rules: Vec::new(),
        diagnostics: Vec::new(),
        exchanges: None,
    }
}

pub(super) fn rule(id: &str, name: &str, outcome: OutcomeKind) -> RuleReport {
    RuleReport {
        id: id.to_owned(),
        name: name.to_owned(),
        claim: format!("A correct server does not suffer from {name}."),
        level: Level::Must,
        severity: Severity::Error,
        outcome,
        reason: None,
        because: None,
        checks: vec![CheckReport {
            requirement: format!("R-{id}"),
            level: Level::Must,
            outcome,
            reason: None,
            evidence: vec![3],
        }],
    }
}

pub(super) fn masked(id: &str, name: &str, because: &str) -> RuleReport {
    RuleReport {
        because: Some(because.to_owned()),
        ..rule(id, name, OutcomeKind::NotMeasured)
    }
}

pub(super) fn finding(id: &str, name: &str, severity: Severity) -> FindingReport {
    FindingReport {
        rule_id: id.to_owned(),
        name: name.to_owned(),
        severity,
        level: Level::Must,
        requirement: format!("R-{id}"),
        security: false,
        remediation: Owner::Application,
        owner_reason: "some results carry the member and some do not, so a handler is hand-written"
            .to_owned(),
        title: "results of prompts/list lack ttlMs and cacheScope".to_owned(),
        observed: "prompts/list -> {\"prompts\":[],\"resultType\":\"complete\"}".to_owned(),
        expected: "every list result says how long and for whom it may be cached".to_owned(),
        fix:
            "add ttlMs (milliseconds, 0 to forbid) and cacheScope (public or private) to the result"
                .to_owned(),
        spec_ref:
            "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching"
                .to_owned(),
        evidence: vec![EvidenceReport {
            entry: 7,
            summary: "prompts/list -> result".to_owned(),
            sent: Some("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"prompts/list\"}".to_owned()),
            received: Some("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}".to_owned()),
        }],
        path: Some("/result".to_owned()),
        reproduce: Some("printf '%s\\n' '{\"jsonrpc\":\"2.0\"}' | node server.js".to_owned()),
        symptoms: Vec::new(),
    }
}

pub(super) fn legacy() -> Report {
    let mut report = report(
        Verdict::NotReady,
        "legacy server: speaks 2025-11-25, not 2026-07-28",
    );
    report.era = Era::Legacy;
    report.revisions.legacy_negotiated = Some("2025-11-25".to_owned());
    report.server = Some(Identity {
        name: "example-servers/everything".to_owned(),
        version: "1.0.0".to_owned(),
    });
    report.sdk = Some(Sdk {
        name: "@modelcontextprotocol/sdk".to_owned(),
        line: "1.x".to_owned(),
        signals: vec!["the wording of -32601".to_owned()],
    });
    report.findings = vec![FindingReport {
        remediation: Owner::Sdk,
        owner_reason: "the 1.x line of the SDK speaks no newer revision".to_owned(),
        title: "the server speaks 2025-11-25 only".to_owned(),
        observed: "server/discover -> error -32601 \"Method not found\"; initialize negotiated 2025-11-25"
            .to_owned(),
        expected: "requests that carry their own metadata are served for revision 2026-07-28, without a handshake"
            .to_owned(),
        fix: "upgrade to the 2.x packages of the SDK, which serve 2026-07-28 and the handshake revisions"
            .to_owned(),
        spec_ref: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning".to_owned(),
        path: None,
        symptoms: vec!["MCP001".to_owned()],
        ..finding("MCP050", "revision-not-served", Severity::Error)
    }];
    report.rules = vec![
        rule("MCP001", "discover-missing", OutcomeKind::Fail),
        masked("MCP004", "result-type-missing", "MCP050"),
        masked("MCP005", "cache-hints-missing", "MCP050"),
        masked("MCP013", "meta-rejected", "MCP050"),
        RuleReport {
            reason: Some("stdio has no HTTP headers".to_owned()),
            ..rule(
                "MCP014",
                "routing-headers-rejected",
                OutcomeKind::NotApplicable,
            )
        },
        rule("MCP050", "revision-not-served", OutcomeKind::Fail),
        rule("MCP100", "batch-accepted", OutcomeKind::Pass),
        RuleReport {
            reason: Some("no answer came within 10 s".to_owned()),
            ..rule("MCP101", "ping-unanswered", OutcomeKind::NotMeasured)
        },
    ];
    report.exchanges = Some(vec![ExchangeReport {
        entry: 1,
        connection: 0,
        scenario: "opening".to_owned(),
        probe: "discover".to_owned(),
        at_ms: 12,
        summary: "server/discover -> error -32601 \"Method not found\"".to_owned(),
        sent: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}\n".to_owned(),
        received: vec!["{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601}}\n".to_owned()],
    }]);
    report
}

pub(super) fn ready() -> Report {
    let mut report = report(Verdict::Ready, "dual-era server: 2026-07-28 is served");
    report.target = "https://api.example.com/mcp".to_owned();
    report.transport = TransportKind::Http;
    report.era = Era::Dual;
    report.findings = vec![
        FindingReport {
            security: true,
            remediation: Owner::Infrastructure,
            ..finding("MCP201", "foreign-origin-served", Severity::Warning)
        },
        FindingReport {
            title: "ping is still answered".to_owned(),
            ..finding("MCP006", "ping-served", Severity::Note)
        },
    ];
    report.rules = vec![
        rule("MCP001", "discover-missing", OutcomeKind::Pass),
        rule("MCP006", "ping-served", OutcomeKind::Fail),
        rule("MCP201", "foreign-origin-served", OutcomeKind::Fail),
    ];
    report.conformance = Some(Conformance {
        applicable: 120,
        hold: 118,
        broken: 1,
        not_measured: 1,
    });
    report.diagnostics = vec!["stderr: listening".to_owned()];
    report
}

pub(super) fn broken() -> Report {
    let mut report = report(
        Verdict::NotReady,
        "3 requirements that clients rely on are broken",
    );
    report.era = Era::Modern;
    report.findings = vec![
        finding("MCP004", "result-type-missing", Severity::Error),
        FindingReport {
            path: Some("/result/prompts/0".to_owned()),
            ..finding("MCP005", "cache-hints-missing", Severity::Error)
        },
        FindingReport {
            path: Some("/result/tools/0".to_owned()),
            ..finding("MCP005", "cache-hints-missing", Severity::Error)
        },
    ];
    report.rules = vec![
        rule("MCP004", "result-type-missing", OutcomeKind::Fail),
        rule("MCP005", "cache-hints-missing", OutcomeKind::Fail),
        masked("MCP017", "tool-order-unstable", "MCP004"),
        RuleReport {
            reason: Some("index out of bounds".to_owned()),
            ..rule("MCP018", "server-info-missing", OutcomeKind::Crashed)
        },
    ];
    report.crashed_rules = vec!["MCP018".to_owned()];
    report
}

pub(super) fn unreachable() -> Report {
    let mut report = report(
        Verdict::Unreachable,
        "launch failed: the process exited with status 1 before it answered",
    );
    report.unreachable = Some("launch-failed".to_owned());
    report.diagnostics = (1..=7)
        .map(|n| format!("stderr: Error: Cannot find module 'part-{n}'"))
        .collect();
    report.rules = vec![RuleReport {
        reason: Some("nothing answered".to_owned()),
        ..rule("MCP001", "discover-missing", OutcomeKind::NotMeasured)
    }];
    report
}

pub(super) fn auth_required() -> Report {
    let mut report = report(
        Verdict::AuthRequired,
        "401 with WWW-Authenticate: Bearer resource_metadata=\"https://api.example.com/.well-known\"",
    );
    report.target = "https://api.example.com/mcp".to_owned();
    report.transport = TransportKind::Http;
    report
}

pub(super) fn not_mcp() -> Report {
    let mut report = report(Verdict::NotMcp, "answers 200 with text/html: a web page");
    report.target = "https://example.com/".to_owned();
    report.transport = TransportKind::Http;
    report
}

pub(super) fn incomplete() -> Report {
    let mut report = report(Verdict::Incomplete, "the server died after tools/list");
    report.era = Era::Modern;
    report.incomplete = Some(Incomplete {
        probes: 40,
        failed: 31,
        reason: "the process was killed by signal 11".to_owned(),
    });
    report.forced_era = Some("modern".to_owned());
    report.diagnostics = vec!["exit: signal 11 after 350 ms".to_owned()];
    report.rules = vec![
        rule("MCP001", "discover-missing", OutcomeKind::Pass),
        RuleReport {
            reason: Some("the server had died".to_owned()),
            ..rule("MCP004", "result-type-missing", OutcomeKind::NotMeasured)
        },
    ];
    report
}

pub(super) fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("legacy", legacy()),
        ("ready", ready()),
        ("broken", broken()),
        ("unreachable", unreachable()),
        ("auth_required", auth_required()),
        ("not_mcp", not_mcp()),
        ("incomplete", incomplete()),
    ]
}

/// A report in which every string is `text`.
pub(super) fn hostile(text: &str, verdict: Verdict) -> Report {
    let text = || text.to_owned();
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: text(),
            version: text(),
        },
        target: text(),
        transport: TransportKind::Http,
        target_revision: text(),
        started_at: text(),
        duration_ms: 1,
        verdict,
        verdict_reason: text(),
        ready: false,
        unreachable: Some(text()),
        incomplete: Some(Incomplete {
            probes: 2,
            failed: 1,
            reason: text(),
        }),
        era: Era::Modern,
        forced_era: Some(text()),
        revisions: Revisions {
            declared: vec![text()],
            modern_served: vec![text()],
            legacy_negotiated: Some(text()),
        },
        server: Some(Identity {
            name: text(),
            version: text(),
        }),
        sdk: Some(Sdk {
            name: text(),
            line: text(),
            signals: vec![text()],
        }),
        summary: Summary::default(),
        conformance: Some(Conformance::default()),
        findings: [Severity::Error, Severity::Warning, Severity::Note]
            .map(|severity| FindingReport {
                rule_id: text(),
                name: text(),
                severity,
                level: Level::Must,
                requirement: text(),
                security: true,
                remediation: Owner::Sdk,
                owner_reason: text(),
                title: text(),
                observed: text(),
                expected: text(),
                fix: text(),
                spec_ref: text(),
                evidence: vec![EvidenceReport {
                    entry: 0,
                    summary: text(),
                    sent: Some(text()),
                    received: Some(text()),
                }],
                path: Some(text()),
                reproduce: Some(text()),
                symptoms: vec![text()],
            })
            .to_vec(),
        rules: [
            OutcomeKind::Fail,
            OutcomeKind::NotMeasured,
            OutcomeKind::NotApplicable,
            OutcomeKind::Crashed,
        ]
        .into_iter()
        .flat_map(|outcome| {
            [None, Some(text())].map(|because| RuleReport {
                id: text(),
                name: text(),
                claim: text(),
                level: Level::Must,
                severity: Severity::Error,
                outcome,
                reason: Some(text()),
                because,
                checks: vec![CheckReport {
                    requirement: text(),
                    level: Level::Must,
                    outcome,
                    reason: Some(text()),
                    evidence: vec![0],
                }],
            })
        })
        .collect(),
        crashed_rules: vec![text()],
        diagnostics: vec![text()],
        exchanges: Some(vec![ExchangeReport {
            entry: 0,
            connection: 0,
            scenario: text(),
            probe: text(),
            at_ms: 0,
            summary: text(),
            sent: text(),
            received: vec![text()],
        }]),
    }
}
