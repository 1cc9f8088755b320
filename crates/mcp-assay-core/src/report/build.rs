//! From a transcript to a report.

use std::time::SystemTime;

use super::findings::{evidence_report, findings};
use super::model::*;
use super::verdict::{self, Ruling};
use crate::engine::{Judged, Outcome, Selection, judge_rules};
use crate::facts;
use crate::probe;
use crate::protocol::{TARGET_REVISION, meta};
use crate::requirements;
use crate::rules::{Judgement, Rule};
use crate::transcript::view::View;
use crate::transcript::{Ending, Event, Gap, Transcript, TransportKind};

/// Lines of diagnostics a report keeps.
const DIAGNOSTICS: usize = 200;

/// Judges a transcript and lays the outcome out. `exchanges` adds the traffic.
#[must_use]
pub fn build(transcript: &Transcript, selection: &Selection, exchanges: bool) -> Report {
    let header = &transcript.header;
    let view = View::new(header.transport, &transcript.entries);
    let judged = judge_rules(&view, selection);
    let rules: Vec<RuleReport> = judged.iter().map(rule_report).collect();
    let findings = findings(&view, &judged);
    let Ruling {
        verdict,
        reason,
        unreachable,
        incomplete,
    } = verdict::rule(&view, &judged, &findings, selection);
    let era = facts::era(&view);
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: "mcp-assay".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        target: header.target.clone(),
        transport: header.transport,
        target_revision: TARGET_REVISION.to_owned(),
        started_at: header.started_at.clone(),
        duration_ms: header.duration_ms,
        verdict,
        verdict_reason: reason,
        ready: verdict == Verdict::Ready,
        unreachable,
        incomplete,
        era,
        forced_era: header.forced_era.clone(),
        revisions: facts::revisions(&view),
        server: identity(&view),
        sdk: None,
        summary: summary(&judged, &findings),
        conformance: (era != Era::Legacy).then(|| conformance(&rules)),
        crashed_rules: rules
            .iter()
            .filter(|rule| rule.outcome == OutcomeKind::Crashed)
            .map(|rule| rule.id.clone())
            .collect(),
        findings,
        rules,
        diagnostics: diagnostics(&view),
        exchanges: exchanges.then(|| exchange_reports(&view)),
    }
}

/// A moment as RFC 3339 in UTC, to the second.
pub(crate) fn rfc3339(moment: SystemTime) -> String {
    let seconds = moment
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Civil date from days since 1970-01-01, by Howard Hinnant's algorithm.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        of_day / 3600,
        of_day % 3600 / 60,
        of_day % 60
    )
}

pub(super) fn kind(outcome: &Outcome) -> OutcomeKind {
    match outcome {
        Outcome::Crashed(_) => OutcomeKind::Crashed,
        Outcome::Judged(Judgement::Pass(_)) => OutcomeKind::Pass,
        Outcome::Judged(Judgement::Fail(_)) => OutcomeKind::Fail,
        Outcome::Judged(Judgement::NotApplicable(_)) => OutcomeKind::NotApplicable,
        Outcome::Judged(Judgement::NotMeasured(_)) => OutcomeKind::NotMeasured,
    }
}

/// The worst of a rule's checks.
pub(super) fn worst(outcomes: &[Outcome]) -> OutcomeKind {
    let rank = |kind: OutcomeKind| match kind {
        OutcomeKind::Crashed => 4,
        OutcomeKind::Fail => 3,
        OutcomeKind::NotMeasured => 2,
        OutcomeKind::Pass => 1,
        OutcomeKind::NotApplicable => 0,
    };
    outcomes
        .iter()
        .map(kind)
        .max_by_key(|kind| rank(*kind))
        .unwrap_or(OutcomeKind::NotMeasured)
}

pub(super) fn reason(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Crashed(what) => Some(what.clone()),
        Outcome::Judged(Judgement::NotApplicable(why)) => Some(why.clone()),
        Outcome::Judged(Judgement::NotMeasured(gap)) => Some(facts::gap_words(gap)),
        Outcome::Judged(_) => None,
    }
}

/// The strongest level among a rule's requirements.
pub(crate) fn level(rule: &Rule) -> Level {
    let rank = |level: Level| match level {
        Level::Must => 0,
        Level::MustNot => 1,
        Level::Should => 2,
        Level::ShouldNot => 3,
        Level::Shape => 4,
        Level::May => 5,
        Level::Advice => 6,
    };
    rule.checks
        .iter()
        .filter_map(|check| requirements::find(check.requirement))
        .map(|requirement| requirement.level)
        .min_by_key(|level| rank(*level))
        .unwrap_or(Level::Advice)
}

fn rule_report(judged: &Judged) -> RuleReport {
    let outcome = worst(&judged.outcomes);
    let decisive = judged.outcomes.iter().find(|known| kind(known) == outcome);
    RuleReport {
        id: judged.rule.id.to_owned(),
        name: judged.rule.name.to_owned(),
        claim: judged.rule.claim.to_owned(),
        level: level(judged.rule),
        severity: judged.rule.severity,
        outcome,
        reason: decisive.and_then(reason),
        because: decisive.and_then(|known| match known {
            Outcome::Judged(Judgement::NotMeasured(Gap::Because(rule))) => Some(rule.to_string()),
            _ => None,
        }),
        checks: judged
            .rule
            .checks
            .iter()
            .zip(&judged.outcomes)
            .map(|(check, outcome)| CheckReport {
                requirement: check.requirement.to_owned(),
                level: requirements::find(check.requirement)
                    .map_or(Level::Advice, |requirement| requirement.level),
                outcome: kind(outcome),
                reason: reason(outcome),
                evidence: match outcome {
                    Outcome::Judged(Judgement::Pass(evidence)) => evidence.entries().collect(),
                    Outcome::Judged(Judgement::Fail(findings)) => findings
                        .iter()
                        .flat_map(|finding| finding.evidence.entries())
                        .collect(),
                    _ => Vec::new(),
                },
            })
            .collect(),
    }
}

fn summary(judged: &[Judged], findings: &[FindingReport]) -> Summary {
    let of = |severity: Severity| findings.iter().filter(|f| f.severity == severity).count();
    let errors_of = |owner: Owner| {
        findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error && finding.remediation == owner)
            .count()
    };
    let outcomes = || judged.iter().flat_map(|judged| &judged.outcomes);
    Summary {
        checks: outcomes()
            .filter(|known| matches!(kind(known), OutcomeKind::Pass | OutcomeKind::Fail))
            .count(),
        errors: of(Severity::Error),
        warnings: of(Severity::Warning),
        notes: of(Severity::Note),
        crashed: judged
            .iter()
            .filter(|judged| worst(&judged.outcomes) == OutcomeKind::Crashed)
            .count(),
        sdk_errors: errors_of(Owner::Sdk),
        application_errors: errors_of(Owner::Application),
        infrastructure_errors: errors_of(Owner::Infrastructure),
    }
}

fn conformance(rules: &[RuleReport]) -> Conformance {
    let mut counts = Conformance::default();
    let binding = rules
        .iter()
        .flat_map(|rule| &rule.checks)
        .filter(|check| matches!(check.level, Level::Must | Level::MustNot));
    for check in binding {
        match check.outcome {
            OutcomeKind::Pass => counts.hold += 1,
            OutcomeKind::Fail => counts.broken += 1,
            OutcomeKind::NotMeasured | OutcomeKind::Crashed => counts.not_measured += 1,
            OutcomeKind::NotApplicable => continue,
        }
        counts.applicable += 1;
    }
    counts
}

/// What the server calls itself: in `_meta` of a modern result, else in the legacy handshake.
fn identity(view: &View<'_>) -> Option<Identity> {
    let read = |info: &serde_json::Value| {
        let text = |key: &str| info.get(key).and_then(|value| value.as_str());
        Some(Identity {
            name: text("name")?.to_owned(),
            version: text("version").unwrap_or_default().to_owned(),
        })
    };
    view.exchanges()
        .iter()
        .filter_map(|exchange| view.result(exchange))
        .filter_map(|result| {
            result
                .get("_meta")
                .and_then(|known| known.get(meta::SERVER_INFO))
                .or_else(|| result.get("serverInfo"))
        })
        .find_map(read)
}

/// What happened to the run itself, then the last of what the processes wrote to stderr.
fn diagnostics(view: &View<'_>) -> Vec<String> {
    /// Lines of stdout that are no messages, and lines of stderr, that are shown.
    const SHOWN: usize = 5;
    let (mut lines, mut stderr) = (Vec::new(), Vec::new());
    let mut noise = 0_usize;
    let mut stopped: Vec<u32> = Vec::new();
    for (at, entry) in view.entries().iter().enumerate() {
        let process = entry.conn;
        match &entry.event {
            Event::Stopped(Ending::StdinClosed) => stopped.push(process),
            Event::Stopped(Ending::Terminated) => lines.push(format!(
                "process {process}: did not exit when its stdin was closed, so it was terminated"
            )),
            Event::Stopped(_) => lines.push(format!(
                "process {process}: what it had started kept its pipes open, so the tree was killed"
            )),
            // An exit that we asked for is no news.
            Event::Exited(Some(0) | None) if stopped.contains(&process) => {}
            Event::Exited(Some(code)) => {
                lines.push(format!("process {process}: exited with {code}"))
            }
            Event::Exited(None) => lines.push(format!("process {process}: ended by a signal")),
            Event::Failed { message, .. } => lines.push(message.clone()),
            Event::Bound(which) => lines.push(format!("connection {process}: {which}")),
            Event::Stderr(data) => {
                let text = String::from_utf8_lossy(&data.bytes);
                for line in text.lines() {
                    let line = format!("stderr: {line}");
                    if !stderr.contains(&line) {
                        stderr.push(line);
                    }
                }
            }
            Event::Received { data, .. }
                if view.transport() == TransportKind::Stdio
                    && u32::try_from(at).is_ok_and(|at| view.value(at).is_none()) =>
            {
                noise += 1;
                if noise <= SHOWN {
                    let text = String::from_utf8_lossy(&data.bytes);
                    let head: String = text.chars().take(160).collect();
                    lines.push(format!("stdout, not a message: {head}"));
                }
            }
            _ => {}
        }
    }
    lines.dedup();
    lines.extend(silent_refusal(view));
    lines.extend(stderr.split_off(stderr.len().saturating_sub(SHOWN)));
    lines.truncate(DIAGNOSTICS);
    lines
}

/// A modern-only server SHOULD name its versions when it refuses `initialize`: the message may be all
/// that a legacy client can show (basic/versioning, "Backward Compatibility").
fn silent_refusal(view: &View<'_>) -> Option<String> {
    if facts::modern_proof(view).is_none() || facts::legacy_negotiated(view).is_some() {
        return None;
    }
    let refusal = view
        .asked(&probe::INITIALIZE)
        .find(|e| view.error(e).is_some())?;
    let text = view.error(refusal)?.raw.to_string();
    (!text.contains(TARGET_REVISION)).then(|| {
        "initialize is refused without naming a supported version, which legacy clients could show"
            .to_owned()
    })
}

fn exchange_reports(view: &View<'_>) -> Vec<ExchangeReport> {
    view.exchanges()
        .iter()
        .map(|exchange| {
            let evidence = evidence_report(view, exchange, exchange.sent);
            let at = view
                .entry(exchange.sent)
                .map_or(0, |entry| entry.at.as_millis());
            ExchangeReport {
                entry: exchange.sent,
                connection: exchange.conn,
                scenario: exchange.key.scenario.to_string(),
                probe: exchange.key.probe.to_string(),
                at_ms: u64::try_from(at).unwrap_or(u64::MAX),
                summary: evidence.summary,
                sent: evidence.sent.unwrap_or_default(),
                received: super::findings::received(view, exchange),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moments_are_written_as_dates() {
        let at = |seconds| rfc3339(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_785_196_800), "2026-07-28T00:00:00Z");
    }
}
