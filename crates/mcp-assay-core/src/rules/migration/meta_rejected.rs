//! MCP013: requests with the `_meta` envelope are refused.

use crate::facts::{META_ACCEPTED, META_PAIRS, MODERN_SERVICE, describe, refused_pair};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::{Truth, View};

/// Requests with the `_meta` envelope are refused.
pub static RULE: Rule = Rule {
    id: "MCP013",
    name: "meta-rejected",
    defect: "requests with the `_meta` envelope are refused",
    claim: "Requests that carry the `_meta` envelope are let in.",
    severity: Severity::Error,
    owner: Owner::Sdk,
    http_only: false,
    gates: true,
    security: false,
    probes: &[
        &probe::DISCOVER,
        &probe::DISCOVER_NO_META,
        &probe::TOOLS_LIST,
        &probe::TOOLS_LIST_NO_META,
        &probe::PROMPTS_LIST,
        &probe::PROMPTS_LIST_NO_META,
        &probe::RESOURCES_LIST,
        &probe::RESOURCES_LIST_NO_META,
        &probe::READ,
        &probe::READ_NO_META,
        &probe::PROMPT_GET,
        &probe::PROMPT_NO_META,
    ],
    presupposes: &[&MODERN_SERVICE],
    symptom_of: None,
    checks: &[Check {
        requirement: "version.dual-era-modern-stateless",
        judge,
    }],
    docs: Docs {
        why: "Every request carries its version and the client's capabilities in `params._meta`. A \
              handler that validates its parameters strictly and does not know `_meta` refuses them.",
        legal: "Refusing every early request alike, with or without `_meta`: that is a missing \
                revision or a demanded handshake, and other rules say so.",
        example: "```json\n--> server/discover with `_meta`\n<-- {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"Unexpected field _meta\"}}\n--> the same without `_meta`\n<-- a DiscoverResult\n```",
        fix: "Accept `_meta` in the parameters of every request.",
        clients: "All: no client of 2026-07-28 can leave it out.",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    let Some((refused, control)) = refused_pair(view, &META_PAIRS) else {
        return match view.fact(&META_ACCEPTED) {
            Truth::Holds(proof) | Truth::Broken(proof) => Judgement::Pass(proof),
            Truth::Unknown(gap) => Judgement::NotMeasured(gap),
        };
    };
    Finding::new(
        refused.proof().and(&control.proof()),
        format!("{}; {}", describe(view, refused), describe(view, control)),
        "a request that carries modern _meta is served by this revision",
        "accept _meta in the parameters of every request",
    )
    .fail()
}
