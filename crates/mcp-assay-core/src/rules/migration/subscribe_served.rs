//! MCP008: the removed `resources/subscribe` is still answered.

use super::removed;
use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Rule};

/// The removed `resources/subscribe` is still answered.
pub static RULE: Rule = Rule {
    id: "MCP008",
    name: "subscribe-served",
    defect: "the removed `resources/subscribe` is still answered",
    claim: "The removed `resources/subscribe` is an unknown method.",
    severity: Severity::Note,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
    security: false,
    probes: &[&probe::SUBSCRIBE, &probe::UNSUBSCRIBE],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[Check {
        requirement: "version.removed-methods",
        judge: |view| {
            removed(
                view,
                &[&probe::SUBSCRIBE, &probe::UNSUBSCRIBE],
                "a method that the revision removed is an unknown method: error -32601",
                "answer resources/subscribe and resources/unsubscribe with -32601 to requests that carry modern _meta",
            )
        },
    }],
    docs: Docs {
        why: "A subscription is a stream now: `subscriptions/listen` names the resources and ends when the stream ends.",
        legal: "Answering it: nothing forbids extra methods, so this is a note. An error other than \
                `-32601` may come from version or authorization checks and proves nothing.",
        example: "```json\n--> {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/subscribe\",\"params\":{\"_meta\":{...}}}\n<-- {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"complete\"}}\n```",
        fix: "Serve `subscriptions/listen`; register the old handlers for legacy connections only.",
        clients: "None: a client of 2026-07-28 never sends it.",
    },
};
