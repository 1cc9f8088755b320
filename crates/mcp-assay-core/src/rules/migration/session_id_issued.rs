//! MCP003: `Mcp-Session-Id` on answers to modern requests.

use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, describe, legacy_negotiated};
use crate::probe;
use crate::protocol::header;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, Exchange, Reply, View};

/// `Mcp-Session-Id` on answers to modern requests.
pub static RULE: Rule = Rule {
    id: "MCP003",
    name: "session-id-issued",
    defect: "`Mcp-Session-Id` on answers to modern requests",
    claim: "Answers to modern requests carry no `Mcp-Session-Id`, and one that is sent is ignored.",
    severity: Severity::Warning,
    owner: Owner::Sdk,
    http_only: true,
    gates: false,
    security: false,
    probes: &[&probe::DISCOVER, &probe::TOOLS_LIST, &probe::SESSION_SENT],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[
        Check {
            requirement: "transport.http.session-id-not-minted",
            judge: minted,
        },
        Check {
            requirement: "transport.http.session-id-ignored",
            judge: ignored,
        },
    ],
    docs: Docs {
        why: "2026-07-28 has no sessions. An id on an answer makes gateways pin clients to a replica \
              and makes each modern request leave a session behind.",
        legal: "A session id on the answer to a legacy `initialize`, and on legacy requests that \
                carry one.",
        example: "```http\nHTTP/1.1 200 OK\nMcp-Session-Id: 4f1c...\n```\nin answer to `server/discover`.",
        fix: "Create sessions only for `initialize`. Treat a session id on a modern request as if it \
              were not there.",
        clients: "No client of 2026-07-28 reads it; memory and routing suffer.",
    },
};

fn modern_heads<'v, 't>(view: &'v View<'t>) -> Vec<&'v Exchange<'t>> {
    view.exchanges()
        .iter()
        .filter(|exchange| {
            exchange.head.is_some()
                && matches!(exchange.reply, Reply::Result(_) | Reply::Error { .. })
                && exchange.probe().is_some_and(|known| {
                    known.is_base() || std::ptr::eq(known, &raw const probe::SESSION_SENT)
                })
        })
        .collect()
}

fn minted(view: &View<'_>) -> Judgement {
    let heads = modern_heads(view);
    let with: Vec<&&Exchange<'_>> = heads
        .iter()
        .filter(|exchange| {
            exchange
                .head
                .is_some_and(|head| head.header(header::SESSION_ID).is_some())
        })
        .collect();
    let evidence = |exchanges: &[&&Exchange<'_>]| {
        Evidence::collect(
            exchanges
                .iter()
                .filter_map(|exchange| exchange.head.map(|head| [exchange.sent, head.entry]))
                .flatten(),
        )
    };
    if let Some(found) = evidence(&with) {
        let mut methods: Vec<&str> = with
            .iter()
            .filter_map(|exchange| exchange.probe()?.method())
            .collect();
        methods.dedup();
        methods.sort_unstable();
        methods.dedup();
        return Finding::new(
            found,
            format!("{}: the answer carries Mcp-Session-Id", methods.join(", ")),
            "a server does not mint or echo session ids on requests of this revision",
            "issue Mcp-Session-Id for legacy initialize only",
        )
        .fail();
    }
    let all: Vec<&&Exchange<'_>> = heads.iter().collect();
    evidence(&all).map_or(
        Judgement::NotMeasured(Gap::NoAnswer("no modern request was answered".into())),
        Judgement::Pass,
    )
}

fn ignored(view: &View<'_>) -> Judgement {
    let Some(sent) = view.asked(&probe::SESSION_SENT).next() else {
        return Judgement::NotMeasured(Gap::NotAsked);
    };
    let plain = view
        .asked(&probe::DISCOVER)
        // After it, too: a server may have changed its mind about the method meanwhile.
        .any(|exchange| exchange.sent > sent.sent && matches!(exchange.reply, Reply::Result(_)));
    match sent.reply {
        Reply::Result(_) => Judgement::Pass(sent.proof()),
        // A server with sessions for legacy clients may look one up.
        _ if legacy_negotiated(view).is_some() => Judgement::NotApplicable(
            "the server has sessions for legacy clients, and the specification asks this of servers without".to_owned(),
        ),
        Reply::Error { .. } | Reply::Other(_)
            if plain && sent.head.is_some_and(|head| matches!(head.status, 200 | 400 | 404)) =>
        {
            Finding::new(
                sent.proof(),
                format!("{}; the same request without the header is served", describe(view, sent)),
                "an Mcp-Session-Id header on a request is ignored",
                "ignore Mcp-Session-Id on requests of this revision",
            )
            .fail()
        }
        _ => super::unanswered(view, Some(sent)),
    }
}
