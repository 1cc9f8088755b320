//! MCP007: the removed `logging/setLevel` is still answered.

use super::removed;
use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Rule};

/// The removed `logging/setLevel` is still answered.
pub static RULE: Rule = Rule {
    id: "MCP007",
    name: "set-level-served",
    defect: "the removed `logging/setLevel` is still answered",
    claim: "The removed `logging/setLevel` is an unknown method.",
    severity: Severity::Note,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
    security: false,
    probes: &[&probe::SET_LEVEL],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[Check {
        requirement: "version.removed-methods",
        judge: |view| {
            removed(
                view,
                &[&probe::SET_LEVEL],
                "a method that the revision removed is an unknown method: error -32601",
                "answer logging/setLevel with -32601 to requests that carry modern _meta",
            )
        },
    }],
    docs: Docs {
        why: "A level set once for a connection is state. The level travels in each request's `_meta` now, and logging itself is deprecated.",
        legal: "Answering it: nothing forbids extra methods, so this is a note. An error other than \
                `-32601` may come from version or authorization checks and proves nothing.",
        example: "```json\n--> {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"logging/setLevel\",\"params\":{\"_meta\":{...}}}\n<-- {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"complete\"}}\n```",
        fix: "Register the handler for legacy connections only.",
        clients: "None: a client of 2026-07-28 never sends it.",
    },
};
