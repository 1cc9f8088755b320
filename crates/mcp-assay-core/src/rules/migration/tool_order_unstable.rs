//! MCP017: the order of `tools/list` differs between identical requests.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, View};

/// The order of `tools/list` differs between identical requests.
pub static RULE: Rule = Rule {
    id: "MCP017",
    name: "tool-order-unstable",
    defect: "the order of `tools/list` differs between identical requests",
    claim: "Identical `tools/list` requests give the tools in the same order.",
    severity: Severity::Warning,
    owner: Owner::Application,
    http_only: false,
    gates: false,
    security: false,
    probes: &[&probe::TOOLS_LIST],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[Check {
        requirement: "tools.list-deterministic-order",
        judge,
    }],
    docs: Docs {
        why: "The list of tools becomes part of a model's prompt. Another order is another prompt, \
              and the provider's cache is lost.",
        legal: "Another set of tools: lists may change over time.",
        example: "```\ntools/list -> alpha, beta\ntools/list -> beta, alpha\n```",
        fix: "Keep tools in an ordered container, or sort them by name before listing.",
        clients: "All work; prompts are cached less often and cost more.",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    let listings: Vec<(Vec<&str>, u32)> = view
        .asked(&probe::TOOLS_LIST)
        .filter(|exchange| exchange.key.page == 0)
        .filter_map(|exchange| {
            let tools = view.result(exchange)?.get("tools")?.as_array()?;
            let names = tools
                .iter()
                .map(|tool| tool.get("name").and_then(Value::as_str))
                .collect::<Option<Vec<_>>>()?;
            let entry = exchange.proof().entries().last()?;
            Some((names, entry))
        })
        .collect();
    let [(first, entry), rest @ ..] = listings.as_slice() else {
        return super::unanswered(view, view.asked(&probe::TOOLS_LIST).next());
    };
    if first.len() < 2 {
        return Judgement::NotApplicable("fewer than two tools have no order".to_owned());
    }
    if rest.is_empty() {
        return Judgement::NotMeasured(Gap::NoAnswer("the tools were listed only once".into()));
    }
    let evidence = Evidence::collect(listings.iter().map(|(_, entry)| *entry))
        .unwrap_or_else(|| Evidence::of(*entry));
    let same_set = |names: &[&str]| {
        names.iter().collect::<BTreeSet<_>>() == first.iter().collect::<BTreeSet<_>>()
            && names.len() == first.len()
    };
    // Lists may change at any time, so order is judged between listings of one set only.
    if rest.iter().any(|(names, _)| !same_set(names)) {
        return Judgement::NotMeasured(Gap::NoAnswer(
            "the set of tools changed between the listings".into(),
        ));
    }
    let Some((other, _)) = rest.iter().find(|(names, _)| names != first) else {
        return Judgement::Pass(evidence);
    };
    let at = first
        .iter()
        .zip(other)
        .position(|(left, right)| left != right)
        .unwrap_or_default();
    Finding::new(
        evidence,
        format!(
            "position {}: \"{}\" in one listing, \"{}\" in another",
            at + 1,
            first[at].chars().take(60).collect::<String>(),
            other[at].chars().take(60).collect::<String>(),
        ),
        "the order of tools is deterministic while the set is unchanged",
        "list tools in a fixed order",
    )
    .fail()
}
