//! `cargo xtask new-rule`: the file of a new rule, and the lines that belong elsewhere.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use mcp_assay_core::rules::{RULES, family};

use crate::generated;

const USAGE: &str = "usage: cargo xtask new-rule MCPnnn kebab-case-name";
const RULES_FOLDER: &str = "crates/mcp-assay-core/src/rules";

pub(crate) fn command(arguments: &[String]) -> Result<bool> {
    let [id, name] = arguments else {
        bail!("{USAGE}");
    };
    let rule = NewRule::parse(id, name)?;
    let path = rule.path();
    let file = generated::root().join(&path);
    ensure!(!file.exists(), "{} is there already", path.display());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    }
    fs::write(&file, rule.source()).with_context(|| format!("write {}", path.display()))?;
    println!("wrote {}\n\n{}", path.display(), rule.elsewhere());
    Ok(true)
}

struct NewRule<'a> {
    id: &'a str,
    name: &'a str,
    family: &'static str,
}

impl<'a> NewRule<'a> {
    fn parse(id: &'a str, name: &'a str) -> Result<Self> {
        let number = id.strip_prefix("MCP").unwrap_or_default();
        ensure!(
            number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit()),
            "{id:?} is no id: MCP and three digits; the ranges are in CONTRIBUTING.md"
        );
        ensure!(
            is_kebab_case(name),
            "{name:?} is no name: lower-case words with hyphens between them"
        );
        for rule in RULES {
            ensure!(rule.id != id, "{id} is taken by {}", rule.name);
            ensure!(rule.name != name, "{name} is the name of {}", rule.id);
        }
        Ok(Self {
            id,
            name,
            family: family(id),
        })
    }

    fn module(&self) -> String {
        self.name.replace('-', "_")
    }

    fn path(&self) -> PathBuf {
        [RULES_FOLDER, self.family, &format!("{}.rs", self.module())]
            .iter()
            .collect()
    }

    fn source(&self) -> String {
        TEMPLATE
            .replace("@ID@", self.id)
            .replace("@NAME@", self.name)
            .replace("@FAMILY@", self.family)
    }

    /// The lines that belong into files that exist.
    fn elsewhere(&self) -> String {
        let Self { id, name, family } = self;
        let module = self.module();
        let before = RULES.iter().rev().find(|rule| rule.id < *id);
        let place = before.map_or("first".to_owned(), |rule| {
            format!("after the line of {}", rule.id)
        });
        let mod_file = format!("{RULES_FOLDER}/{family}/mod.rs");
        let new_family = if generated::root().join(&mod_file).exists() {
            String::new()
        } else {
            format!(
                "\n{mod_file}, a new file that begins with:\n    \
                 //! What these rules are about.\n\n\
                 {RULES_FOLDER}/mod.rs:\n    pub mod {family};\n"
            )
        };
        format!(
            "Add these lines:\n{new_family}\n\
             {mod_file}:\n    pub mod {module};\n\n\
             {RULES_FOLDER}/mod.rs, in RULES, {place}:\n    &{family}::{module}::RULE,\n\n\
             crates/mcp-assay-core/src/requirements/revision_2026_07_28.rs, unless the requirement is there:\n    \
             row(\"{family}.requirement-id\", Level::Must, \"page#anchor\", \"What holds on a correct server.\"),\n\n\
             crates/mcp-assay-fixtures/src/faults/, in the file that fits:\n    \
             warning(\"{id}\", \"{name}\", \"what the server does, in one line\",\n        \
             &[Edit(|_, request, reply| {{ }})]),\n\n\
             Then write the claim, the judgement and the docs, and run:\n    \
             MATRIX_ONLY={name} cargo test --package mcp-assay --test matrix each_fault\n    cargo xtask docs\n\n\
             CONTRIBUTING.md says what each needs."
        )
    }
}

fn is_kebab_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

const TEMPLATE: &str = r#"//! @ID@: the defect, in one line.

use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, describe};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::migration::unanswered;
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::{Reply, View};

/// The defect, in one line.
pub static RULE: Rule = Rule {
    id: "@ID@",
    name: "@NAME@",
    defect: "what is wrong",
    claim: "What a correct server does.",
    severity: Severity::Warning,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
    security: false,
    probes: &[&probe::DISCOVER],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[Check {
        requirement: "@FAMILY@.requirement-id",
        judge,
    }],
    docs: Docs {
        why: "Why the specification asks for it.",
        legal: "What looks like the defect and is permitted.",
        example: "```json\n<-- {}\n```",
        fix: "What to change.",
        clients: "Which clients feel it, and how.",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    let Some(exchange) = view.asked(&probe::DISCOVER).next() else {
        return unanswered(view, None);
    };
    match exchange.reply {
        Reply::Result(_) => Judgement::Pass(exchange.proof()),
        Reply::Error { .. } => Finding::new(
            exchange.proof(),
            describe(view, exchange),
            "what the specification requires, in plain words",
            "the concrete change",
        )
        .fail(),
        _ => unanswered(view, Some(exchange)),
    }
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_names_that_do_not_fit_are_refused() {
        for (id, name) in [
            ("MCP1", "short-id"),
            ("mcp101", "lower-case-id"),
            ("MCP999", "Not-Kebab"),
            ("MCP999", "double--hyphen"),
            ("MCP004", "taken-id"),
            ("MCP999", "result-type-missing"),
        ] {
            assert!(NewRule::parse(id, name).is_err(), "{id} {name}");
        }
    }

    /// The fields of the rule in a file: each `name: ` at a field's indent.
    fn fields(source: &str) -> Vec<&str> {
        let is_name = |name: &&str| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        source
            .lines()
            .skip_while(|line| !line.starts_with("pub static RULE"))
            .take_while(|line| *line != "};")
            .filter_map(|line| line.strip_prefix("    ")?.split_once(": "))
            .map(|(name, _)| name)
            .filter(is_name)
            .collect()
    }

    #[test]
    fn a_new_rule_has_the_fields_of_the_others() {
        let other = "crates/mcp-assay-core/src/rules/migration/discover_missing.rs";
        let other = generated::read(other.as_ref()).unwrap().unwrap();
        assert!(fields(&other).contains(&"checks"));
        assert_eq!(fields(TEMPLATE), fields(&other));
    }

    #[test]
    fn a_rule_goes_where_its_number_says() {
        let last = RULES.last().unwrap();
        let rule = NewRule {
            id: "MCP999",
            name: "id-not-echoed",
            family: family("MCP101"),
        };
        assert!(rule.path().ends_with("rules/base/id_not_echoed.rs"));
        let place = format!("after the line of {}:", last.id);
        assert!(rule.elsewhere().contains(&place));
        assert!(!rule.source().contains('@'));
    }
}
