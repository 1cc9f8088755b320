//! MCP011: an unknown resource is answered with -32002.

use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, base_errors, describe};
use crate::probe;
use crate::protocol::code;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::{Reply, View};

/// An unknown resource is answered with -32002.
pub static RULE: Rule = Rule {
    id: "MCP011",
    name: "resource-not-found-code",
    defect: "an unknown resource is answered with -32002",
    claim: "The old code -32002 is not used.",
    severity: Severity::Warning,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
    security: false,
    probes: &[&probe::READ_UNKNOWN],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[Check {
        requirement: "base.error.no-32002",
        judge,
    }],
    docs: Docs {
        why: "A resource that does not exist is an invalid parameter now: `-32602`. The old number \
              lies in a range that has no meaning any more.",
        legal: "`-32602`; `input_required`, which may come before the lookup; content, if the server \
                serves arbitrary URIs. The HTTP status is free. `-32002` inside a legacy session.",
        example: "```json\n<-- {\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32002,\"message\":\"Resource not found\"}}\n```",
        fix: "Answer with `-32602` and the URI in `error.data.uri`.",
        clients: "Clients of 2026-07-28 may not recognise the error as \"not found\".",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    let old = base_errors(view).find(|(_, error)| error.code == Some(code::OLD_RESOURCE_NOT_FOUND));
    if let Some((exchange, _)) = old {
        return Finding::new(
            exchange.proof(),
            describe(view, exchange),
            "implementations of this version MUST NOT emit -32002; a resource that does not exist is -32602",
            "answer a missing resource with -32602",
        )
        .at("/error/code")
        .fail();
    }
    let Some(exchange) = view.asked(&probe::READ_UNKNOWN).next() else {
        return super::unanswered(view, None);
    };
    match exchange.reply {
        Reply::Error { .. } => Judgement::Pass(exchange.proof()),
        // It was not refused, so there was no code to get wrong.
        Reply::Result(_) => Judgement::NotMeasured(crate::transcript::Gap::NoAnswer(
            "reading a resource that does not exist was not refused".into(),
        )),
        _ => super::unanswered(view, Some(exchange)),
    }
}
