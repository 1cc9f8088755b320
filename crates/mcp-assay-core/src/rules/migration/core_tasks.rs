//! MCP021: tasks are still in the core protocol.

use super::removed;
use crate::facts::{
    DISCOVER_USABLE, HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, capability, discover_result,
};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, View};

/// Tasks are still in the core protocol.
pub static RULE: Rule = Rule {
    id: "MCP021",
    name: "core-tasks",
    defect: "tasks are still in the core protocol",
    claim: "Tasks are no part of the core protocol: no capability, no `tasks/list`, no `tasks/result`.",
    severity: Severity::Warning,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
    security: false,
    probes: &[&probe::DISCOVER, &probe::TASKS_LIST, &probe::TASKS_RESULT],
    presupposes: &[
        &MODERN_SERVICE,
        &META_ACCEPTED,
        &HEADERS_ACCEPTED,
        &DISCOVER_USABLE,
    ],
    symptom_of: None,
    checks: &[
        Check {
            requirement: "tasks.no-legacy-capability",
            judge: declared,
        },
        Check {
            requirement: "tasks.result-removed",
            judge: |view| {
                removed(
                    view,
                    &[&probe::TASKS_LIST, &probe::TASKS_RESULT],
                    "tasks/list and tasks/result are unknown methods: error -32601",
                    FIX,
                )
            },
        },
    ],
    docs: Docs {
        why: "The experimental tasks of 2025-11-25 became an extension with another life cycle.",
        legal: "The extension `io.modelcontextprotocol/tasks` under `capabilities.extensions`; \
                `-32021` in answer to its methods.",
        example: "```json\n<-- capabilities: {\"tasks\":{\"list\":{},\"requests\":{...}}}\n```",
        fix: "Move to the tasks extension, and register the old methods for legacy connections only.",
        clients: "Clients of 2026-07-28 do not look at `capabilities.tasks`, so tasks are never used.",
    },
};

const FIX: &str = "use the tasks extension, io.modelcontextprotocol/tasks";

fn declared(view: &View<'_>) -> Judgement {
    let Some(found) = discover_result(view) else {
        return Judgement::NotMeasured(Gap::NoAnswer("no discover result was delivered".into()));
    };
    let evidence = Evidence::of(found.entry);
    if capability(&found, &["tasks"]).is_none() {
        return Judgement::Pass(evidence);
    }
    Finding::new(
        evidence,
        "capabilities.tasks is declared",
        "the tasks capability of 2025-11-25 is not advertised under this revision",
        FIX,
    )
    .at("/result/capabilities/tasks")
    .fail()
}
