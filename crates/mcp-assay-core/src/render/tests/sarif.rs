use std::collections::HashSet;

use serde_json::Value;

use super::samples;
use crate::render::{Format, Options, render};
use crate::report::{Report, Severity};

fn run(report: &Report) -> Value {
    let options = Options {
        docs: Some("https://docs.example.com/rules".to_owned()),
        ..Options::default()
    };
    let mut log: Value = serde_json::from_str(&render(report, Format::Sarif, &options)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    log["runs"][0].take()
}

#[test]
fn every_rule_is_in_the_driver() {
    let report = samples::ready();
    let run = run(&report);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), report.rules.len());
    assert_eq!(rules[0]["id"], "MCP001");
    assert_eq!(rules[0]["shortDescription"]["text"], report.rules[0].claim);
    assert_eq!(
        rules[0]["helpUri"],
        "https://docs.example.com/rules/mcp001.html"
    );
}

#[test]
fn results_point_to_the_anchor_and_their_rule() {
    let run = run(&samples::broken());
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(
            run["tool"]["driver"]["rules"][index]["id"],
            result["ruleId"]
        );
        assert_eq!(
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "README.md"
        );
        assert_eq!(result["level"], "error");
    }
}

#[test]
fn fingerprints_are_unique_and_stable() {
    let mut report = samples::broken();
    // The same defect at the same place twice.
    report.findings.push(report.findings[0].clone());
    let prints = |report: &Report| -> Vec<[String; 2]> {
        run(report)["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| {
                ["mcpAssay/v1", "primaryLocationLineHash"].map(|name| {
                    result["partialFingerprints"][name]
                        .as_str()
                        .unwrap()
                        .to_owned()
                })
            })
            .collect()
    };
    let first = prints(&report);
    for name in [0, 1] {
        let distinct: HashSet<_> = first.iter().map(|prints| &prints[name]).collect();
        assert_eq!(distinct.len(), 4);
    }
    // Nothing of the run enters.
    report.started_at = "2027-01-01T00:00:00Z".to_owned();
    report.target = "another".to_owned();
    for finding in &mut report.findings {
        finding.observed = "at another port".to_owned();
        finding.evidence[0].entry += 7;
        finding.severity = Severity::Warning;
    }
    assert_eq!(first, prints(&report));
}

#[test]
fn a_run_that_measured_nothing_has_failed() {
    for (name, report) in samples::all() {
        let failed = matches!(name, "unreachable" | "auth_required" | "not_mcp");
        let invocation = &run(&report)["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], !failed, "{name}");
        let error = invocation["toolExecutionNotifications"]
            .as_array()
            .unwrap()
            .iter()
            .any(|notification| notification["descriptor"]["id"] == "could-not-judge");
        assert_eq!(error, failed, "{name}");
    }
}

#[test]
fn the_published_target_has_no_secrets() {
    let mut report = samples::ready();
    report.target = "https://user:secret@api.example.com:8443/mcp?token=secret#part".to_owned();
    assert_eq!(
        run(&report)["properties"]["target"],
        "https://api.example.com:8443/mcp"
    );
    report.target = "npx mcp-remote --url=https://me:pw@host/mcp?key=1 --verbose".to_owned();
    assert_eq!(
        run(&report)["properties"]["target"],
        "npx mcp-remote --url=https://host/mcp --verbose"
    );
}

#[test]
fn anchors_become_uris() {
    let options = Options {
        sarif_anchor: "docs\\my server.md".to_owned(),
        ..Options::default()
    };
    let sarif = render(&samples::broken(), Format::Sarif, &options);
    assert!(sarif.contains("\"docs/my%20server.md\""));
}
