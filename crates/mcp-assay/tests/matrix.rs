//! Every rule against every fault on both transports. A fault gives its rule and nothing else, a
//! permitted variant gives nothing, a violation that no rule judges yet is not taken for another, and a recorded run gives the same report again.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::BTreeSet;

use mcp_assay_core::report::{OutcomeKind, Report};
use mcp_assay_core::rules::RULES;
use mcp_assay_core::{Selection, Transcript, build};
use mcp_assay_fixtures::{Era, Kind, faults};
use support::{Case, cases, each, era, hits, run, settings, verdict};

fn line(case: &Case, report: &Report) -> String {
    // How far a hostile server lets itself be seen depends on how busy the machine is.
    let spoken = match case.fault {
        Some(fault) if fault.kind == Kind::Chaos => String::new(),
        _ => format!(", {}", era(report)),
    };
    let reason = report
        .unreachable
        .as_deref()
        .map_or_else(String::new, |r| format!(" {r}"));
    let verdict = match case.fault.map(|fault| fault.kind) {
        // What it comes to before there is a rule is nothing to hold fast.
        Some(Kind::Unjudged) => "unjudged".to_owned(),
        _ => verdict(report),
    };
    format!(
        "{}: {verdict}{reason}{spoken}; {}",
        case.name(),
        hits(report).join(", ")
    )
}

/// What is wrong with the report of a case, if anything is.
fn complaint(case: &Case, report: &Report) -> Option<String> {
    let found: BTreeSet<&str> = report.findings.iter().map(|f| f.rule_id.as_str()).collect();
    let legacy = BTreeSet::from(["MCP050"]);
    let (expected, wanted) = match case.fault {
        None if case.era == Era::Legacy => ("not-ready", legacy),
        None => ("ready", BTreeSet::new()),
        Some(fault) => match fault.kind {
            Kind::Fault => (fault.expect.verdict, fault.rule.into_iter().collect()),
            Kind::Variant if fault.expect.verdict == "not-ready" => ("not-ready", legacy),
            // Hostile servers may break rules; what matters is the verdict, and no invented error.
            Kind::Chaos if fault.expect.verdict == "not-ready" => ("not-ready", found.clone()),
            _ => (fault.expect.verdict, BTreeSet::new()),
        },
    };
    let mut wrong = Vec::new();
    let unjudged = case.fault.is_some_and(|fault| fault.kind == Kind::Unjudged);
    if verdict(report) != expected && !unjudged {
        wrong.push(format!("expected {expected} ({})", report.verdict_reason));
    }
    if found != wanted {
        wrong.push(format!("expected the rules {wanted:?}"));
    }
    if let Some(reason) = case.fault.and_then(|fault| fault.expect.reason)
        && report.unreachable.as_deref() != Some(reason)
    {
        wrong.push(format!("expected the reason {reason}"));
    }
    if !report.crashed_rules.is_empty() {
        wrong.push(format!("crashed: {:?}", report.crashed_rules));
    }
    (!wrong.is_empty()).then(|| format!("{}\n    {}", line(case, report), wrong.join("; ")))
}

#[test]
fn each_fault_gives_its_rule_and_nothing_else() {
    let filter = std::env::var("MATRIX_ONLY").unwrap_or_default();
    let cases: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.name().contains(&filter))
        .collect();
    let settings = settings();
    let results = each(&cases, |case| {
        let (transcript, report) = run(case, &settings, 4);
        let mut recording = Vec::new();
        transcript.write(&mut recording).unwrap();
        let replayed = Transcript::read(&mut recording.as_slice()).unwrap();
        let again = build(&replayed, &Selection::default(), false);
        let same = serde_json::to_value(&report).unwrap() == serde_json::to_value(&again).unwrap();
        let complaint = complaint(case, &report)
            .or_else(|| (!same).then(|| format!("{}: replay differs", case.name())));
        (line(case, &report), complaint)
    });
    let complaints: Vec<&String> = results.iter().filter_map(|(_, c)| c.as_ref()).collect();
    assert!(
        complaints.is_empty(),
        "{} of {} cases\n{}",
        complaints.len(),
        cases.len(),
        complaints
            .iter()
            .map(|c| c.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    );
    if filter.is_empty() {
        let hits: Vec<&str> = results.iter().map(|(line, _)| line.as_str()).collect();
        insta::assert_snapshot!("matrix", hits.join("\n"));
    }
}

#[test]
fn every_rule_has_a_fault() {
    let broken: BTreeSet<&str> = faults().iter().filter_map(|fault| fault.rule).collect();
    for rule in RULES {
        assert!(
            broken.contains(rule.id),
            "{} {} has no fault",
            rule.id,
            rule.name
        );
    }
}

/// On correct servers silence is not enough: what can be measured there must be a pass.
#[test]
fn correct_servers_pass_what_can_be_measured() {
    let correct: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.fault.is_none())
        .collect();
    let lines = each(&correct, |case| {
        let (_, report) = run(case, &settings(), 4);
        let of = |kind: OutcomeKind| -> Vec<String> {
            report
                .rules
                .iter()
                .filter(|rule| rule.outcome == kind)
                .map(|rule| match &rule.reason {
                    Some(reason) => format!("{} ({reason})", rule.id),
                    None => rule.id.clone(),
                })
                .collect()
        };
        format!(
            "{}\n  pass: {}\n  fail: {}\n  not applicable: {}\n  not measured: {}",
            case.name(),
            of(OutcomeKind::Pass).join(" "),
            of(OutcomeKind::Fail).join(" "),
            of(OutcomeKind::NotApplicable).join(", "),
            of(OutcomeKind::NotMeasured).join(", "),
        )
    });
    insta::assert_snapshot!("correct", lines.join("\n"));
}
