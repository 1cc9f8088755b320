//! MCP002: nothing is served without `initialize`.

use crate::facts::{
    ENDPOINT, HEADERS_ACCEPTED, META_ACCEPTED, describe, discover_result, modern_proof,
};
use crate::probe::{self, LISTS, Probe};
use crate::protocol::code;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::scenario::{BARE, is_after_handshake};
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, Exchange, Reply, View};

/// Nothing is served without `initialize`.
pub static RULE: Rule = Rule {
    id: "MCP002",
    name: "handshake-required",
    defect: "nothing is served without `initialize`",
    claim: "Requests are served without a handshake before them.",
    severity: Severity::Error,
    owner: Owner::Sdk,
    http_only: false,
    gates: true,
    security: false,
    probes: &[
        &probe::TOOLS_LIST,
        &probe::PROMPTS_LIST,
        &probe::RESOURCES_LIST,
        &probe::LEGACY_TOOLS_LIST,
        &probe::LEGACY_PROMPTS_LIST,
        &probe::LEGACY_RESOURCES_LIST,
        &probe::INITIALIZE,
    ],
    presupposes: &[&ENDPOINT, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: Some("MCP050"),
    checks: &[Check {
        requirement: "base.meta.no-prior-request-needed",
        judge,
    }],
    docs: Docs {
        why: "The protocol is stateless now: each request carries its version and the client's \
              capabilities, and a server must not rely on earlier requests of a connection.",
        legal: "Refusing `initialize` itself with any error. Serving sessions to legacy clients \
                beside stateless requests.",
        example: "```json\n--> tools/list with `_meta`, first message of a connection\n<-- {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"Server not initialized\"}}\n```\nwhile the same list works after `initialize`.",
        fix: "Serve a request that carries modern `_meta` whatever the connection has seen before.",
        clients: "Clients of 2026-07-28 never send `initialize`, so every request fails.",
    },
};

fn served(exchange: &&Exchange<'_>) -> bool {
    matches!(exchange.reply, Reply::Result(_))
}

fn refused(exchange: &&Exchange<'_>) -> bool {
    matches!(
        exchange.reply,
        Reply::Error { .. } | Reply::Silence(_) | Reply::Transport(_)
    ) || (matches!(exchange.reply, Reply::Other(_))
        && exchange
            .head
            .is_some_and(|head| (400..500).contains(&head.status)))
}

const LEGACY_LISTS: [&Probe; 3] = [
    &probe::LEGACY_TOOLS_LIST,
    &probe::LEGACY_PROMPTS_LIST,
    &probe::LEGACY_RESOURCES_LIST,
];

fn judge(view: &View<'_>) -> Judgement {
    let base: Vec<&Exchange<'_>> = LISTS
        .into_iter()
        .flat_map(|list| view.asked(list))
        .filter(|exchange| !is_after_handshake(&exchange.key.scenario))
        .collect();
    let legacy = |after: bool| {
        LEGACY_LISTS
            .into_iter()
            .flat_map(|list| view.asked(list))
            .filter(move |exchange| is_after_handshake(&exchange.key.scenario) == after)
    };
    // A server whose backend is down, or that is still warming up, demands no handshake.
    let failed = |exchange: &Exchange<'_>| view.error_code(exchange) == Some(code::INTERNAL);
    let modern = modern_proof(view).is_some();
    if let Some(exchange) = base.iter().copied().find(|exchange| served(exchange)) {
        return if modern {
            Judgement::Pass(exchange.proof())
        } else {
            // Served in legacy shape: the version is what is missing, not a handshake.
            Judgement::NotMeasured(Gap::Because("MCP050".into()))
        };
    }
    let control = legacy(false).find(|exchange| exchange.key.scenario == BARE);
    if control.as_ref().is_some_and(served) {
        return Judgement::NotMeasured(Gap::Because("MCP050".into()));
    }
    let after = legacy(true).find(served);
    if let (Some(first), Some(control), Some(after)) = (
        base.iter()
            .copied()
            .find(|exchange| refused(exchange) && !failed(exchange)),
        control.filter(|exchange| refused(exchange) && !failed(exchange)),
        after,
    ) {
        let evidence = first.proof().and(&control.proof()).and(&after.proof());
        return Finding::new(
            evidence,
            format!(
                "{}; {}; the same list is served after initialize",
                describe(view, first),
                describe(view, control)
            ),
            "no request needs another before it: servers MUST NOT rely on prior requests over the same connection",
            "serve requests that carry modern _meta without initialize",
        )
        .fail();
    }
    // A server without lists shows it by answering at all.
    let lists_declared = discover_result(view)
        .and_then(|found| found.capabilities)
        .is_none_or(|declared| {
            ["tools", "prompts", "resources"]
                .iter()
                .any(|name| declared.contains_key(*name))
        });
    match (discover_result(view), lists_declared) {
        (Some(found), false) => Judgement::Pass(Evidence::of(found.entry)),
        _ => {
            let asked = base
                .iter()
                .copied()
                .find(|exchange| !matches!(exchange.reply, Reply::NotSent(_)));
            super::unanswered(view, asked.or_else(|| base.first().copied()))
        }
    }
}
