//! Exit codes: documented constants.

use mcp_assay_core::Report;
use mcp_assay_core::report::{Level, OutcomeKind, Severity, Verdict};

use crate::args::FailOn;

/// Nothing at or above `--fail-on` was found.
pub(crate) const READY: u8 = 0;
/// Findings at or above `--fail-on`.
pub(crate) const FINDINGS: u8 = 1;
/// A usage error, no judgement possible, or a bug of ours.
pub(crate) const COULD_NOT_JUDGE: u8 = 2;
/// Interrupted by Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// The exit code that a report asks for.
pub(crate) fn of(report: &Report, fail_on: FailOn, partial: bool) -> u8 {
    let judged = !matches!(
        report.verdict,
        Verdict::Unreachable | Verdict::AuthRequired | Verdict::NotMcp
    );
    // A rule of ours that crashed must never look like a finding, nor like readiness.
    if !judged || report.summary.checks == 0 || !report.crashed_rules.is_empty() {
        return COULD_NOT_JUDGE;
    }
    let fails = match fail_on {
        FailOn::Never => false,
        FailOn::Error => report.summary.errors > 0,
        FailOn::Warning => report.summary.errors + report.summary.warnings > 0,
        FailOn::Must => report
            .rules
            .iter()
            .flat_map(|rule| &rule.checks)
            .any(|check| {
                check.outcome == OutcomeKind::Fail
                    && matches!(check.level, Level::Must | Level::MustNot)
            }),
    };
    if fails {
        return FINDINGS;
    }
    if report.verdict == Verdict::Incomplete && !(partial && selected_were_measured(report)) {
        return COULD_NOT_JUDGE;
    }
    READY
}

/// With a partial selection: every rule that was selected came to an outcome.
fn selected_were_measured(report: &Report) -> bool {
    report
        .rules
        .iter()
        .filter(|rule| rule.outcome == OutcomeKind::NotMeasured)
        .all(|rule| {
            rule.reason.as_deref() == Some("left out by --only or --skip")
                || rule.severity == Severity::Note
        })
}

#[cfg(test)]
mod tests {
    use mcp_assay_core::transcript::Header;
    use mcp_assay_core::{Selection, Transcript, build};

    use super::*;

    #[test]
    fn a_crashed_rule_is_neither_ready_nor_a_finding() {
        let header = Header {
            format: mcp_assay_core::transcript::FORMAT,
            tool_version: "0".to_owned(),
            target: "x".to_owned(),
            transport: mcp_assay_core::transcript::TransportKind::Stdio,
            target_revision: "2026-07-28".to_owned(),
            started_at: String::new(),
            duration_ms: 0,
            forced_era: None,
        };
        let empty = Transcript {
            header,
            entries: Vec::new(),
        };
        let mut report = build(&empty, &Selection::default(), false);
        (report.verdict, report.summary.checks) = (Verdict::Ready, 40);
        assert_eq!(of(&report, FailOn::Error, false), READY);
        report.summary.errors = 1;
        assert_eq!(of(&report, FailOn::Error, false), FINDINGS);
        report.crashed_rules.push("MCP006".to_owned());
        assert_eq!(of(&report, FailOn::Error, false), COULD_NOT_JUDGE);
        report.summary.errors = 0;
        for fail_on in [FailOn::Error, FailOn::Never] {
            assert_eq!(of(&report, fail_on, false), COULD_NOT_JUDGE);
        }
    }
}
