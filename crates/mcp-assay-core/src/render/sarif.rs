//! SARIF 2.1.0, for code scanning.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::report::{FindingReport, Report};

use super::sanitise;
use super::{Options, words};

/// Characters of one part of a message.
const PART: usize = 1000;

pub(super) fn render(report: &Report, options: &Options) -> String {
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver(report, options) },
            "invocations": [invocation(report)],
            "results": results(report, options),
            "columnKind": "unicodeCodePoints",
            "properties": {
                "target": text(&words::public_target(&report.target)),
                "transport": report.transport,
                "targetRevision": text(&report.target_revision),
                "verdict": report.verdict,
                "verdictReason": text(&report.verdict_reason),
                "era": report.era,
            },
        }],
    });
    // The alternate form of a JSON value is the pretty one; it cannot fail.
    sanitise::json(&format!("{log:#}")) + "\n"
}

/// All rules, also those without a result: an upload must show what was looked at.
fn driver(report: &Report, options: &Options) -> Value {
    let rules: Vec<Value> = report
        .rules
        .iter()
        .map(|rule| {
            let mut descriptor = json!({
                "id": text(&rule.id),
                "name": text(&rule.name),
                "shortDescription": { "text": text(&rule.claim) },
                "defaultConfiguration": { "level": words::severity(rule.severity) },
                "properties": {
                    "level": rule.level,
                    "outcome": rule.outcome,
                    "problem.severity": match words::severity(rule.severity) {
                        "note" => "recommendation",
                        other => other,
                    },
                },
            });
            if let Some(page) = options.docs_page(&rule.id) {
                descriptor["helpUri"] = page.into();
            }
            if let Some(reason) = &rule.reason {
                descriptor["properties"]["reason"] = text(reason).into();
            }
            descriptor
        })
        .collect();
    json!({
        "name": text(&report.tool.name),
        "version": text(&report.tool.version),
        "semanticVersion": text(&report.tool.version),
        "rules": rules,
    })
}

/// A run that judged nothing has failed, or an upload would close every alert.
fn invocation(report: &Report) -> Value {
    let mut notifications = Vec::new();
    let mut notify = |level: &str, id: &str, message: &str| {
        notifications.push(json!({
            "level": level,
            "descriptor": { "id": id },
            "message": { "text": text(message) },
        }));
    };
    let measured = !words::nothing_measured(report);
    if !measured {
        let mut message = format!(
            "could not judge: {}: {}",
            words::verdict(report.verdict).to_lowercase(),
            report.verdict_reason
        );
        if let Some(step) = words::next_step(report) {
            message = format!("{message}. {step}");
        }
        notify("error", "could-not-judge", &message);
    }
    if let Some(incomplete) = &report.incomplete {
        notify("warning", "incomplete", &incomplete.reason);
    }
    for id in &report.crashed_rules {
        notify("error", "rule-crashed", &words::crash(report, id));
    }
    for line in &report.diagnostics {
        notify("note", "diagnostic", line);
    }
    json!({
        "executionSuccessful": measured,
        "startTimeUtc": text(&report.started_at),
        "toolExecutionNotifications": notifications,
    })
}

fn results(report: &Report, options: &Options) -> Vec<Value> {
    let mut seen = HashMap::new();
    report
        .findings
        .iter()
        .map(|finding| {
            let place = place(finding);
            // The same place twice: told apart by their order, which the report fixes.
            let times: &mut usize = seen.entry(place.clone()).or_default();
            *times += 1;
            result(report, finding, &fingerprints(&place, *times), options)
        })
        .collect()
}

fn result(
    report: &Report,
    finding: &FindingReport,
    fingerprints: &Value,
    options: &Options,
) -> Value {
    let message = format!(
        "{}\nObserved: {}\nExpected: {}\nFix: {}\nOwner: {} ({})\nSpecification: {}",
        text(&finding.title),
        text(&finding.observed),
        text(&finding.expected),
        text(&finding.fix),
        words::owner(finding.remediation),
        text(&finding.owner_reason),
        text(&finding.spec_ref),
    );
    let mut properties = json!({
        "requirement": text(&finding.requirement),
        "level": finding.level,
        "owner": finding.remediation,
        "security": finding.security,
        "evidence": finding.evidence.iter().map(|e| text(&e.summary)).collect::<Vec<_>>(),
    });
    if let Some(path) = &finding.path {
        properties["path"] = text(path).into();
    }
    if let Some(command) = &finding.reproduce {
        properties["reproduce"] = text(command).into();
    }
    if !finding.symptoms.is_empty() {
        properties["symptoms"] = finding.symptoms.iter().map(|id| text(id)).collect();
    }
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), text(&finding.rule_id).into());
    if let Some(index) = report
        .rules
        .iter()
        .position(|rule| rule.id == finding.rule_id)
    {
        result.insert("ruleIndex".to_owned(), index.into());
    }
    result.insert("level".to_owned(), words::severity(finding.severity).into());
    result.insert("message".to_owned(), json!({ "text": message }));
    result.insert(
        "locations".to_owned(),
        json!([{
            "physicalLocation": {
                "artifactLocation": { "uri": anchor(&options.sarif_anchor), "uriBaseId": "%SRCROOT%" },
                "region": { "startLine": 1 },
            },
        }]),
    );
    result.insert("partialFingerprints".to_owned(), fingerprints.clone());
    result.insert("properties".to_owned(), properties);
    Value::Object(result)
}

/// Where a defect is; nothing of the run enters it.
fn place(finding: &FindingReport) -> String {
    let path = finding.path.as_deref().unwrap_or_default();
    format!(
        "{}/{}/{:016x}",
        text(&finding.rule_id),
        text(&finding.requirement),
        hash(path)
    )
}

/// The second name is the one that GitHub matches alerts by. Left to its upload action, it would be
/// made of the anchor's first line: the same for all findings of a rule, and another one whenever
/// that line is edited.
fn fingerprints(place: &str, times: usize) -> Value {
    json!({
        "mcpAssay/v1": format!("{place}/{times}"),
        "primaryLocationLineHash": format!("{:016x}:{times}", hash(place)),
    })
}

/// FNV-1a: the same everywhere and in every release. Nobody gains by a collision of findings of
/// their own.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A relative URI reference of a file name.
fn anchor(file: &str) -> String {
    let mut out = String::with_capacity(file.len());
    for byte in file.replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

fn text(text: &str) -> String {
    sanitise::sarif(text, PART)
}
