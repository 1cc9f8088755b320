//! Are well-formed modern requests let in at all?

use serde_json::Value;

use super::answers::base_answers;
use crate::probe::{self, Probe};
use crate::protocol::method;
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, Exchange, Fact, Reply, Truth, View};

/// The URL is a Streamable HTTP endpoint, not one of the 2024-11-05 HTTP+SSE transport.
pub static ENDPOINT: Fact = Fact {
    id: "streamable-endpoint",
    rule: "MCP016",
    http_only: true,
    must_be_proven: false,
    derive: endpoint,
};

/// Requests with the `_meta` envelope are let in. Broken if `server/discover` refuses it; that another
/// method alone does is a matter of the rule.
pub static META_ACCEPTED: Fact = Fact {
    id: "meta-accepted",
    rule: "MCP013",
    http_only: false,
    must_be_proven: false,
    derive: |view| accepted(view, &META_PAIRS[..1]),
};

/// Requests with `Mcp-Method` and `Mcp-Name` are let in. Broken if `server/discover` refuses them.
pub static HEADERS_ACCEPTED: Fact = Fact {
    id: "routing-headers-accepted",
    rule: "MCP014",
    http_only: true,
    must_be_proven: false,
    derive: |view| accepted(view, &HEADER_PAIRS[..1]),
};

/// A request and its control: the same without the thing that may have been refused.
pub type Pair = (&'static Probe, &'static Probe);

/// Requests with and without `_meta`.
pub static META_PAIRS: [Pair; 6] = [
    (&probe::DISCOVER, &probe::DISCOVER_NO_META),
    (&probe::TOOLS_LIST, &probe::TOOLS_LIST_NO_META),
    (&probe::PROMPTS_LIST, &probe::PROMPTS_LIST_NO_META),
    (&probe::RESOURCES_LIST, &probe::RESOURCES_LIST_NO_META),
    (&probe::READ, &probe::READ_NO_META),
    (&probe::PROMPT_GET, &probe::PROMPT_NO_META),
];

/// Requests with and without the routing headers, or `Mcp-Name` alone: a server that demands
/// `Mcp-Method`, as it must, would refuse a control without both.
pub static HEADER_PAIRS: [Pair; 6] = [
    (&probe::DISCOVER, &probe::DISCOVER_NO_ROUTING),
    (&probe::READ, &probe::READ_NO_ROUTING),
    (&probe::READ, &probe::READ_NO_NAME),
    (&probe::PROMPT_GET, &probe::PROMPT_NO_NAME),
    (&probe::CALL_UNKNOWN, &probe::CALL_NO_ROUTING),
    (&probe::CALL_UNKNOWN, &probe::CALL_NO_NAME),
];

/// The GET that opened a stream whose first event is `endpoint`.
#[must_use]
pub fn legacy_sse_exchange<'v, 't>(view: &'v View<'t>) -> Option<&'v Exchange<'t>> {
    view.asked(&probe::GET).find(|exchange| {
        let answer = match exchange.reply {
            Reply::Other(entry) => vec![entry],
            _ => Vec::new(),
        };
        answer.iter().chain(&exchange.during).any(|entry| {
            matches!(
                view.entry(*entry).map(|entry| &entry.event),
                Some(crate::transcript::Event::Received { name: Some(name), .. }) if name == "endpoint"
            )
        })
    })
}

fn endpoint(view: &View<'_>) -> Truth {
    // A server may host the old transport beside the new one at the same URL.
    if let Some(answer) = base_answers(view).next() {
        return Truth::Holds(answer.exchange.proof());
    }
    if let Some(exchange) = legacy_sse_exchange(view) {
        let refusal = view
            .asked(&probe::DISCOVER)
            .next()
            .map_or_else(|| exchange.proof(), Exchange::proof);
        // The GET first: it is what shows the old transport again.
        return Truth::Broken(exchange.proof().and(&refusal));
    }
    let spoke = view
        .exchanges()
        .iter()
        .find(|exchange| exchange.is_answered());
    match spoke {
        Some(exchange) => Truth::Holds(exchange.proof()),
        None => Truth::Unknown(Gap::NoAnswer("no JSON-RPC answer came".into())),
    }
}

/// The first pair of which the request was refused, every time it was asked, and the control served.
/// One hiccup at the request proves nothing: it is asked once more after its control.
#[must_use]
pub fn refused_pair<'v, 't>(
    view: &'v View<'t>,
    pairs: &[Pair],
) -> Option<(&'v Exchange<'t>, &'v Exchange<'t>)> {
    let steady = |with: &'static Probe| !view.asked(with).any(|e| is_served(view, e));
    let mut pairs = pairs.iter().filter(|(with, _)| steady(with));
    pairs.find_map(|(with, without)| {
        view.asked(without).find_map(|control| {
            let refused = view
                .asked(with)
                .find(|exchange| was_refused(exchange) && exchange.key.item == control.key.item)?;
            is_served(view, control).then_some((refused, control))
        })
    })
}

/// Broken only if the same request, in the same state, passes without the thing in question and
/// fails with it: ten real servers refuse every early request, with or without.
fn accepted(view: &View<'_>, pairs: &[Pair]) -> Truth {
    if let Some((refused, control)) = refused_pair(view, pairs) {
        return Truth::Broken(refused.proof().and(&control.proof()));
    }
    let passed = pairs
        .iter()
        .flat_map(|(with, _)| view.asked(with))
        .chain(view.asked(&probe::TOOLS_LIST))
        .filter(|exchange| !crate::scenario::is_after_handshake(&exchange.key.scenario))
        .find(|exchange| is_modern_result(view, exchange));
    match passed {
        Some(exchange) => Truth::Holds(exchange.proof()),
        None => base_answers(view).next().map_or(
            Truth::Unknown(Gap::NoAnswer("no modern request was served".into())),
            |answer| Truth::Holds(Evidence::of(answer.entry)),
        ),
    }
}

fn was_refused(exchange: &Exchange<'_>) -> bool {
    matches!(exchange.reply, Reply::Error { .. } | Reply::Silence(_)) || exchange.is_turned_away()
}

fn is_modern_result(view: &View<'_>, exchange: &Exchange<'_>) -> bool {
    view.result(exchange).is_some_and(|result| {
        result.get("resultType").is_some_and(Value::is_string)
            || result.get("supportedVersions").is_some_and(Value::is_array)
    })
}

/// The control came through: a modern result, or, for a tool that does not exist, the refusal that
/// such a call deserves.
fn is_served(view: &View<'_>, control: &Exchange<'_>) -> bool {
    let called = control.probe().and_then(Probe::method) == Some(method::TOOLS_CALL);
    is_modern_result(view, control)
        || (called && view.error_code(control) == Some(crate::protocol::code::INVALID_PARAMS))
}
