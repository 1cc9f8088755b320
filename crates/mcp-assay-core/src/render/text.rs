//! The report at a terminal: one screen for one cause.

use anstyle::Style;

use crate::report::{ExchangeReport, FindingReport, Report, RuleReport, Severity, Verdict};

use super::page::{BOLD, CYAN, DIM, GREEN, PLAIN, Page, RED, YELLOW};
use super::{Options, words};

/// Characters of one field.
const FIELD: usize = 480;
/// Characters of one field, and of one message, if verbose.
const VERBOSE_FIELD: usize = 4096;
/// Diagnostics shown unless verbose.
const DIAGNOSTICS: usize = 5;
/// Reasons for not measuring shown unless verbose.
const REASONS: usize = 4;

pub(super) fn render(report: &Report, options: &Options) -> String {
    let mut page = Page::new(options.colour, options.width);
    head(&mut page, report);
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let mut previous = None;
        for found in report.findings.iter().filter(|f| f.severity == severity) {
            finding(&mut page, found, previous, options.verbose);
            previous = Some(found);
        }
    }
    run(&mut page, report, options.verbose);
    counts(&mut page, report, options.verbose);
    if options.verbose {
        rules(&mut page, report);
        traffic(&mut page, report.exchanges.as_deref().unwrap_or_default());
    }
    page.finish()
}

fn head(page: &mut Page, report: &Report) {
    let tool = format!(
        "{} {}  {}  ",
        report.tool.name, report.tool.version, report.transport
    );
    page.heading(DIM, "", &format!("{tool}{}", report.target), FIELD);
    let style = match report.verdict {
        Verdict::Ready => GREEN,
        Verdict::NotReady => RED,
        _ => YELLOW,
    };
    let verdict = words::verdict(report.verdict);
    page.heading(
        style,
        &format!("{verdict}  "),
        &report.verdict_reason,
        FIELD,
    );
    if let Some(server) = &report.server {
        let name = format!("{} {}", server.name, server.version);
        page.field(
            "server",
            &format!("{} (by its own account)", name.trim()),
            FIELD,
        );
    }
    if let Some(sdk) = &report.sdk {
        page.field("sdk", &format!("{} {}", sdk.name, sdk.line), FIELD);
    }
    if let Some(era) = &report.forced_era {
        page.field("era", &format!("forced: only {era} was asked"), FIELD);
    }
    if let Some(causes) = words::causes(report) {
        page.blank();
        page.heading(BOLD, "", &causes, FIELD);
    }
}

fn finding(
    page: &mut Page,
    finding: &FindingReport,
    previous: Option<&FindingReport>,
    verbose: bool,
) {
    let max = if verbose { VERBOSE_FIELD } else { FIELD };
    let mut name = format!("{} {}", finding.rule_id, finding.name);
    if finding.security {
        name.push_str(" (security)");
    }
    page.blank();
    page.heading(
        severity_style(finding.severity),
        &format!("{} ", words::severity(finding.severity)),
        &name,
        FIELD,
    );
    page.paragraph(&finding.title, max);
    if finding.severity == Severity::Note && !verbose {
        return;
    }
    page.field("observed", &finding.observed, max);
    if let Some(path) = &finding.path {
        page.field("at", path, max);
    }
    if previous.is_some_and(|previous| same_remedy(previous, finding)) {
        page.field("fix", "as above", max);
    } else {
        page.field("expected", &finding.expected, max);
        page.field("fix", &finding.fix, max);
        let owner = words::owner(finding.remediation);
        page.field("owner", &join(owner, ": ", &finding.owner_reason), max);
        page.link("spec", &finding.spec_ref);
    }
    if !finding.symptoms.is_empty() {
        page.field(
            "also",
            &format!("{} (same cause)", finding.symptoms.join(" ")),
            max,
        );
    }
    if verbose {
        let level = words::level(finding.level);
        page.field(
            "requires",
            &format!("{level}, {}", finding.requirement),
            max,
        );
        if let Some(command) = &finding.reproduce {
            page.command("again", command);
        }
        for evidence in &finding.evidence {
            page.field(
                "evidence",
                &format!("#{} {}", evidence.entry, evidence.summary),
                max,
            );
            bytes(
                page,
                evidence.sent.as_deref(),
                evidence.received.as_slice(),
                "    ",
            );
        }
    }
}

/// True if all but the place is the same.
fn same_remedy(one: &FindingReport, other: &FindingReport) -> bool {
    one.rule_id == other.rule_id
        && one.expected == other.expected
        && one.fix == other.fix
        && one.remediation == other.remediation
        && one.owner_reason == other.owner_reason
        && one.spec_ref == other.spec_ref
}

/// What happened to the run itself, and what to do.
fn run(page: &mut Page, report: &Report, verbose: bool) {
    let judged = matches!(report.verdict, Verdict::Ready | Verdict::NotReady);
    if let Some(incomplete) = &report.incomplete {
        page.blank();
        let counts = format!(
            "{} of {} questions got no usable answer",
            incomplete.failed, incomplete.probes
        );
        page.field("missing", &join(&counts, ": ", &incomplete.reason), FIELD);
    }
    let shown = match (verbose, judged) {
        (true, _) => usize::MAX,
        (false, true) => 0,
        (false, false) => DIAGNOSTICS,
    };
    if shown > 0 && !report.diagnostics.is_empty() {
        page.blank();
        // The last lines: a program says why it failed at the end.
        let more = report.diagnostics.len().saturating_sub(shown);
        if more > 0 {
            page.field("", &format!("{more} earlier, with --verbose"), FIELD);
        }
        for line in report.diagnostics.iter().skip(more) {
            page.field("seen", line, FIELD);
        }
    }
    for id in &report.crashed_rules {
        page.blank();
        page.heading(
            RED,
            "a bug in mcp-assay: ",
            &words::crash(report, id),
            FIELD,
        );
    }
    if let Some(step) = words::next_step(report) {
        page.blank();
        page.field("next", step, FIELD);
    }
}

fn counts(page: &mut Page, report: &Report, verbose: bool) {
    if words::countless(report) {
        return;
    }
    page.blank();
    page.heading(PLAIN, "", &words::findings(report), FIELD);
    page.paragraph(&format!("rules: {}", words::rules(report)), FIELD);
    let reasons = words::not_measured(report);
    let shown = if verbose { reasons.len() } else { REASONS };
    if !reasons.is_empty() {
        let mut text = reasons
            .iter()
            .take(shown)
            .cloned()
            .collect::<Vec<_>>()
            .join("; ");
        if reasons.len() > shown {
            text += &format!("; {} more reasons, with --verbose", reasons.len() - shown);
        }
        page.paragraph(&format!("not measured: {text}"), FIELD * 2);
    }
    if let Some(conformance) = words::conformance(report) {
        page.paragraph(&conformance, FIELD);
    }
}

fn rules(page: &mut Page, report: &Report) {
    if report.rules.is_empty() {
        return;
    }
    page.blank();
    page.heading(BOLD, "rules", "", 0);
    for rule in &report.rules {
        page.field(rule_label(rule), &rule_line(rule), VERBOSE_FIELD);
    }
}

fn rule_label(rule: &RuleReport) -> &'static str {
    use crate::report::OutcomeKind as Kind;
    match rule.outcome {
        Kind::NotApplicable => "n/a",
        Kind::NotMeasured => "not known",
        other => words::outcome(other),
    }
}

fn rule_line(rule: &RuleReport) -> String {
    let line = format!("{} {}", rule.id, rule.name);
    match (&rule.because, &rule.reason) {
        (Some(because), _) => format!("{line}: because of {because}"),
        (None, Some(reason)) => format!("{line}: {reason}"),
        (None, None) => line,
    }
}

fn traffic(page: &mut Page, exchanges: &[ExchangeReport]) {
    if exchanges.is_empty() {
        return;
    }
    page.blank();
    page.heading(BOLD, "traffic", "", 0);
    for exchange in exchanges {
        let ExchangeReport {
            entry,
            connection,
            at_ms,
            scenario,
            probe,
            summary,
            ..
        } = exchange;
        let line =
            format!("#{entry} connection {connection}, {at_ms} ms, {scenario}/{probe}: {summary}");
        page.paragraph(&line, VERBOSE_FIELD);
        bytes(page, Some(&exchange.sent), &exchange.received, "    ");
    }
}

fn bytes(page: &mut Page, sent: Option<&str>, received: &[String], indent: &str) {
    if let Some(sent) = sent {
        page.marked(&format!("{indent}> "), sent, VERBOSE_FIELD);
    }
    for message in received {
        page.marked(&format!("{indent}< "), message, VERBOSE_FIELD);
    }
}

fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Note => CYAN,
    }
}

fn join(first: &str, between: &str, second: &str) -> String {
    if second.is_empty() {
        first.to_owned()
    } else {
        format!("{first}{between}{second}")
    }
}
