//! Which generation of the protocol a server speaks. Decided here, for scenarios and report alike.

use serde_json::Value;

use super::answers::base_answers;
use super::discover::discover_result;
use super::envelope;
use crate::probe;
use crate::protocol::{TARGET_REVISION, code, is_modern_revision, method};
use crate::report::{Era, Revisions};
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, Exchange, Fact, Reply, Truth, View};

/// 2026-07-28 is served and offered.
pub static REVISION_SERVED: Fact = Fact {
    id: "revision-served",
    rule: "MCP050",
    http_only: false,
    must_be_proven: true,
    derive: revision_served,
};

/// Proven modern service: a discover result, or a result that carries `resultType`.
pub static MODERN_SERVICE: Fact = Fact {
    id: "modern-service",
    rule: "MCP050",
    http_only: false,
    must_be_proven: true,
    derive: modern_service,
};

/// The exchange that proves modern service in the target revision.
///
/// A discover result that offers legacy versions only is no such proof: the Go SDK's stateful mode
/// answers so and serves nothing modern.
#[must_use]
pub fn modern_proof(view: &View<'_>) -> Option<Evidence> {
    let served = base_answers(view).find(|answer| match answer.method {
        method::DISCOVER => offers_target(answer.result),
        _ => answer
            .result
            .get("resultType")
            .is_some_and(Value::is_string),
    });
    if let Some(answer) = served {
        return Some(answer.exchange.proof());
    }
    // Where `_meta` or the routing headers are refused, the control requests show the service.
    [&probe::DISCOVER_NO_META, &probe::DISCOVER_NO_ROUTING]
        .into_iter()
        .flat_map(|control| view.asked(control))
        .find(|exchange| view.result(exchange).is_some_and(offers_target))
        .map(Exchange::proof)
}

/// The versions name the target, or are so malformed that they name nothing.
fn offers_target(result: &Value) -> bool {
    match result.get("supportedVersions").and_then(Value::as_array) {
        Some(versions) if versions.iter().any(Value::is_string) => versions
            .iter()
            .any(|version| version.as_str() == Some(TARGET_REVISION)),
        Some(_) => true,
        None => result.get("resultType").is_some_and(Value::is_string),
    }
}

fn has_versions(result: &Value) -> bool {
    result.get("supportedVersions").is_some_and(Value::is_array)
}

/// A refusal of the target revision: `-32022` to an unmodified request.
#[must_use]
pub fn refused_version<'v, 't>(view: &'v View<'t>) -> Option<&'v Exchange<'t>> {
    view.exchanges().iter().find(|exchange| {
        exchange.key.attempt == 0
            && exchange.probe().is_some_and(probe::Probe::is_base)
            && view.error_code(exchange) == Some(code::UNSUPPORTED_VERSION)
    })
}

/// `data.supported` of a refusal.
#[must_use]
pub fn offered_versions<'v>(view: &'v View<'_>, exchange: &Exchange<'_>) -> Vec<&'v str> {
    view.error(exchange)
        .and_then(|error| error.data)
        .and_then(|data| data.get("supported"))
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

/// What `initialize` negotiated, and the exchange.
#[must_use]
pub fn legacy_negotiated<'v, 't>(view: &'v View<'t>) -> Option<(&'v str, &'v Exchange<'t>)> {
    view.asked(&probe::INITIALIZE).find_map(|exchange| {
        let version = view.result(exchange)?.get("protocolVersion")?.as_str()?;
        Some((version, exchange))
    })
}

fn revision_served(view: &View<'_>) -> Truth {
    if let Some(proof) = modern_proof(view) {
        let declared = discover_result(view).and_then(|found| {
            let versions = found.versions?;
            (!versions.contains(&TARGET_REVISION)).then_some(Evidence::of(found.entry))
        });
        return match (declared, refusal_of_all(view)) {
            (Some(evidence), _) => Truth::Broken(evidence),
            (None, Some(evidence)) => Truth::Broken(proof.and(&evidence)),
            (None, None) => Truth::Holds(proof),
        };
    }
    if let Some(found) = discover_result(view).filter(|found| found.versions.is_some()) {
        return Truth::Broken(Evidence::of(found.entry));
    }
    if let Some(refusal) = refused_version(view) {
        return Truth::Broken(refusal.proof());
    }
    // The last one: a process that ended at the first may have ended for want of a lock.
    let asked = view.asked(&probe::DISCOVER).last();
    if let Some((_, handshake)) = legacy_negotiated(view) {
        // A gateway that was overloaded for one question proves nothing about the server.
        let overloaded = |exchange: &&Exchange<'_>| {
            exchange
                .head
                .is_some_and(|head| matches!(head.status, 429 | 502..=504))
        };
        return match asked {
            Some(exchange) if overloaded(&exchange) => Truth::Unknown(Gap::NoAnswer(
                "the first modern request met an overloaded or missing backend".into(),
            )),
            Some(exchange) if matches!(exchange.reply, Reply::NotSent(_)) => {
                Truth::Unknown(Gap::Skipped("only legacy requests were sent".into()))
            }
            Some(exchange) => Truth::Broken(exchange.proof().and(&handshake.proof())),
            None => Truth::Unknown(Gap::Skipped("only legacy requests were sent".into())),
        };
    }
    Truth::Unknown(Gap::NoAnswer(
        "neither a modern request nor the legacy handshake was served".into(),
    ))
}

/// Offered, but refused with `-32022` by every method that was asked but discover.
#[must_use]
pub fn refusal_of_all(view: &View<'_>) -> Option<Evidence> {
    let mut served = base_answers(view).filter(|answer| answer.method != method::DISCOVER);
    let refusal = view.exchanges().iter().find(|exchange| {
        exchange
            .probe()
            .is_some_and(|probe| probe.is_base() && probe.method() != Some(method::DISCOVER))
            && view.error_code(exchange) == Some(code::UNSUPPORTED_VERSION)
    })?;
    served.next().is_none().then(|| refusal.proof())
}

fn modern_service(view: &View<'_>) -> Truth {
    match modern_proof(view) {
        Some(proof) => Truth::Holds(proof),
        None => match view.fact(&REVISION_SERVED) {
            // Unproven service with a revision that "holds" cannot be: the proof is the same.
            Truth::Holds(evidence) | Truth::Broken(evidence) => Truth::Broken(evidence),
            unknown @ Truth::Unknown(_) => unknown,
        },
    }
}

/// The era.
#[must_use]
pub fn era(view: &View<'_>) -> Era {
    let modern = modern_proof(view).is_some()
        || refused_version(view).is_some_and(|exchange| {
            let offered = offered_versions(view, exchange);
            offered.is_empty() || offered.iter().any(|version| is_modern_revision(version))
        });
    let legacy = legacy_negotiated(view).is_some() || envelope::legacy_sse_exchange(view).is_some();
    match (modern, legacy) {
        (true, true) => Era::Dual,
        (true, false) => Era::Modern,
        (false, true) => Era::Legacy,
        (false, false) if refused_version(view).is_some() => Era::Legacy,
        (false, false) => Era::Unknown,
    }
}

/// Which revisions were declared and seen.
#[must_use]
pub fn revisions(view: &View<'_>) -> Revisions {
    let declared: Vec<String> = discover_result(view)
        .and_then(|found| found.versions)
        .or_else(|| refused_version(view).map(|exchange| offered_versions(view, exchange)))
        .unwrap_or_default()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut modern_served = Vec::new();
    if modern_proof(view).is_some() {
        modern_served.push(TARGET_REVISION.to_owned());
    }
    for exchange in view.asked(&probe::DISCOVER) {
        let version = view
            .request(exchange)
            .and_then(|request| {
                request.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion")
            })
            .and_then(Value::as_str);
        if let (Some(version), Some(result)) = (version, view.result(exchange))
            && has_versions(result)
            && !modern_served.iter().any(|known| known == version)
        {
            modern_served.push(version.to_owned());
        }
    }
    Revisions {
        declared,
        modern_served,
        legacy_negotiated: legacy_negotiated(view).map(|(version, _)| version.to_owned()),
    }
}
