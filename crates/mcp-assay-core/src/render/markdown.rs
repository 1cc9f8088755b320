//! The report for a comment on a pull request: short, with the details folded.

use crate::report::{FindingReport, Report, Severity};

use super::sanitise::{markdown as inline, markdown_block as block, markdown_code as code};
use super::{Options, words};

/// Characters of one field.
const FIELD: usize = 400;
/// Characters of what was sent or received.
const BYTES: usize = 600;
/// Findings in the table.
const ROWS: usize = 30;
/// Bytes after which no more details are added: comments are limited to 65,536 characters.
const DETAILS_END: usize = 40_000;

pub(super) fn render(report: &Report, options: &Options) -> String {
    let mut out = format!(
        "### mcp-assay: {}\n\n{}\n\n",
        words::verdict(report.verdict),
        inline(&report.verdict_reason, FIELD)
    );
    out += &format!(
        "{} {} · judged against {} · era {}",
        report.transport,
        code(&words::public_target(&report.target), FIELD),
        inline(&report.target_revision, 40),
        words::era(report.era)
    );
    if let Some(server) = &report.server {
        let name = format!("{} {}", server.name, server.version);
        out += &format!(" · calls itself {}", code(name.trim(), 120));
    }
    if let Some(sdk) = &report.sdk {
        out += &format!(
            " · built on {}",
            code(&format!("{} {}", sdk.name, sdk.line), 120)
        );
    }
    if let Some(era) = &report.forced_era {
        out += &format!(" · forced: only {} was asked", inline(era, 40));
    }
    out += "\n\n";
    if let Some(causes) = words::causes(report) {
        out += &format!("**{}**\n\n", inline(&causes, FIELD));
    }
    table(&mut out, report, options);
    run(&mut out, report);
    if !words::countless(report) {
        out += &format!(
            "{}; rules: {}\n\n",
            words::findings(report),
            words::rules(report)
        );
    }
    if let Some(conformance) = words::conformance(report) {
        out += &format!("{conformance}\n\n");
    }
    details(&mut out, report);
    let tool = format!("{} {}", report.tool.name, report.tool.version);
    out += &format!("<sub>{}</sub>\n", inline(&tool, 120));
    out
}

fn table(out: &mut String, report: &Report, options: &Options) {
    if report.findings.is_empty() {
        return;
    }
    out.push_str("| | rule | what is wrong | who fixes it |\n|---|---|---|---|\n");
    for finding in report.findings.iter().take(ROWS) {
        let id = inline(&finding.rule_id, 20);
        let id = match options.docs_page(&finding.rule_id) {
            Some(page) => format!("[{id}]({page})"),
            None => id,
        };
        let security = if finding.security { ", security" } else { "" };
        *out += &format!(
            "| {}{security} | {id} {} | {} | {} |\n",
            words::severity(finding.severity),
            inline(&finding.name, 60),
            inline(&finding.title, 200),
            words::owner(finding.remediation),
        );
    }
    if report.findings.len() > ROWS {
        *out += &format!("\n{} more findings.\n", report.findings.len() - ROWS);
    }
    out.push('\n');
}

fn run(out: &mut String, report: &Report) {
    if let Some(incomplete) = &report.incomplete {
        *out += &format!(
            "{} of {} questions got no usable answer: {}\n\n",
            incomplete.failed,
            incomplete.probes,
            inline(&incomplete.reason, FIELD)
        );
    }
    for id in report.crashed_rules.iter().take(5) {
        *out += &format!(
            "**a bug in mcp-assay:** {}\n\n",
            inline(&words::crash(report, id), FIELD)
        );
    }
    if words::nothing_measured(report) || report.incomplete.is_some() {
        for line in report.diagnostics.iter().take(5) {
            *out += &format!("- {}\n", code(line, 200));
        }
        if !report.diagnostics.is_empty() {
            out.push('\n');
        }
    }
    if let Some(step) = words::next_step(report) {
        *out += &format!("**Next:** {}\n\n", inline(step, FIELD));
    }
}

fn details(out: &mut String, report: &Report) {
    for finding in &report.findings {
        if out.len() > DETAILS_END {
            out.push_str("Details of further findings are in the other formats.\n\n");
            break;
        }
        finding_details(out, finding);
    }
    let reasons = words::not_measured(report);
    if !reasons.is_empty() && out.len() <= DETAILS_END {
        out.push_str("<details><summary>Not measured</summary>\n\n");
        for reason in reasons.iter().take(20) {
            *out += &format!("- {}\n", inline(reason, 200));
        }
        out.push_str("\n</details>\n\n");
    }
}

fn finding_details(out: &mut String, finding: &FindingReport) {
    if finding.severity == Severity::Note {
        return;
    }
    let summary = format!("{} {}", finding.rule_id, finding.name);
    // Inside an HTML element, where Markdown's own escapes are not understood.
    *out += &format!(
        "<details><summary>{}</summary>\n\n",
        super::sanitise::html(&plain(&summary), 80)
    );
    *out += &format!("- observed: {}\n", code(&finding.observed, FIELD));
    if let Some(path) = &finding.path {
        *out += &format!("- at: {}\n", code(path, FIELD));
    }
    *out += &format!("- expected: {}\n", inline(&finding.expected, FIELD));
    *out += &format!("- fix: {}\n", inline(&finding.fix, FIELD));
    *out += &format!(
        "- owner: {}, {}\n",
        words::owner(finding.remediation),
        inline(&finding.owner_reason, FIELD)
    );
    *out += &format!(
        "- requirement: {}, {}, {}\n",
        words::level(finding.level),
        code(&finding.requirement, 40),
        code(&finding.spec_ref, 200)
    );
    if !finding.symptoms.is_empty() {
        *out += &format!(
            "- same cause: {}\n",
            inline(&finding.symptoms.join(", "), FIELD)
        );
    }
    out.push('\n');
    if let Some(command) = &finding.reproduce {
        *out += &format!("Again:\n\n{}\n", block(command, BYTES));
    }
    if let Some(evidence) = finding.evidence.first() {
        *out += &format!("{}\n\n", code(&evidence.summary, FIELD));
        for bytes in [&evidence.sent, &evidence.received].into_iter().flatten() {
            *out += &format!("{}\n", block(bytes, BYTES));
        }
    }
    out.push_str("</details>\n\n");
}

/// Ids and names of rules are letters, digits and hyphens; nothing else belongs in a summary.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == ' ' {
                c
            } else {
                '-'
            }
        })
        .collect()
}
