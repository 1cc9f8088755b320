//! Permitted variants: nothing fires, and what can be measured is measured. And how many requests
//! are in flight at once changes nothing.

mod support;

use std::time::Duration;

use mcp_assay_core::report::{OutcomeKind, Report};
use mcp_assay_core::{Limits, Settings};
use mcp_assay_fixtures::{Era, Kind};
use support::{Case, Transport, cases, each, era, hits, run, verdict};

/// Slow machines must not turn a late answer into none.
fn patient() -> Settings {
    Settings {
        limits: Limits {
            request: Duration::from_secs(4),
            ..support::settings().limits
        },
        ..support::settings()
    }
}

/// Every check with its outcome: `MCP009 patterns.listen: not-measured (why)`.
fn outcomes(report: &Report) -> Vec<String> {
    let of_rule = |rule: &mcp_assay_core::report::RuleReport| {
        let id = rule.id.clone();
        rule.checks
            .iter()
            .map(move |check| {
                let outcome = match check.outcome {
                    OutcomeKind::Pass => "pass",
                    OutcomeKind::Fail => "fail",
                    OutcomeKind::NotApplicable => "not-applicable",
                    OutcomeKind::NotMeasured => "not-measured",
                    _ => "crashed",
                };
                let reason = check
                    .reason
                    .as_ref()
                    .map_or_else(String::new, |reason| format!(" ({reason})"));
                format!("{id} {}: {outcome}{reason}", check.requirement)
            })
            .collect::<Vec<_>>()
    };
    report.rules.iter().flat_map(of_rule).collect()
}

/// Where a variant comes out differently from the correct server of its era and transport.
#[test]
fn variants_are_judged_as_what_they_are() {
    let correct: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.fault.is_none())
        .collect();
    let baseline = each(&correct, |case| outcomes(&run(case, &patient(), 4).1));
    let baseline = |era: Era, transport: Transport| {
        let at = correct
            .iter()
            .position(|case| case.era == era && case.transport == transport);
        &baseline[at.unwrap()]
    };
    let variants: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.fault.is_some_and(|fault| fault.kind == Kind::Variant))
        .collect();
    assert!(variants.len() > 100, "{}", variants.len());
    let lines = each(&variants, |case| {
        let (_, report) = run(case, &patient(), 4);
        let mut lines = vec![format!(
            "{}: {}, {}",
            case.name(),
            verdict(&report),
            era(&report)
        )];
        let same = baseline(case.era, case.transport);
        lines.extend(
            outcomes(&report)
                .into_iter()
                .filter(|outcome| !same.contains(outcome))
                .map(|outcome| format!("  {outcome}")),
        );
        let legacy = case.era == Era::Legacy;
        let wanted: &[&str] = if legacy { &["MCP050 error sdk"] } else { &[] };
        assert_eq!(hits(&report), wanted, "{}", lines.join("\n"));
        assert!(report.crashed_rules.is_empty(), "{}", lines.join("\n"));
        let failed = lines.iter().any(|line| line.contains(": fail"));
        assert!(!failed, "{}", lines.join("\n"));
        lines.join("\n")
    });
    insta::assert_snapshot!("variants", lines.join("\n"));
}

/// Ports and ids differ from run to run.
fn without_numbers(text: &str) -> String {
    text.split(|c: char| c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("#")
}

/// Servers that take long on purpose, or whose answers depend on how many they gave.
const LEFT_OUT: &[&str] = &[
    "silent",
    "discover-silent",
    "unknown-methods-silent",
    "silent-after-3",
    "silent-after-lists",
    "huge-line",
    "endless-body",
    "endless-sse",
    "headers-never-end",
    "rate-limited-429",
];

#[test]
fn requests_in_flight_change_no_outcome() {
    let servers: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.transport == Transport::Http)
        .filter(|case| {
            case.fault
                .is_none_or(|fault| !LEFT_OUT.contains(&fault.name))
        })
        .collect();
    let complaints = each(&servers, |case| {
        let [one, four] = [1, 4].map(|concurrency| {
            let (_, report) = run(case, &patient(), concurrency);
            let head = format!(
                "{} ({}), {}: {}",
                verdict(&report),
                without_numbers(&report.verdict_reason),
                era(&report),
                hits(&report).join(", ")
            );
            [vec![head], outcomes(&report)].concat()
        });
        let differs = one.iter().zip(&four).filter(|(one, four)| one != four);
        differs
            .map(|(one, four)| format!("{}\n  1: {one}\n  4: {four}", case.name()))
            .collect::<Vec<_>>()
    });
    let complaints = complaints.concat();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
