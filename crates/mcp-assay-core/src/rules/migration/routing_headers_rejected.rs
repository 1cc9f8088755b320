//! MCP014: `Mcp-Method` or `Mcp-Name` are refused.

use crate::facts::{
    HEADER_PAIRS, HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, describe, refused_pair,
};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::{Reply, Truth, View};

/// `Mcp-Method` or `Mcp-Name` are refused.
pub static RULE: Rule = Rule {
    id: "MCP014",
    name: "routing-headers-rejected",
    defect: "`Mcp-Method` or `Mcp-Name` are refused",
    claim: "Requests that carry `Mcp-Method` and `Mcp-Name` are let in.",
    severity: Severity::Error,
    owner: Owner::Sdk,
    http_only: true,
    gates: true,
    security: false,
    probes: &[
        &probe::DISCOVER,
        &probe::DISCOVER_NO_ROUTING,
        &probe::READ,
        &probe::READ_NO_ROUTING,
        &probe::CALL_UNKNOWN,
        &probe::CALL_NO_ROUTING,
        &probe::READ_NO_NAME,
        &probe::PROMPT_GET,
        &probe::PROMPT_NO_NAME,
        &probe::CALL_NO_NAME,
    ],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED],
    symptom_of: None,
    checks: &[Check {
        requirement: "assay.routing-headers-accepted",
        judge,
    }],
    docs: Docs {
        why: "Gateways route by these headers without reading the body, so every client must send \
              them.",
        legal: "Refusing a request whose headers contradict its body, or lack a required one: that \
                is what `-32020` is for.",
        example: "```http\nPOST /mcp HTTP/1.1\nMcp-Method: tools/call\nMcp-Name: echo\n\nHTTP/1.1 400 Bad Request\n```\nwhile the same request without the two headers is served.",
        fix: "Let the headers through, in the server and in every proxy before it; read `Mcp-Name` \
              with its Base64 form.",
        clients: "All: no client of 2026-07-28 can leave them out.",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    let Some((refused, control)) = refused_pair(view, &HEADER_PAIRS) else {
        return match view.fact(&HEADERS_ACCEPTED) {
            Truth::Holds(proof) | Truth::Broken(proof) => Judgement::Pass(proof),
            Truth::Unknown(gap) => Judgement::NotMeasured(gap),
        };
    };
    let finding = Finding::new(
        refused.proof().and(&control.proof()),
        format!("{}; {}", describe(view, refused), describe(view, control)),
        "clients MUST send Mcp-Method and Mcp-Name, so a request that carries them correctly is served",
        "let Mcp-Method and Mcp-Name through",
    );
    // A refusal without a JSON-RPC body is the voice of something in front of the server.
    if matches!(refused.reply, Reply::Other(_)) {
        return finding
            .owned_by(
                Owner::Infrastructure,
                "the refusal is no JSON-RPC message, so it may come from a gateway before the server",
            )
            .fail();
    }
    finding.fail()
}
