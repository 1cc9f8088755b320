//! MCP001: `server/discover` is missing, or its result is unusable.

use serde_json::Value;

use crate::facts::{
    DISCOVER_USABLE, ENDPOINT, HEADERS_ACCEPTED, META_ACCEPTED, describe, discover_result,
    refused_version,
};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::Gap;
use crate::transcript::view::{Reply, Truth, View};

/// `server/discover` is missing, or its result is unusable.
pub static RULE: Rule = Rule {
    id: "MCP001",
    name: "discover-missing",
    defect: "`server/discover` is missing, or its result is unusable",
    claim: "`server/discover` is implemented and its result names versions and capabilities.",
    severity: Severity::Error,
    owner: Owner::Sdk,
    http_only: false,
    gates: true,
    security: false,
    probes: &[&probe::DISCOVER],
    presupposes: &[&ENDPOINT, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: Some("MCP050"),
    checks: &[
        Check {
            requirement: "version.discover-implemented",
            judge: implemented,
        },
        Check {
            requirement: "discover.supported-versions",
            judge: versions,
        },
        Check {
            requirement: "discover.capabilities",
            judge: capabilities,
        },
    ],
    docs: Docs {
        why: "`server/discover` replaced what the handshake told: versions, capabilities, identity. \
              Clients that speak several revisions send it first and decide by the answer.",
        legal: "A `DiscoverResult`, or `-32022` if the version asked for is not supported. The \
                identity belongs in `_meta`; a copy at the top level is permitted.",
        example: "```json\n<-- {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"capabilities\":{\"tools\":{}}}}\n```\nhas no `supportedVersions`: no client can choose a version.",
        fix: "Implement `server/discover`, or upgrade to an SDK that does. `supportedVersions` is a \
              non-empty array of strings, `capabilities` an object.",
        clients: "Dual-era clients take a refusal or an unreadable result for a legacy server and \
                  fall back to `initialize`.",
    },
};

const FIX: &str =
    "implement server/discover and answer it on every connection, as the first request too";

fn implemented(view: &View<'_>) -> Judgement {
    let truth = view.fact(&DISCOVER_USABLE);
    if let Some(exchange) = view
        .asked(&probe::DISCOVER)
        .find(|exchange| matches!(exchange.reply, Reply::Result(_)))
    {
        return Judgement::Pass(exchange.proof());
    }
    match truth {
        Truth::Holds(proof) => Judgement::Pass(proof),
        Truth::Unknown(gap) => match refused_version(view) {
            Some(refusal) => Judgement::Pass(refusal.proof()),
            None => Judgement::NotMeasured(gap),
        },
        Truth::Broken(evidence) => {
            let seen = view
                .asked(&probe::DISCOVER)
                .last()
                .map(|exchange| describe(view, exchange))
                .unwrap_or_default();
            Finding::new(
                evidence,
                seen,
                "servers MUST implement server/discover",
                FIX,
            )
            .fail()
        }
    }
}

fn versions(view: &View<'_>) -> Judgement {
    let Some(found) = discover_result(view) else {
        return Judgement::NotMeasured(Gap::NoAnswer("no discover result was delivered".into()));
    };
    let evidence = crate::transcript::view::Evidence::of(found.entry);
    if found.versions.is_some() {
        return Judgement::Pass(evidence);
    }
    Finding::new(
        evidence,
        format!(
            "supportedVersions is {}",
            shown(found.result.get("supportedVersions"))
        ),
        "supportedVersions is a non-empty array of strings",
        "list every protocol version the server serves in supportedVersions",
    )
    .at("/result/supportedVersions")
    .fail()
}

fn capabilities(view: &View<'_>) -> Judgement {
    let Some(found) = discover_result(view) else {
        return Judgement::NotMeasured(Gap::NoAnswer("no discover result was delivered".into()));
    };
    let evidence = crate::transcript::view::Evidence::of(found.entry);
    if found.capabilities.is_some() {
        return Judgement::Pass(evidence);
    }
    Finding::new(
        evidence,
        format!(
            "capabilities is {}",
            shown(found.result.get("capabilities"))
        ),
        "capabilities is an object",
        "state the server's capabilities as an object, {} if it has none",
    )
    .at("/result/capabilities")
    .fail()
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(
        || "absent".to_owned(),
        |value| {
            let text = value.to_string();
            if text.chars().count() > 80 {
                format!("{}\u{2026}", text.chars().take(80).collect::<String>())
            } else {
                text
            }
        },
    )
}
