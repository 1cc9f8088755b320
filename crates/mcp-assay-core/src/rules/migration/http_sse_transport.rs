//! MCP016: the 2024-11-05 HTTP+SSE transport.

use crate::facts::{ENDPOINT, describe, legacy_sse_exchange};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, Truth, View};

/// The 2024-11-05 HTTP+SSE transport.
pub static RULE: Rule = Rule {
    id: "MCP016",
    name: "http-sse-transport",
    defect: "the 2024-11-05 HTTP+SSE transport",
    claim: "The URL is a Streamable HTTP endpoint, not one of the HTTP+SSE transport.",
    severity: Severity::Error,
    owner: Owner::Sdk,
    http_only: true,
    gates: true,
    security: false,
    probes: &[&probe::DISCOVER, &probe::INITIALIZE, &probe::GET],
    presupposes: &[],
    symptom_of: None,
    checks: &[Check {
        requirement: "deprecated.http-sse",
        judge,
    }],
    docs: Docs {
        why: "HTTP+SSE was replaced by Streamable HTTP in 2025-03-26 and is deprecated. A client of \
              2026-07-28 posts to one endpoint and needs no GET.",
        legal: "Hosting the old transport at other URLs for old clients.",
        example: "```http\nPOST /sse HTTP/1.1        -> 405\nGET /sse HTTP/1.1         -> 200 text/event-stream\n\nevent: endpoint\ndata: /messages?sessionId=...\n```",
        fix: "Serve Streamable HTTP. If the server already does, give its URL (often `/mcp` instead \
              of `/sse`).",
        clients: "Clients of 2026-07-28 without the old fallback cannot connect at all.",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    match view.fact(&ENDPOINT) {
        Truth::Broken(evidence) => {
            let post = view
                .asked(&probe::DISCOVER)
                .next()
                .map(|exchange| describe(view, exchange))
                .unwrap_or_default();
            Finding::new(
                evidence,
                format!("{post}; GET -> a stream whose first event is `endpoint`"),
                "a server of this revision takes POST at one endpoint; HTTP+SSE is deprecated",
                "serve Streamable HTTP; if the server already does, try its URL, often /mcp instead of /sse",
            )
            .fail()
        }
        Truth::Holds(proof) => match legacy_sse_exchange(view) {
            Some(exchange) => Finding::new(
                exchange.proof(),
                "GET -> a stream whose first event is `endpoint`, beside a modern endpoint at the same URL",
                "new implementations SHOULD NOT adopt HTTP+SSE, which is deprecated",
                "retire the old transport, or move it to a URL of its own",
            )
            .severity(Severity::Warning)
            .fail(),
            None => Judgement::Pass(
                view.asked(&probe::GET)
                    .find_map(|exchange| exchange.head)
                    .map_or(proof.clone(), |head| proof.and(&Evidence::of(head.entry))),
            ),
        },
        Truth::Unknown(Gap::NotAsked) => Judgement::NotMeasured(Gap::NotAsked),
        Truth::Unknown(gap) => Judgement::NotMeasured(gap),
    }
}
