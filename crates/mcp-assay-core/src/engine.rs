//! Judges a transcript: every registered rule gets an outcome in every run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::facts::{self, ENDPOINT, Reach};
use crate::rules::{Judgement, RULES, Rule, family};
use crate::transcript::view::{Fact, Truth, View};
use crate::transcript::{Gap, TransportKind};

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was judged.
    Judged(Judgement),
    /// A bug in us; never hides the other rules.
    Crashed(String),
}

/// Which rules the user wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    only: Vec<String>,
    skip: Vec<String>,
}

/// A word that names no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("select rules: `{0}` is no rule id, name or family; `mcp-assay rules` lists them")]
pub struct UnknownRule(pub String);

impl Selection {
    /// Rules by id, name or family; `skip` subtracts from `only`.
    ///
    /// # Errors
    /// If a word names nothing.
    pub fn new(only: &[String], skip: &[String]) -> Result<Self, UnknownRule> {
        for word in only.iter().chain(skip) {
            if !RULES.iter().any(|rule| names(word, rule)) {
                return Err(UnknownRule(word.clone()));
            }
        }
        Ok(Self {
            only: only.to_vec(),
            skip: skip.to_vec(),
        })
    }

    /// True if the rule is wanted.
    #[must_use]
    pub fn wants(&self, rule: &Rule) -> bool {
        (self.only.is_empty() || self.only.iter().any(|word| names(word, rule)))
            && !self.skip.iter().any(|word| names(word, rule))
    }

    /// True if every rule is wanted.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.only.is_empty() && self.skip.is_empty()
    }
}

fn names(word: &str, rule: &Rule) -> bool {
    rule.id.eq_ignore_ascii_case(word) || rule.name == word || family(rule.id) == word
}

/// The outcome of each check of a rule.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) rule: &'static Rule,
    /// One per check, in the rule's order.
    pub(crate) outcomes: Vec<Outcome>,
}

/// Judges every registered rule, in order of id. The same transcript always gives the same outcomes.
#[must_use]
pub fn judge(view: &View<'_>, selection: &Selection) -> Vec<(&'static Rule, Vec<Outcome>)> {
    judge_rules(view, selection)
        .into_iter()
        .map(|judged| (judged.rule, judged.outcomes))
        .collect()
}

pub(crate) fn judge_rules(view: &View<'_>, selection: &Selection) -> Vec<Judged> {
    let reach = facts::reach(view);
    RULES
        .iter()
        .map(|rule| {
            let outcomes = rule
                .checks
                .iter()
                .map(|check| match barrier(view, rule, selection, &reach) {
                    Some(judgement) => Outcome::Judged(judgement),
                    None => guarded(|| (check.judge)(view)),
                })
                .collect();
            Judged { rule, outcomes }
        })
        .collect()
}

/// A panic in a rule is that rule's outcome and nobody else's.
fn guarded(judge: impl FnOnce() -> Judgement) -> Outcome {
    match catch_unwind(AssertUnwindSafe(judge)) {
        Ok(judgement) => Outcome::Judged(judgement),
        Err(panic) => {
            let what = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "a panic without a message".to_owned());
            Outcome::Crashed(what)
        }
    }
}

/// What keeps a rule from being judged at all.
fn barrier(
    view: &View<'_>,
    rule: &Rule,
    selection: &Selection,
    reach: &Reach,
) -> Option<Judgement> {
    if rule.http_only && view.transport() == TransportKind::Stdio {
        return Some(Judgement::NotApplicable("only on HTTP".to_owned()));
    }
    if !selection.wants(rule) {
        return Some(Judgement::NotMeasured(Gap::Skipped(
            "left out by --only or --skip".into(),
        )));
    }
    let silent = |why: &str| Some(Judgement::NotMeasured(Gap::NoAnswer(why.to_owned().into())));
    match reach {
        Reach::Server => {}
        Reach::Unreachable(..) => return silent("the server was not reached"),
        // The challenge and the metadata it names are judged, nothing else.
        Reach::AuthRequired(_) if judges_challenge(rule) => {}
        Reach::AuthRequired(_) => return silent("the server wants credentials first"),
        Reach::NotMcp(_) => return silent("no MCP server answered"),
        Reach::OnlyErrors(_) => return silent("no request was served"),
    }
    let facts: Vec<&&Fact> = rule
        .presupposes
        .iter()
        .filter(|fact| fact.rule != rule.id)
        .filter(|fact| !fact.http_only || view.transport() == TransportKind::Http)
        .collect();
    // What is known to be broken explains more than what is not known.
    let broken = rule
        .presupposes
        .first()
        .map(|_| &ENDPOINT)
        .filter(|fact| fact.rule != rule.id && view.transport() == TransportKind::Http)
        .into_iter()
        .chain(facts.iter().map(|fact| **fact))
        .find(|fact| matches!(view.fact(fact), Truth::Broken(_)));
    if let Some(fact) = broken {
        return Some(Judgement::NotMeasured(Gap::Because(fact.rule.into())));
    }
    facts
        .into_iter()
        .filter(|fact| fact.must_be_proven)
        .find_map(|fact| match view.fact(fact) {
            Truth::Unknown(gap) => Some(Judgement::NotMeasured(gap)),
            _ => None,
        })
}

fn judges_challenge(rule: &Rule) -> bool {
    rule.probes
        .iter()
        .any(|probe| std::ptr::eq(*probe, &raw const crate::probe::SERVER_METADATA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_outcome() {
        let outcome = guarded(|| panic!("boom {}", 1));
        assert_eq!(outcome, Outcome::Crashed("boom 1".to_owned()));
        let whole = Judgement::NotApplicable("it".to_owned());
        assert_eq!(guarded(|| whole.clone()), Outcome::Judged(whole));
    }
}
