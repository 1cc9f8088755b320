//! What the checker must say, and how that differs from what it said.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

const HEADER: &str = "\
# What the checker must say about each server of interop/targets.toml.
# `cargo xtask interop --update` writes everything except `why`: that is for
# people, names the page of the specification, and may not stay empty.

";

/// Expectations by target name.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Expected(BTreeMap<String, Expectation>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    why: String,
    verdict: String,
    era: String,
    exit: i32,
    /// Outcome by rule id.
    rules: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    rule: String,
    severity: String,
    remediation: String,
    why: String,
}

impl Finding {
    fn is_same(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    fn key(&self) -> (&str, &str, &str) {
        (&self.rule, &self.severity, &self.remediation)
    }
}

/// What one run of the checker said.
pub(super) struct Observed {
    verdict: String,
    era: String,
    exit: i32,
    rules: BTreeMap<String, Seen>,
    findings: Vec<Finding>,
}

struct Seen {
    outcome: String,
    reason: Option<String>,
}

/// The part of the report that is compared.
#[derive(Deserialize)]
struct Report {
    verdict: String,
    era: String,
    rules: Vec<ReportRule>,
    findings: Vec<ReportFinding>,
}

#[derive(Deserialize)]
struct ReportRule {
    id: String,
    outcome: String,
    reason: Option<String>,
    because: Option<String>,
}

#[derive(Deserialize)]
struct ReportFinding {
    #[serde(rename = "ruleId")]
    rule: String,
    severity: String,
    remediation: String,
}

impl Observed {
    pub(super) fn read(json: &str, exit: Option<i32>) -> Result<Self> {
        let report: Report = serde_json::from_str(json)?;
        let rules = report.rules.into_iter();
        let findings = report.findings.into_iter();
        Ok(Self {
            verdict: report.verdict,
            era: report.era,
            exit: exit.context("the checker was ended by a signal")?,
            rules: rules
                .map(|rule| {
                    (
                        rule.id,
                        Seen {
                            outcome: rule.outcome,
                            reason: rule
                                .reason
                                .or(rule.because.map(|rule| format!("because of {rule}"))),
                        },
                    )
                })
                .collect(),
            findings: findings
                .map(|finding| Finding {
                    rule: finding.rule,
                    severity: finding.severity,
                    remediation: finding.remediation,
                    why: String::new(),
                })
                .collect(),
        })
    }
}

pub(super) fn read(path: &Path) -> Result<Expected> {
    if !path.exists() {
        return Ok(Expected::default());
    }
    let text =
        std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("reading {}", path.display()))
}

pub(super) fn write(path: &Path, expected: &Expected) -> Result<()> {
    std::fs::write(path, text(expected)?).with_context(|| format!("writing {}", path.display()))
}

fn text(expected: &Expected) -> Result<String> {
    Ok(format!("{HEADER}{}", toml::to_string(expected)?))
}

impl Expected {
    /// One line per difference; nothing when the run said what it should.
    pub(super) fn compare(&self, name: &str, observed: &Observed) -> Vec<String> {
        let Some(expected) = self.0.get(name) else {
            return vec!["not in interop/expected.toml: run with --update".into()];
        };
        let mut differences = expected.unexplained();
        let mut differ = |what: &str, wanted: &str, seen: &str| {
            if wanted != seen {
                differences.push(format!("{what}: expected {wanted}, got {seen}"));
            }
        };
        differ("verdict", &expected.verdict, &observed.verdict);
        differ("era", &expected.era, &observed.era);
        differ(
            "exit code",
            &expected.exit.to_string(),
            &observed.exit.to_string(),
        );
        let ids: BTreeSet<&String> = expected.rules.keys().chain(observed.rules.keys()).collect();
        for id in ids {
            let seen = observed.rules.get(id);
            let wanted = expected
                .rules
                .get(id)
                .map_or("no such rule", String::as_str);
            let outcome = seen.map_or("no such rule", |seen| seen.outcome.as_str());
            let what = match seen.and_then(|seen| seen.reason.as_deref()) {
                Some(reason) => format!("{id} ({reason})"),
                None => id.clone(),
            };
            differ(&what, wanted, outcome);
        }
        for (left, right, label) in [
            (&expected.findings, &observed.findings, "missing"),
            (&observed.findings, &expected.findings, "not expected"),
        ] {
            for finding in without(left, right) {
                let (rule, severity, remediation) = finding.key();
                differences.push(format!("finding {label}: {rule} {severity} {remediation}"));
            }
        }
        differences
    }

    /// Takes over what was seen; returns what a person still has to explain.
    pub(super) fn record(&mut self, name: &str, observed: Observed) -> Vec<String> {
        let old = self.0.remove(name);
        let (why, mut explained) = old.map_or_else(Default::default, |old| (old.why, old.findings));
        let mut findings = observed.findings;
        for finding in &mut findings {
            if let Some(at) = explained.iter().position(|it| it.is_same(finding)) {
                finding.why = explained.swap_remove(at).why;
            }
        }
        findings.sort_by(|left, right| left.key().cmp(&right.key()));
        let rules = observed.rules.into_iter();
        let expectation = Expectation {
            why,
            verdict: observed.verdict,
            era: observed.era,
            exit: observed.exit,
            rules: rules.map(|(id, seen)| (id, seen.outcome)).collect(),
            findings,
        };
        let unexplained = expectation.unexplained();
        self.0.insert(name.into(), expectation);
        unexplained
    }
}

impl Expectation {
    fn unexplained(&self) -> Vec<String> {
        let findings = self
            .findings
            .iter()
            .map(|it| (format!("finding {}", it.rule), &it.why));
        std::iter::once(("the target".to_owned(), &self.why))
            .chain(findings)
            .filter(|(_, why)| why.trim().is_empty())
            .map(|(what, _)| format!("{what} has no `why` in interop/expected.toml"))
            .collect()
    }
}

/// The findings of `left` that `right` lacks; each of `right` counts once.
fn without<'a>(left: &'a [Finding], right: &[Finding]) -> Vec<&'a Finding> {
    let mut rest: Vec<&Finding> = right.iter().collect();
    left.iter()
        .filter(
            |finding| match rest.iter().position(|other| other.is_same(finding)) {
                Some(at) => {
                    rest.swap_remove(at);
                    false
                }
                None => true,
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::super::targets;
    use super::{Expected, Observed, read};

    const REPORT: &str = r#"{"verdict": "not-ready", "era": "legacy",
        "rules": [{"id": "MCP001", "outcome": "pass"},
                  {"id": "MCP050", "outcome": "fail", "because": null}],
        "findings": [{"ruleId": "MCP050", "severity": "error", "remediation": "sdk"}]}"#;

    fn home() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../interop")
    }

    fn observed(json: &str) -> Observed {
        Observed::read(json, Some(1)).unwrap()
    }

    /// What was seen, recorded and explained.
    fn explained() -> Expected {
        let mut expected = Expected::default();
        assert_eq!(expected.record("one", observed(REPORT)).len(), 2);
        let entry = expected.0.get_mut("one").unwrap();
        entry.why = "because".into();
        entry.findings[0].why = "as well".into();
        expected
    }

    #[test]
    fn the_same_report_differs_in_nothing() {
        assert_eq!(explained().compare("one", &observed(REPORT)), [""; 0]);
    }

    #[test]
    fn every_difference_is_a_line() {
        let changed = REPORT
            .replace("legacy", "dual")
            .replace(
                "\"pass\"",
                "\"not-measured\", \"reason\": \"because of MCP050\"",
            )
            .replace("error", "warning");
        assert_eq!(
            explained().compare("one", &observed(&changed)),
            [
                "era: expected legacy, got dual",
                "MCP001 (because of MCP050): expected pass, got not-measured",
                "finding missing: MCP050 error sdk",
                "finding not expected: MCP050 warning sdk",
            ]
        );
    }

    #[test]
    fn a_second_finding_of_the_same_kind_is_not_expected() {
        let finding = r#"{"ruleId": "MCP050", "severity": "error", "remediation": "sdk"}"#;
        let twice = REPORT.replace(finding, &format!("{finding}, {finding}"));
        assert_eq!(
            explained().compare("one", &observed(&twice)),
            ["finding not expected: MCP050 error sdk"]
        );
    }

    #[test]
    fn recording_keeps_what_people_wrote() {
        let mut expected = explained();
        assert_eq!(expected.record("one", observed(REPORT)), [""; 0]);
        let new = expected.record(
            "one",
            observed(&REPORT.replace("\"sdk\"", "\"application\"")),
        );
        assert_eq!(
            new,
            ["finding MCP050 has no `why` in interop/expected.toml"]
        );
    }

    #[test]
    fn each_target_has_one_explained_expectation() {
        let mut names: Vec<String> = targets::read(&home())
            .unwrap()
            .into_iter()
            .map(|target| target.name)
            .collect();
        names.sort_unstable();
        let expected = read(&home().join("expected.toml")).unwrap();
        assert_eq!(names, expected.0.keys().cloned().collect::<Vec<_>>());
        for (name, entry) in &expected.0 {
            assert_eq!(entry.unexplained(), [""; 0], "{name}");
        }
    }

    #[test]
    fn the_committed_file_is_as_update_writes_it() {
        let path = home().join("expected.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let written = super::text(&read(&path).unwrap()).unwrap();
        assert!(
            written == text,
            "format it by `cargo xtask interop --update`"
        );
    }
}
