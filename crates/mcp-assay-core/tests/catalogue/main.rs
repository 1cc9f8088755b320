//! The registry, the ledger and the probes agree with each other, and nothing points nowhere.

use std::collections::BTreeSet;

use mcp_assay_core::facts::FACTS;
use mcp_assay_core::probe::PROBES;
use mcp_assay_core::render::explain;
use mcp_assay_core::requirements::{self, REQUIREMENTS};
use mcp_assay_core::rules::{self, RULES, Rule};

/// Every page and anchor of revision 2026-07-28, and the proposals that the ledger cites. Frozen:
/// the revision is published. Anchors are the lower-case words of a heading; headings whose anchor
/// is not certain (those with `+`, `/` or `:`) are left out and cannot be cited.
const PAGES: &str = include_str!("pages-2026-07-28.txt");

fn no_duplicates<'a>(what: &str, ids: impl Iterator<Item = &'a str>) {
    let mut seen = BTreeSet::new();
    for id in ids {
        assert!(seen.insert(id), "{what} {id} is there twice");
    }
}

fn is_kebab_case(name: &str) -> bool {
    name.split('-').all(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

fn checks(rule: &Rule) -> impl Iterator<Item = &'static str> {
    rule.checks.iter().map(|check| check.requirement)
}

#[test]
fn the_registry_is_in_order_of_id() {
    for rule in RULES {
        let number = rule.id.strip_prefix("MCP").unwrap_or_default();
        let fits = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
        assert!(fits, "{} is no id", rule.id);
    }
    for pair in RULES.windows(2) {
        assert!(pair[0].id < pair[1].id, "{} {}", pair[0].id, pair[1].id);
    }
}

#[test]
fn names_are_kebab_case_and_unique() {
    no_duplicates("name", RULES.iter().map(|rule| rule.name));
    no_duplicates("probe", PROBES.iter().map(|probe| probe.id));
    no_duplicates("fact", FACTS.iter().map(|fact| fact.id));
    no_duplicates("requirement", REQUIREMENTS.iter().map(|known| known.id));
    for name in RULES
        .iter()
        .map(|rule| rule.name)
        .chain(PROBES.iter().map(|probe| probe.id))
    {
        assert!(is_kebab_case(name), "{name}");
    }
}

#[test]
fn a_rule_is_found_by_id_and_by_name() {
    for rule in RULES {
        for word in [rule.id, rule.name] {
            assert_eq!(rules::find(word).map(|found| found.id), Some(rule.id));
        }
    }
}

#[test]
fn every_check_judges_a_requirement_of_the_ledger() {
    for rule in RULES {
        assert!(!rule.checks.is_empty(), "{} has no check", rule.id);
        no_duplicates(rule.id, checks(rule));
        for requirement in checks(rule) {
            assert!(
                requirements::find(requirement).is_some(),
                "{}: {requirement} is not in the ledger",
                rule.id
            );
        }
    }
}

#[test]
fn every_requirement_is_judged() {
    let judged: BTreeSet<&str> = RULES.iter().flat_map(|rule| checks(rule)).collect();
    for known in REQUIREMENTS {
        assert!(judged.contains(known.id), "no check judges {}", known.id);
        assert!(!known.statement.is_empty(), "{} says nothing", known.id);
    }
}

#[test]
fn no_requirement_points_to_a_dead_anchor() {
    let pages: BTreeSet<&str> = PAGES.lines().collect();
    for known in REQUIREMENTS {
        assert!(
            pages.contains(known.page),
            "{}: no page or anchor {}",
            known.id,
            known.page
        );
    }
}

#[test]
fn rules_use_registered_probes_and_facts() {
    for rule in RULES {
        no_duplicates(rule.id, rule.probes.iter().map(|probe| probe.id));
        for probe in rule.probes {
            let known = PROBES.iter().any(|known| known.id == probe.id);
            assert!(known, "{}: {} is not in PROBES", rule.id, probe.id);
        }
        for fact in rule.presupposes {
            let known = FACTS.iter().any(|known| known.id == fact.id);
            assert!(known, "{}: {} is not in FACTS", rule.id, fact.id);
            assert_ne!(fact.rule, rule.id, "{} presupposes itself", rule.id);
        }
        if let Some(cause) = rule.symptom_of {
            assert!(rules::find(cause).is_some(), "{}: {cause}", rule.id);
        }
    }
    for fact in FACTS {
        assert!(
            rules::find(fact.rule).is_some(),
            "{}: {}",
            fact.id,
            fact.rule
        );
    }
}

#[test]
fn every_rule_has_a_whole_page() {
    for rule in RULES {
        let docs = &rule.docs;
        for part in [docs.why, docs.legal, docs.example, docs.fix, docs.clients] {
            assert!(!part.trim().is_empty(), "{} lacks a part", rule.id);
        }
        assert!(rule.claim.ends_with('.'), "{} claims no sentence", rule.id);
        let page = explain::page(rule);
        for text in [rule.id, rule.name, rule.claim, docs.example, docs.fix] {
            assert!(page.contains(text.trim()), "{}: {text}", rule.id);
        }
        for requirement in checks(rule) {
            assert!(page.contains(requirement), "{}: {requirement}", rule.id);
        }
        assert!(page.ends_with(&format!("`--skip {}`\n", rule.name)));
        assert_eq!(page.matches("```").count() % 2, 0, "{}", rule.id);
    }
}
