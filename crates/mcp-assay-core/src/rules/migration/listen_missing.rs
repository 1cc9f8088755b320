//! MCP009: change notifications are advertised, `subscriptions/listen` is absent.

use crate::facts::{
    DISCOVER_USABLE, HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, base_answers, describe,
};
use crate::probe;
use crate::protocol::{code, meta, method};
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::{Exchange, Reply, View};

/// Change notifications are advertised, `subscriptions/listen` is absent.
pub static RULE: Rule = Rule {
    id: "MCP009",
    name: "listen-missing",
    defect: "change notifications are advertised, `subscriptions/listen` is absent",
    claim: "A server that advertises change notifications serves `subscriptions/listen`.",
    severity: Severity::Warning,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
    security: false,
    probes: &[&probe::LISTEN],
    presupposes: &[
        &MODERN_SERVICE,
        &META_ACCEPTED,
        &HEADERS_ACCEPTED,
        &DISCOVER_USABLE,
    ],
    symptom_of: None,
    checks: &[Check {
        requirement: "subs.supported",
        judge,
    }],
    docs: Docs {
        why: "Notifications travel on the stream of a `subscriptions/listen` request; the GET stream \
              and `resources/subscribe` are gone.",
        legal: "Refusing it where no `listChanged` and no `subscribe` is `true`. Refusing it for a \
                limit. Agreeing to fewer types than were asked for.",
        example: "```json\n<-- capabilities: {\"tools\":{\"listChanged\":true}}\n--> subscriptions/listen {\"notifications\":{\"toolsListChanged\":true}}\n<-- {\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}\n```",
        fix: "Serve `subscriptions/listen`, or stop advertising `listChanged` and `subscribe`.",
        clients: "A client never hears of changes and shows stale lists until they expire.",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    let mut asked = view.asked(&probe::LISTEN);
    let Some(exchange) = asked.next() else {
        return super::unanswered(view, None);
    };
    match (&exchange.reply, view.error_code(exchange)) {
        (Reply::Acknowledged(_), _) => Judgement::Pass(exchange.proof()),
        // A closing result names its subscription. Any other result without an acknowledgement may
        // come from a handler that answers everything.
        (Reply::Result(_), _) if names_subscription(view, exchange) => {
            Judgement::Pass(exchange.proof())
        }
        (Reply::Error { .. }, Some(number))
            if number == code::METHOD_NOT_FOUND
                || (number == code::INVALID_PARAMS && serves_others(view)) =>
        {
            Finding::new(
                exchange.proof(),
                describe(view, exchange),
                "a server that advertises change notifications supports subscriptions/listen for them",
                "serve subscriptions/listen, or declare listChanged and subscribe as false",
            )
            .fail()
        }
        _ => super::unanswered(view, Some(exchange)),
    }
}

fn names_subscription(view: &View<'_>, exchange: &Exchange<'_>) -> bool {
    view.result(exchange)
        .and_then(|result| result.get("_meta"))
        .is_some_and(|known| known.get(meta::SUBSCRIPTION_ID).is_some())
}

/// Where every request is refused as invalid, this one is no different.
fn serves_others(view: &View<'_>) -> bool {
    base_answers(view).any(|answer| answer.method != method::DISCOVER)
}
