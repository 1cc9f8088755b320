//! A rule's page: what `explain` prints and what `docs/rules/` holds.

use std::fmt::Write as _;

use super::words;
use crate::probe::{Base, Deviation, Probe};
use crate::requirements;
use crate::rules::{self, Rule};

/// The page of a rule, as Markdown that reads well unrendered. Ends with a line break.
///
/// Links to other rules are relative: the pages are meant to lie in one folder, named `MCPnnn.md`.
#[must_use]
pub fn page(rule: &Rule) -> String {
    let mut out = format!("# {} {}\n\n{}\n\n", rule.id, rule.name, rule.claim);
    facts(&mut out, rule);
    section(&mut out, "Why", rule.docs.why);
    section(&mut out, "What is asked", &asked(rule));
    section(&mut out, "Presupposes", &presupposed(rule));
    section(&mut out, "What is legal", rule.docs.legal);
    section(&mut out, "Example", rule.docs.example);
    section(&mut out, "How to fix it", rule.docs.fix);
    section(&mut out, "Which clients feel it", rule.docs.clients);
    section(&mut out, "Requirements", &required(rule));
    section(&mut out, "Skip it", &format!("`--skip {}`", rule.name));
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The levels of a rule's requirements, the first first, each once.
#[must_use]
pub fn levels(rule: &Rule) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for known in ledger(rule) {
        let level = words::level(known.level);
        if !seen.contains(&level) {
            seen.push(level);
        }
    }
    seen.join(", ")
}

/// The transports a rule exists on.
#[must_use]
pub const fn transports(rule: &Rule) -> &'static str {
    if rule.http_only {
        "http"
    } else {
        "stdio, http"
    }
}

/// What breaking a rule does to users, in one word.
#[must_use]
pub fn severity(rule: &Rule) -> &'static str {
    words::severity(rule.severity)
}

/// Who usually has to fix it, in one word.
#[must_use]
pub fn owner(rule: &Rule) -> &'static str {
    words::owner(rule.owner)
}

fn facts(out: &mut String, rule: &Rule) {
    let gates = if rule.gates { "yes" } else { "no" };
    let security = if rule.security { "yes" } else { "no" };
    out.push_str("| severity | owner | transports | gates | security | level |\n");
    out.push_str("|---|---|---|---|---|---|\n");
    let _ = writeln!(
        out,
        "| {} | {} | {} | {gates} | {security} | {} |\n",
        severity(rule),
        owner(rule),
        transports(rule),
        levels(rule),
    );
}

fn section(out: &mut String, title: &str, text: &str) {
    let _ = writeln!(out, "## {title}\n\n{}\n", text.trim());
}

fn asked(rule: &Rule) -> String {
    if rule.probes.is_empty() {
        return "Nothing of its own: it looks at what the other rules ask.".to_owned();
    }
    let lines: Vec<String> = rule.probes.iter().map(|probe| question(probe)).collect();
    lines.join("\n")
}

/// ``- `ping`: the removed `ping`. A valid `ping` request, unchanged.``
fn question(probe: &Probe) -> String {
    let base = match probe.base {
        Base::Modern(method) => format!("A valid `{method}` request"),
        Base::Legacy(method) => format!("A `{method}` request as a legacy client sends it"),
        Base::Notification(method) | Base::LegacyNotification(method) => {
            format!("A `{method}` notification")
        }
        Base::Raw(method) => format!("HTTP {method}"),
    };
    let deviation = match probe.deviation {
        Deviation::None => "unchanged".to_owned(),
        Deviation::Intent { changes, .. } => format!("changed: {}", list(changes)),
        Deviation::Header { changes, .. } => format!("headers changed: {}", list(changes)),
    };
    format!("- `{}`: {}. {base}, {deviation}.", probe.id, probe.about)
}

fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

/// The rules whose failure leaves this one unmeasured, and the one that explains it.
fn presupposed(rule: &Rule) -> String {
    let mut lines: Vec<String> = rule
        .presupposes
        .iter()
        .map(|fact| {
            let transport = if fact.http_only { " on HTTP" } else { "" };
            format!(
                "- `{}`{transport}; if broken, see {}",
                fact.id,
                link(fact.rule)
            )
        })
        .collect();
    if lines.is_empty() {
        lines.push("Nothing: it is judged in every run that asked.".to_owned());
    }
    if let Some(cause) = rule.symptom_of {
        lines.push(format!(
            "\nIf {} failed too, this one is a symptom of the same cause.",
            link(cause)
        ));
    }
    lines.join("\n")
}

fn link(id: &str) -> String {
    rules::find(id).map_or_else(
        || id.to_owned(),
        |rule| format!("[{} {}]({}.md)", rule.id, rule.name, rule.id),
    )
}

fn required(rule: &Rule) -> String {
    let lines: Vec<String> = ledger(rule)
        .map(|known| {
            format!(
                "- {}: {} [{}]({})",
                words::level(known.level),
                known.statement,
                known.id,
                known.url()
            )
        })
        .collect();
    lines.join("\n")
}

fn ledger(rule: &Rule) -> impl Iterator<Item = &'static requirements::Requirement> {
    rule.checks
        .iter()
        .filter_map(|check| requirements::find(check.requirement))
}
