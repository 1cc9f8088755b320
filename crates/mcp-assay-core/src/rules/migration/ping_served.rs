//! MCP006: the removed `ping` is still answered.

use super::removed;
use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Rule};

/// The removed `ping` is still answered.
pub static RULE: Rule = Rule {
    id: "MCP006",
    name: "ping-served",
    defect: "the removed `ping` is still answered",
    claim: "The removed `ping` is an unknown method.",
    severity: Severity::Note,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
    security: false,
    probes: &[&probe::PING],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[Check {
        requirement: "version.removed-methods",
        judge: |view| {
            removed(
                view,
                &[&probe::PING],
                "a method that the revision removed is an unknown method: error -32601",
                "answer ping with -32601 to requests that carry modern _meta",
            )
        },
    }],
    docs: Docs {
        why: "Liveness is the transport's business now; a cheap request such as `server/discover` does what ping did.",
        legal: "Answering it: nothing forbids extra methods, so this is a note. An error other than \
                `-32601` may come from version or authorization checks and proves nothing.",
        example: "```json\n--> {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{\"_meta\":{...}}}\n<-- {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"complete\"}}\n```",
        fix: "Register the handler for legacy connections only.",
        clients: "None: a client of 2026-07-28 never sends it.",
    },
};
