//! The catalogue of rules, offline.

use std::process::ExitCode;

use anyhow::Context as _;
use mcp_assay_core::render::explain::page as explain_page;
use mcp_assay_core::requirements::REQUIREMENTS;
use mcp_assay_core::rules::{RULES, family, find};

use crate::{exit, output};

pub(crate) fn list(coverage: bool) -> anyhow::Result<ExitCode> {
    let mut text = String::new();
    if coverage {
        for requirement in REQUIREMENTS {
            let rules: Vec<&str> = RULES
                .iter()
                .filter(|rule| rule.checks.iter().any(|c| c.requirement == requirement.id))
                .map(|rule| rule.id)
                .collect();
            text.push_str(&format!("{:<52} {}\n", requirement.id, rules.join(", ")));
        }
    } else {
        for rule in RULES {
            text.push_str(&format!(
                "{}  {:<28} {:<8} {:<10} {}\n",
                rule.id,
                rule.name,
                format!("{:?}", rule.severity).to_lowercase(),
                family(rule.id),
                rule.claim
            ));
        }
    }
    output::print(&text)?;
    Ok(ExitCode::from(exit::READY))
}

pub(crate) fn explain(word: &str) -> anyhow::Result<ExitCode> {
    let rule = find(word)
        .with_context(|| format!("no rule is called `{word}`; `mcp-assay rules` lists them"))?;
    output::print(&explain_page(rule))?;
    Ok(ExitCode::from(exit::READY))
}
