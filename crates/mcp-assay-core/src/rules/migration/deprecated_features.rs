//! MCP015: logging declared; sampling, roots or `includeContext` used.

use serde_json::Value;

use crate::facts::{
    DISCOVER_USABLE, HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, base_answers, capability,
    discover_result,
};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, View};

/// Logging declared; sampling, roots or `includeContext` used.
pub static RULE: Rule = Rule {
    id: "MCP015",
    name: "deprecated-features",
    defect: "logging declared; sampling, roots or `includeContext` used",
    claim: "No deprecated feature is declared or used.",
    severity: Severity::Warning,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
    security: false,
    probes: &[&probe::DISCOVER, &probe::READ, &probe::PROMPT_GET],
    presupposes: &[
        &MODERN_SERVICE,
        &META_ACCEPTED,
        &HEADERS_ACCEPTED,
        &DISCOVER_USABLE,
    ],
    symptom_of: None,
    checks: &[
        Check {
            requirement: "logging.deprecated",
            judge: logging,
        },
        Check {
            requirement: "sampling.deprecated",
            judge: |view| asked_for(view, "sampling/createMessage"),
        },
        Check {
            requirement: "roots.deprecated",
            judge: |view| asked_for(view, "roots/list"),
        },
        Check {
            requirement: "deprecated.features",
            judge: include_context,
        },
    ],
    docs: Docs {
        why: "Logging, sampling, roots and `includeContext` are deprecated since this revision and \
              may be removed from July 2027 on.",
        legal: "Using them is permitted while they are deprecated, so this never blocks. `sampling` \
                and `roots` are capabilities of clients; only a request for them counts.",
        example: "```json\n<-- capabilities: {\"logging\":{},\"tools\":{}}\n```",
        fix: "Log to stderr or by OpenTelemetry and stop declaring `logging`. Ask the user by \
              elicitation, or take what is needed as a tool argument.",
        clients: "Clients that drop the deprecated parts will ignore the declaration and refuse the \
                  requests.",
    },
};

fn logging(view: &View<'_>) -> Judgement {
    let Some(found) = discover_result(view) else {
        return Judgement::NotMeasured(Gap::NoAnswer("no discover result was delivered".into()));
    };
    let evidence = Evidence::of(found.entry);
    if capability(&found, &["logging"]).is_none() {
        return Judgement::Pass(evidence);
    }
    Finding::new(
        evidence,
        "capabilities.logging is declared",
        "new implementations SHOULD NOT adopt logging, which is deprecated",
        "stop declaring logging; write logs to stderr or send them by OpenTelemetry",
    )
    .at("/result/capabilities/logging")
    .owned_by(
        Owner::Sdk,
        "several SDKs declare it by themselves (FastMCP 4, Go); with others the author turned it on",
    )
    .fail()
}

/// The input requests of all `input_required` results.
fn input_requests<'v>(view: &'v View<'_>) -> Vec<(&'v Value, u32)> {
    base_answers(view)
        .filter(|answer| {
            answer.result.get("resultType").and_then(Value::as_str) == Some("input_required")
        })
        .filter_map(|answer| {
            let requests = answer.result.get("inputRequests")?.as_object()?;
            Some(
                requests
                    .values()
                    .map(move |request| (request, answer.entry)),
            )
        })
        .flatten()
        .collect()
}

const NONE_ASKED: &str = "the server asked for no input";

fn asked_for(view: &View<'_>, method: &'static str) -> Judgement {
    let requests = input_requests(view);
    let used = requests
        .iter()
        .find(|(request, _)| request.get("method").and_then(Value::as_str) == Some(method));
    if let Some((_, entry)) = used {
        return Finding::new(
            Evidence::of(*entry),
            format!("an input_required result asks for {method}"),
            "new implementations SHOULD NOT use this deprecated feature",
            "ask by elicitation, or take what is needed as an argument",
        )
        .at("/result/inputRequests")
        .owned_by(Owner::Application, "a handler of the server asks for it")
        .fail();
    }
    Evidence::collect(requests.iter().map(|(_, entry)| *entry)).map_or_else(
        || Judgement::NotApplicable(NONE_ASKED.to_owned()),
        Judgement::Pass,
    )
}

fn include_context(view: &View<'_>) -> Judgement {
    let requests = input_requests(view);
    let used = requests.iter().find(|(request, _)| {
        request
            .pointer("/params/includeContext")
            .and_then(Value::as_str)
            .is_some_and(|value| value != "none")
    });
    if let Some((_, entry)) = used {
        return Finding::new(
            Evidence::of(*entry),
            "a sampling request sets includeContext",
            "includeContext is deprecated",
            "leave includeContext out",
        )
        .at("/result/inputRequests")
        .owned_by(Owner::Application, "a handler of the server sets it")
        .fail();
    }
    Evidence::collect(requests.iter().map(|(_, entry)| *entry)).map_or_else(
        || Judgement::NotApplicable(NONE_ASKED.to_owned()),
        Judgement::Pass,
    )
}
