//! `cargo xtask docs`: the pages of the rules and the tables that list them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use mcp_assay_core::render::explain;
use mcp_assay_core::rules::{RULES, family};

use crate::generated::{self, File};

const FOLDER: &str = "docs/rules";
const README: &str = "README.md";
const BEGIN: &str = "<!-- rules:begin -->";
const END: &str = "<!-- rules:end -->";

pub(crate) fn command(arguments: &[String]) -> Result<bool> {
    let check = generated::wants_check("docs", arguments)?;
    generated::settle("docs", &files()?, &stale()?, check)
}

fn files() -> Result<Vec<File>> {
    let mut files: Vec<File> = RULES
        .iter()
        .map(|rule| File {
            path: page_path(rule.id),
            text: explain::page(rule),
        })
        .collect();
    files.push(File {
        path: Path::new(FOLDER).join("README.md"),
        text: index(),
    });
    files.push(File {
        path: README.into(),
        text: readme()?,
    });
    Ok(files)
}

fn page_path(id: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{id}.md"))
}

/// Pages of rules that are not in the registry.
fn stale() -> Result<Vec<PathBuf>> {
    let folder = generated::root().join(FOLDER);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let known = |name: &str| {
        name == "README.md" || RULES.iter().any(|rule| name == format!("{}.md", rule.id))
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("read {FOLDER}"))? {
        let name = entry?.file_name();
        if !known(&name.to_string_lossy()) {
            found.push(Path::new(FOLDER).join(name));
        }
    }
    found.sort();
    Ok(found)
}

fn index() -> String {
    format!(
        "# Rules\n\n\
         Made from the source by `cargo xtask docs`; edit the rules, not these pages.\n\
         `mcp-assay explain MCP012` prints the same page.\n\n\
         {}\n\
         **Severity** is what a defect does to users: an `error` stops a 2026-07-28 client, a \
         `warning` degrades it, a `note` is worth knowing. A single finding can be milder or graver \
         than its rule; it says so. **Owner** is who usually has to fix it; evidence overrides it. \
         A rule that **gates** must be measured before a server is called ready.\n",
        table("")
    )
}

fn table(folder: &str) -> String {
    let mut out = String::from(
        "| id | name | a correct server | severity | owner | transports | gates |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let mut last = "";
    for rule in RULES {
        if family(rule.id) != last {
            last = family(rule.id);
            let _ = writeln!(out, "| | **{last}** | | | | | |");
        }
        let _ = writeln!(
            out,
            "| [{0}]({folder}{0}.md) | {1} | {2} | {3} | {4} | {5} | {6} |",
            rule.id,
            rule.name,
            rule.claim.replace('|', "\\|"),
            explain::severity(rule),
            explain::owner(rule),
            explain::transports(rule),
            if rule.gates { "yes" } else { "no" },
        );
    }
    out
}

/// The README with its table made anew.
fn readme() -> Result<String> {
    let text = generated::read(Path::new(README))?.context("read README.md: it is not there")?;
    let (before, rest) = text
        .split_once(BEGIN)
        .with_context(|| format!("find `{BEGIN}` in README.md"))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("find `{END}` in README.md"))?;
    let table = table(&format!("{FOLDER}/"));
    Ok(format!("{before}{BEGIN}\n\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_page_and_nothing_drifted() {
        let drifted: Vec<PathBuf> = files()
            .unwrap()
            .into_iter()
            .filter(|file| generated::read(&file.path).unwrap().as_ref() != Some(&file.text))
            .map(|file| file.path)
            .chain(stale().unwrap())
            .collect();
        assert!(drifted.is_empty(), "run `cargo xtask docs`: {drifted:?}");
    }
}
