//! MCP018: results don't identify the server in `_meta`.

use serde_json::Value;

use super::{Peers, every_answer};
use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE};
use crate::probe;
use crate::protocol::meta;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Judgement, Rule};
use crate::transcript::view::View;

/// Results don't identify the server in `_meta`.
pub static RULE: Rule = Rule {
    id: "MCP018",
    name: "server-info-missing",
    defect: "results don't identify the server in `_meta`",
    claim: "Every result names the server and its version in `_meta`.",
    severity: Severity::Warning,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
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
            requirement: "base.meta.server-info-present",
            judge: present,
        },
        Check {
            requirement: "base.meta.server-info-shape",
            judge: shape,
        },
    ],
    docs: Docs {
        why: "Without a handshake, each result says who answered; logs and support need it.",
        legal: "Leaving it out where the server was configured so. Errors need none.",
        example: "```json\n<-- {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"complete\",\"tools\":[], ...}}\n```\nwithout `_meta[\"io.modelcontextprotocol/serverInfo\"]`.",
        fix: "Add `_meta[\"io.modelcontextprotocol/serverInfo\"] = { name, version }` to every result.",
        clients: "None fails; the server is shown without a name.",
    },
};

fn info(result: &Value) -> Option<&Value> {
    result.get("_meta")?.get(meta::SERVER_INFO)
}

fn present(view: &View<'_>) -> Judgement {
    every_answer(
        view,
        |_| true,
        |answer| {
            info(answer.result)
                .is_none()
                .then(|| "_meta has no io.modelcontextprotocol/serverInfo".to_owned())
        },
        "every result SHOULD carry io.modelcontextprotocol/serverInfo in its _meta",
        "add io.modelcontextprotocol/serverInfo to the _meta of every result",
        Peers::NotDiscover,
    )
}

fn shape(view: &View<'_>) -> Judgement {
    every_answer(
        view,
        |answer| info(answer.result).is_some(),
        |answer| {
            let info = info(answer.result)?;
            ["name", "version"]
                .into_iter()
                .find(|member| !info.get(*member).is_some_and(Value::is_string))
                .map(|member| format!("serverInfo has no string {member}"))
        },
        "serverInfo is an Implementation: name and version are strings",
        "give the server a name and a version",
        Peers::NotDiscover,
    )
}
