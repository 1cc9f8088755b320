//! MCP004: `resultType` is absent, or not legal for that method.

use serde_json::Value;

use super::{Peers, every_answer};
use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, discover_result};
use crate::probe;
use crate::protocol::method;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Judgement, Rule};
use crate::transcript::view::View;

const FIX: &str = "add \"resultType\": \"complete\" to every result that completes its request";

/// `resultType` is absent, or not legal for that method.
pub static RULE: Rule = Rule {
    id: "MCP004",
    name: "result-type-missing",
    defect: "`resultType` is absent, or not legal for that method",
    claim: "Every result carries a `resultType` that is legal for its method.",
    severity: Severity::Error,
    owner: Owner::Sdk,
    http_only: false,
    gates: true,
    security: false,
    probes: &[
        &probe::DISCOVER,
        &probe::TOOLS_LIST,
        &probe::PROMPTS_LIST,
        &probe::RESOURCES_LIST,
        &probe::TEMPLATES_LIST,
        &probe::READ,
        &probe::PROMPT_GET,
    ],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[
        Check {
            requirement: "base.result.result-type-present",
            judge: present,
        },
        Check {
            requirement: "base.result.result-type-known",
            judge: known,
        },
        Check {
            requirement: "mrtr.only-supported-methods",
            judge: input_required,
        },
    ],
    docs: Docs {
        why: "Results are polymorphic now: a client reads `resultType` before it reads the rest.",
        legal: "`complete` everywhere; `input_required` from `tools/call`, `resources/read` and \
                `prompts/get`; a value of an extension that the server advertises.",
        example: "```json\n<-- {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[],\"ttlMs\":0,\"cacheScope\":\"public\"}}\n```",
        fix: "Let the SDK build results, or add `\"resultType\": \"complete\"` in handlers that build \
              their own.",
        clients: "The TypeScript SDK refuses such a result; hosts built on it show a connected server \
                  with no tools and no error. Clients on rmcp accept it except from discover.",
    },
};

fn present(view: &View<'_>) -> Judgement {
    every_answer(
        view,
        |_| true,
        |answer| match answer.result.get("resultType") {
            None => Some("resultType is absent".to_owned()),
            Some(Value::String(_)) => None,
            Some(other) => Some(format!("resultType is {other}, not a string")),
        },
        "the result MUST include a resultType field, a string",
        FIX,
        Peers::All,
    )
}

fn known(view: &View<'_>) -> Judgement {
    let extended = discover_result(view)
        .and_then(|found| found.capabilities)
        .and_then(|declared| declared.get("extensions"))
        .and_then(Value::as_object)
        .is_some_and(|extensions| !extensions.is_empty());
    every_answer(
        view,
        |answer| {
            answer
                .result
                .get("resultType")
                .is_some_and(Value::is_string)
        },
        |answer| {
            let kind = answer.result.get("resultType").and_then(Value::as_str)?;
            // An extension may define further values; which ones, only its own text knows.
            let legal = matches!(kind, "complete" | "input_required") || extended;
            (!legal).then(|| {
                format!(
                    "resultType is \"{}\"",
                    kind.chars().take(40).collect::<String>()
                )
            })
        },
        "resultType is \"complete\", \"input_required\", or a value of an extension that the server advertises",
        "use \"complete\" for a result that completes its request",
        Peers::All,
    )
}

fn input_required(view: &View<'_>) -> Judgement {
    every_answer(
        view,
        |answer| {
            !matches!(
                answer.method,
                method::TOOLS_CALL | method::RESOURCES_READ | method::PROMPTS_GET
            )
        },
        |answer| {
            (answer.result.get("resultType").and_then(Value::as_str) == Some("input_required"))
                .then(|| "resultType is \"input_required\"".to_owned())
        },
        "input_required results occur only on prompts/get, resources/read and tools/call",
        "complete this method without asking the client for input",
        Peers::All,
    )
}
