//! MCP010: the removed GET stream is still served.

use crate::facts::{
    HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, describe, legacy_negotiated,
    legacy_sse_exchange,
};
use crate::probe::{self, Probe};
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::{Evidence, Exchange, View};

/// The removed GET stream is still served.
pub static RULE: Rule = Rule {
    id: "MCP010",
    name: "get-stream-served",
    defect: "the removed GET stream is still served",
    claim: "A server of this revision alone serves no GET stream and ends no sessions by DELETE.",
    severity: Severity::Warning,
    owner: Owner::Sdk,
    http_only: true,
    gates: false,
    security: false,
    probes: &[&probe::GET, &probe::DELETE, &probe::INITIALIZE],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[
        Check {
            requirement: "transport.http.post-only",
            judge: get,
        },
        Check {
            requirement: "transport.http.delete-405",
            judge: delete,
        },
    ],
    docs: Docs {
        why: "Server messages travel on the response of the request they belong to. A GET stream \
              holds a connection that nothing of this revision uses.",
        legal: "A dual-era server may serve GET and DELETE to its legacy clients. 405 is advised; any \
                other refusal is accepted here.",
        example: "```http\nGET /mcp HTTP/1.1\nAccept: text/event-stream\n\nHTTP/1.1 200 OK\nContent-Type: text/event-stream\n```",
        fix: "Answer GET and DELETE with 405 and `Allow: POST`.",
        clients: "None of 2026-07-28; proxies keep idle connections open.",
    },
};

fn asked<'v, 't>(view: &'v View<'t>, probe: &'static Probe) -> Option<&'v Exchange<'t>> {
    view.asked(probe).next()
}

fn dual(view: &View<'_>) -> Option<Judgement> {
    let serves_older = legacy_negotiated(view).is_some() || legacy_sse_exchange(view).is_some();
    serves_older
        .then(|| Judgement::NotApplicable("the server may do so for its legacy clients".to_owned()))
}

fn get(view: &View<'_>) -> Judgement {
    let Some(exchange) = asked(view, &probe::GET) else {
        return super::unanswered(view, None);
    };
    let Some(head) = exchange.head else {
        return super::unanswered(view, Some(exchange));
    };
    let evidence = Evidence::of(exchange.sent).and(&Evidence::of(head.entry));
    if head.status == 200 && head.is_event_stream() {
        return dual(view).unwrap_or_else(|| {
            Finding::new(
                evidence,
                "GET -> HTTP 200, text/event-stream",
                "a server that supports only this revision answers GET with 405",
                "answer GET on the endpoint with 405",
            )
            .fail()
        });
    }
    if (400..500).contains(&head.status) {
        return Judgement::Pass(evidence);
    }
    dual(view).unwrap_or_else(|| super::unanswered(view, Some(exchange)))
}

fn delete(view: &View<'_>) -> Judgement {
    let Some(exchange) = asked(view, &probe::DELETE) else {
        return super::unanswered(view, None);
    };
    let Some(head) = exchange.head else {
        return super::unanswered(view, Some(exchange));
    };
    let evidence = Evidence::of(exchange.sent).and(&Evidence::of(head.entry));
    match head.status {
        400..500 => Judgement::Pass(evidence),
        200..300 => dual(view).unwrap_or_else(|| {
            Finding::new(
                evidence,
                describe(view, exchange),
                "a server that supports only this revision answers DELETE with 405",
                "answer DELETE on the endpoint with 405",
            )
            .severity(Severity::Note)
            .fail()
        }),
        _ => dual(view).unwrap_or_else(|| super::unanswered(view, Some(exchange))),
    }
}
