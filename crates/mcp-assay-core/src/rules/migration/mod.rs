//! What 2026-07-28 removed, renamed or made mandatory.

pub mod cache_hints_missing;
pub mod core_tasks;
pub mod dcr_only;
pub mod deprecated_features;
pub mod discover_missing;
pub mod error_codes_not_renumbered;
pub mod get_stream_served;
pub mod handshake_required;
pub mod http_sse_transport;
pub mod iss_not_supported;
pub mod listen_missing;
pub mod meta_rejected;
pub mod ping_served;
pub mod resource_not_found_code;
pub mod result_type_missing;
pub mod revision_not_served;
pub mod routing_headers_rejected;
pub mod server_info_missing;
pub mod session_id_issued;
pub mod set_level_served;
pub mod subscribe_served;
pub mod tool_order_unstable;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Finding, Judgement};
use crate::facts::{Answer, base_answers, describe};
use crate::probe::{self, Probe};
use crate::protocol::{code, method};
use crate::report::Owner;
use crate::transcript::view::{Evidence, Exchange, Reply, View};
use crate::transcript::{Event, Gap};

/// Why an exchange gave no usable answer.
pub(super) fn gap(view: &View<'_>, exchange: &Exchange<'_>) -> Gap {
    match &exchange.reply {
        Reply::NotSent(gap) => gap.clone(),
        Reply::Open => Gap::NotAsked,
        _ => Gap::NoAnswer(describe(view, exchange).into()),
    }
}

/// The judgement for a feature that was not declared, or for a question that was left out.
pub(super) fn unanswered(view: &View<'_>, exchange: Option<&Exchange<'_>>) -> Judgement {
    match exchange.map_or(Gap::NotAsked, |exchange| gap(view, exchange)) {
        Gap::NotOffered(why) => Judgement::NotApplicable(why.into_owned()),
        gap => Judgement::NotMeasured(gap),
    }
}

/// Whose sound answers show that the SDK can do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peers {
    /// All methods.
    All,
    /// All but `server/discover`, which no handler of the server builds: rmcp identifies the server
    /// there and nowhere else.
    NotDiscover,
}

/// Judges every answer to unmodified modern requests by one property. All that lack it are one
/// finding, which names the methods; if answers of other methods in `peers` have it, the SDK can do it
/// and the server's own code is at fault.
pub(super) fn every_answer(
    view: &View<'_>,
    concerns: impl Fn(&Answer<'_, '_>) -> bool,
    flaw: impl Fn(&Answer<'_, '_>) -> Option<String>,
    expected: &'static str,
    fix: &'static str,
    peers: Peers,
) -> Judgement {
    let answers: Vec<Answer<'_, '_>> = base_answers(view).filter(|a| concerns(a)).collect();
    let mut seen: Vec<(&str, String)> = Vec::new();
    let mut sound: BTreeSet<&str> = BTreeSet::new();
    let mut evidence: Vec<u32> = Vec::new();
    for answer in &answers {
        match flaw(answer) {
            Some(flaw) => {
                if !seen
                    .iter()
                    .any(|(method, known)| *method == answer.method && *known == flaw)
                {
                    seen.push((answer.method, flaw));
                    evidence.extend(answer.exchange.proof().entries());
                }
            }
            None => {
                sound.insert(answer.method);
            }
        }
    }
    let Some(evidence) = Evidence::collect(evidence) else {
        let proof = Evidence::collect(answers.iter().map(|answer| answer.entry));
        return proof.map_or(
            Judgement::NotMeasured(Gap::NoAnswer("no result of that kind was delivered".into())),
            Judgement::Pass,
        );
    };
    let finding = Finding::new(evidence, grouped(&seen), expected, fix).at("/result");
    let well: Vec<&str> = sound
        .into_iter()
        .filter(|method| peers == Peers::All || *method != method::DISCOVER)
        .filter(|method| !seen.iter().any(|(known, _)| known == method))
        .collect();
    if !well.is_empty() {
        finding.owned_by(
            Owner::Application,
            format!(
                "{} from the same server has it, so the SDK can do it and a handler of the server's own builds these results",
                well.join(", ")
            ),
        )
    } else {
        finding
    }
    .fail()
}

/// `a, b: flaw; c: other flaw`.
fn grouped(seen: &[(&str, String)]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (method, flaw) in seen {
        match groups.iter_mut().find(|(known, _)| known == flaw) {
            Some((_, methods)) => methods.push(method),
            None => groups.push((flaw, vec![method])),
        }
    }
    let parts: Vec<String> = groups
        .iter()
        .map(|(flaw, methods)| format!("{}: {flaw}", methods.join(", ")))
        .collect();
    parts.join("; ")
}

/// Judges a method that the revision removed: still answering it is worth a note, nothing more.
pub(super) fn removed(
    view: &View<'_>,
    probes: &[&'static Probe],
    expected: &'static str,
    fix: &'static str,
) -> Judgement {
    let asked: Vec<&Exchange<'_>> = probes.iter().flat_map(|probe| view.asked(probe)).collect();
    let served: Vec<&&Exchange<'_>> = asked
        .iter()
        .filter(|exchange| matches!(exchange.reply, Reply::Result(_)))
        .collect();
    if let Some(evidence) = Evidence::collect(
        served
            .iter()
            .flat_map(|e| e.proof().entries().collect::<Vec<_>>()),
    ) {
        let lines: Vec<String> = served.iter().map(|e| describe(view, e)).collect();
        return Finding::new(evidence, lines.join("; "), expected, fix).fail();
    }
    // An unknown method is HTTP 404; one without a body is refused all the same.
    let refused = |exchange: &&&Exchange<'_>| match exchange.reply {
        Reply::Other(_) => exchange.head.is_some_and(|head| head.status == 404),
        _ => view.error_code(exchange) == Some(code::METHOD_NOT_FOUND),
    };
    match asked.iter().find(|exchange| !refused(exchange)) {
        None => Evidence::collect(
            asked
                .iter()
                .flat_map(|e| e.proof().entries().collect::<Vec<_>>()),
        )
        .map_or(Judgement::NotMeasured(Gap::NotAsked), Judgement::Pass),
        Some(other) => unanswered(view, Some(other)),
    }
}

/// The metadata document that answered a probe, with its exchange.
pub(super) fn metadata<'v, 't>(
    view: &'v View<'t>,
    probe: &'static Probe,
) -> Option<(&'v Value, &'v Exchange<'t>)> {
    view.asked(probe).find_map(|exchange| {
        exchange.head.filter(|head| head.status == 200)?;
        let Reply::Other(entry) = exchange.reply else {
            return None;
        };
        Some((
            view.value(entry).filter(|value| value.is_object())?,
            exchange,
        ))
    })
}

/// The authorization server's metadata, or why there is none to judge. Metadata that speaks for another
/// resource or another issuer is not this server's (RFC 9728 section 3.3, RFC 8414 section 3.3).
pub(super) fn authorization_server<'v, 't>(
    view: &'v View<'t>,
) -> Result<(&'v Value, &'v Exchange<'t>), Judgement> {
    let walled = view
        .exchanges()
        .iter()
        .filter_map(|exchange| exchange.head)
        .any(|head| head.status == 401 || head.header("www-authenticate").is_some());
    if !walled {
        return Err(Judgement::NotApplicable(
            "the server asks for no credentials".to_owned(),
        ));
    }
    // Keys and custom schemes are permitted; then there is no metadata and nothing to say.
    let unknown = |why: &'static str| Judgement::NotMeasured(Gap::NoAnswer(why.into()));
    let (resource, _) = metadata(view, &probe::RESOURCE_METADATA)
        .ok_or_else(|| unknown("no protected-resource metadata was found"))?;
    if !is_for_endpoint(view, resource) {
        return Err(unknown(
            "the protected-resource metadata names another resource",
        ));
    }
    let found = metadata(view, &probe::SERVER_METADATA)
        .ok_or_else(|| unknown("no metadata of the authorization server was found"))?;
    let named = resource
        .get("authorization_servers")
        .and_then(|list| list.get(0))
        .and_then(Value::as_str);
    if found.0.get("issuer").and_then(Value::as_str) != named {
        return Err(unknown(
            "the metadata of the authorization server names another issuer",
        ));
    }
    Ok(found)
}

/// The metadata's `resource` is the endpoint, or lies above it at the same origin.
fn is_for_endpoint(view: &View<'_>, metadata: &Value) -> bool {
    let endpoint =
        view.asked(&probe::DISCOVER)
            .find_map(|exchange| match &view.entry(exchange.sent)?.event {
                Event::Sent {
                    head: Some(head), ..
                } => url::Url::parse(&head.url).ok(),
                _ => None,
            });
    let resource = metadata
        .get("resource")
        .and_then(Value::as_str)
        .and_then(|text| url::Url::parse(text).ok());
    match (endpoint, resource) {
        (Some(endpoint), Some(resource)) => {
            endpoint.origin() == resource.origin()
                && endpoint
                    .path()
                    .starts_with(resource.path().trim_end_matches('/'))
        }
        _ => false,
    }
}
