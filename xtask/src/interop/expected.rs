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
                            reason: rule.reason,
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
    let text = format!("{HEADER}{}", toml::to_string(expected)?);
    std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))
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
