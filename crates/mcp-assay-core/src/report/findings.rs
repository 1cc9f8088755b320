//! From failed checks to findings: one defect, one finding.

use super::model::*;
use super::reproduce::reproduce;
use crate::engine::{Judged, Outcome};
use crate::facts;
use crate::requirements;
use crate::rules::{Finding, Judgement};
use crate::transcript::Event;
use crate::transcript::view::{Exchange, View};

/// Bytes of a message that a piece of evidence quotes.
const QUOTED: usize = 2048;

/// The findings, the gravest first. Findings of one rule with one fix are one defect; findings of a
/// rule that is a symptom of another one that failed are folded into that one's.
pub(super) fn findings(view: &View<'_>, judged: &[Judged]) -> Vec<FindingReport> {
    let failed = |id: &str| {
        judged.iter().any(|judged| {
            judged.rule.id == id
                && judged
                    .outcomes
                    .iter()
                    .any(|known| matches!(known, Outcome::Judged(Judgement::Fail(_))))
        })
    };
    let mut all: Vec<FindingReport> = Vec::new();
    let mut symptoms: Vec<(&str, &str)> = Vec::new();
    for judged in judged {
        let cause = judged.rule.symptom_of.filter(|cause| failed(cause));
        let mut own: Vec<FindingReport> = Vec::new();
        for (check, outcome) in judged.rule.checks.iter().zip(&judged.outcomes) {
            let Outcome::Judged(Judgement::Fail(found)) = outcome else {
                continue;
            };
            if let Some(cause) = cause {
                if !symptoms.contains(&(cause, judged.rule.id)) {
                    symptoms.push((cause, judged.rule.id));
                }
                continue;
            }
            for finding in found {
                let report = finding_report(view, judged, check.requirement, finding);
                match own.iter_mut().find(|known| known.fix == report.fix) {
                    Some(known) => merge(known, report),
                    None => own.push(report),
                }
            }
        }
        all.extend(own);
    }
    for (cause, symptom) in symptoms {
        if let Some(finding) = all.iter_mut().find(|finding| finding.rule_id == cause) {
            finding.symptoms.push(symptom.to_owned());
        }
    }
    all.sort_by(|left, right| {
        right
            .severity
            .cmp(&left.severity)
            .then_with(|| left.rule_id.cmp(&right.rule_id))
    });
    all
}

fn merge(known: &mut FindingReport, other: FindingReport) {
    if !known.observed.contains(&other.observed) {
        known.observed = format!("{}; {}", known.observed, other.observed);
    }
    known.severity = known.severity.max(other.severity);
    for evidence in other.evidence {
        if !known
            .evidence
            .iter()
            .any(|seen| seen.entry == evidence.entry)
        {
            known.evidence.push(evidence);
        }
    }
}

fn finding_report(
    view: &View<'_>,
    judged: &Judged,
    requirement: &str,
    finding: &Finding,
) -> FindingReport {
    let rule = judged.rule;
    let ledger = requirements::find(requirement);
    let (owner, owner_reason) = finding.owner.clone().unwrap_or_else(|| {
        let reason = match rule.owner {
            Owner::Sdk => "SDKs build this part of an answer; nothing seen points elsewhere",
            Owner::Application => {
                "the server's own code decides this; nothing seen points elsewhere"
            }
            Owner::Infrastructure => "this is decided in front of the server or beside it",
        };
        (rule.owner, reason.to_owned())
    });
    let mut evidence: Vec<EvidenceReport> = Vec::new();
    let mut first = None;
    for entry in finding.evidence.entries() {
        let Some(exchange) = exchange_of(view, entry) else {
            continue;
        };
        first = first.or(Some(exchange));
        if !evidence.iter().any(|known| known.entry == exchange.sent) {
            evidence.push(evidence_report(view, exchange, exchange.sent));
        }
    }
    FindingReport {
        rule_id: rule.id.to_owned(),
        name: rule.name.to_owned(),
        severity: finding.severity.unwrap_or(rule.severity),
        level: ledger.map_or(Level::Advice, |known| known.level),
        requirement: requirement.to_owned(),
        security: rule.security,
        remediation: owner,
        owner_reason,
        title: rule.defect.to_owned(),
        observed: finding.observed.clone(),
        expected: finding.expected.to_owned(),
        fix: finding.fix.clone(),
        spec_ref: ledger
            .map(requirements::Requirement::url)
            .unwrap_or_default(),
        evidence,
        path: finding.path.clone(),
        reproduce: first.and_then(|exchange| reproduce(view, exchange)),
        symptoms: Vec::new(),
    }
}

/// The exchange that an entry belongs to.
fn exchange_of<'v, 't>(view: &'v View<'t>, entry: u32) -> Option<&'v Exchange<'t>> {
    view.exchanges().iter().find(|exchange| {
        exchange.sent == entry
            || exchange.proof().entries().any(|known| known == entry)
            || exchange.head.is_some_and(|head| head.entry == entry)
            || exchange.during.contains(&entry)
    })
}

pub(super) fn evidence_report(
    view: &View<'_>,
    exchange: &Exchange<'_>,
    entry: u32,
) -> EvidenceReport {
    let received = received(view, exchange);
    EvidenceReport {
        entry,
        summary: facts::describe(view, exchange),
        sent: view
            .entry(exchange.sent)
            .and_then(|entry| text(&entry.event)),
        received: (!received.is_empty()).then(|| quoted(&received.join("\n"))),
    }
}

/// What came back, message by message, HTTP head first.
pub(super) fn received(view: &View<'_>, exchange: &Exchange<'_>) -> Vec<String> {
    let mut entries: Vec<u32> = exchange
        .head
        .map(|head| head.entry)
        .into_iter()
        .chain(
            exchange
                .proof()
                .entries()
                .filter(|entry| *entry != exchange.sent),
        )
        .chain(exchange.during.iter().copied())
        .collect();
    entries.sort_unstable();
    entries.dedup();
    entries
        .into_iter()
        .filter_map(|entry| view.entry(entry))
        .filter_map(|entry| text(&entry.event))
        .collect()
}

fn text(event: &Event) -> Option<String> {
    match event {
        Event::Sent { head, data } => {
            let mut text = String::new();
            if let Some(head) = head {
                text = format!("{} {}\n", head.method, head.url);
                for (name, value) in &head.headers {
                    text.push_str(&format!("{name}: {value}\n"));
                }
                text.push('\n');
            }
            text.push_str(&String::from_utf8_lossy(&data.bytes));
            Some(quoted(&text))
        }
        Event::Head { status, headers } => {
            let mut text = format!("HTTP {status}");
            for (name, value) in headers {
                text.push_str(&format!("\n{name}: {value}"));
            }
            Some(quoted(&text))
        }
        Event::Received { data, name, .. } => {
            let body = String::from_utf8_lossy(&data.bytes);
            let cut = if data.is_cut() {
                format!(" (cut; {} bytes in all)", data.length)
            } else {
                String::new()
            };
            Some(match name {
                Some(name) => format!("event: {name}\n{}{cut}", quoted(&body)),
                None => format!("{}{cut}", quoted(&body)),
            })
        }
        _ => None,
    }
}

fn quoted(text: &str) -> String {
    if text.len() <= QUOTED {
        return text.to_owned();
    }
    let end = (0..=QUOTED)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    format!("{}\u{2026}", &text[..end])
}
