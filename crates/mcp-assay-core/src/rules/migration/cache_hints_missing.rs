//! MCP005: `ttlMs` or `cacheScope` absent or invalid.

use serde_json::Value;

use super::{Peers, every_answer};
use crate::facts::{Answer, HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, base_answers};
use crate::probe::{self, LISTS};
use crate::protocol::method;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::{Evidence, View};

const FIX: &str = "add ttlMs (an integer >= 0, in milliseconds) and cacheScope (\"public\" or \
    \"private\") to these results";

/// `ttlMs` or `cacheScope` absent or invalid.
pub static RULE: Rule = Rule {
    id: "MCP005",
    name: "cache-hints-missing",
    defect: "`ttlMs` or `cacheScope` absent or invalid",
    claim: "Cacheable results carry a valid `ttlMs` and `cacheScope`.",
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
    ],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[
        Check {
            requirement: "caching.ttl-present",
            judge: |view| present(view, "ttlMs"),
        },
        Check {
            requirement: "caching.scope-present",
            judge: |view| present(view, "cacheScope"),
        },
        Check {
            requirement: "caching.ttl-type",
            judge: ttl_type,
        },
        Check {
            requirement: "caching.ttl-nonnegative",
            judge: ttl_sign,
        },
        Check {
            requirement: "caching.scope-enum",
            judge: scope,
        },
        Check {
            requirement: "caching.scope-same-across-pages",
            judge: same_scope,
        },
    ],
    docs: Docs {
        why: "Without a session a client cannot be told that something changed unless it listens; \
              the hints tell it how long an answer may be kept, and for whom.",
        legal: "`ttlMs: 0`; `1000.0`; another `ttlMs` on each page. `input_required` results carry \
                no hints. Prompts, completions and tool results need none.",
        example: "```json\n<-- {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"complete\",\"tools\":[]}}\n```",
        fix: "Set both members on discover, the four lists and `resources/read`. `ttlMs: 0` and \
              `\"private\"` are always safe.",
        clients: "Strict clients, the TypeScript SDK and rmcp among them, reject such lists and \
                  reads; discover is treated more gently by some.",
    },
};

fn is_cacheable(answer: &Answer<'_, '_>) -> bool {
    matches!(
        answer.method,
        method::DISCOVER
            | method::TOOLS_LIST
            | method::PROMPTS_LIST
            | method::RESOURCES_LIST
            | method::TEMPLATES_LIST
            | method::RESOURCES_READ
    ) && answer.result.get("resultType").and_then(Value::as_str) != Some("input_required")
}

fn present(view: &View<'_>, member: &'static str) -> Judgement {
    every_answer(
        view,
        is_cacheable,
        |answer| {
            answer
                .result
                .get(member)
                .is_none()
                .then(|| format!("{member} is absent"))
        },
        "ttlMs and cacheScope are present on every cacheable result",
        FIX,
        Peers::All,
    )
}

fn ttl_type(view: &View<'_>) -> Judgement {
    every_answer(
        view,
        |answer| is_cacheable(answer) && answer.result.get("ttlMs").is_some(),
        |answer| {
            let ttl = answer.result.get("ttlMs")?;
            // 1000.0 is an integer; a fraction is not.
            let whole = ttl.as_f64().is_some_and(|number| number.fract() == 0.0);
            (!whole).then(|| format!("ttlMs is {}", short(ttl)))
        },
        "ttlMs is an integer number of milliseconds",
        "send ttlMs as a whole number",
        Peers::All,
    )
}

fn ttl_sign(view: &View<'_>) -> Judgement {
    every_answer(
        view,
        |answer| {
            is_cacheable(answer)
                && answer
                    .result
                    .get("ttlMs")
                    .and_then(Value::as_f64)
                    .is_some_and(|number| number.fract() == 0.0)
        },
        |answer| {
            let ttl = answer.result.get("ttlMs")?;
            ttl.as_f64()
                .is_some_and(|number| number < 0.0)
                .then(|| format!("ttlMs is {}", short(ttl)))
        },
        "ttlMs MUST be at least 0",
        "send 0 where the result must not be kept",
        Peers::All,
    )
}

fn scope(view: &View<'_>) -> Judgement {
    every_answer(
        view,
        |answer| is_cacheable(answer) && answer.result.get("cacheScope").is_some(),
        |answer| {
            let scope = answer.result.get("cacheScope")?;
            (!matches!(scope.as_str(), Some("public" | "private")))
                .then(|| format!("cacheScope is {}", short(scope)))
        },
        "cacheScope is \"public\" or \"private\"",
        "use \"private\" unless the result is the same for every user",
        Peers::All,
    )
}

fn same_scope(view: &View<'_>) -> Judgement {
    let mut paged: Vec<u32> = Vec::new();
    for list in LISTS {
        let pages: Vec<_> = base_answers(view)
            .filter(|answer| {
                answer.exchange.key.probe == list.id && answer.exchange.key.attempt == 0
            })
            .collect();
        let [first, rest @ ..] = pages.as_slice() else {
            continue;
        };
        let scope = |answer: &Answer<'_, '_>| answer.result.get("cacheScope").cloned();
        if let Some(other) = rest.iter().find(|page| scope(page) != scope(first)) {
            let evidence = Evidence::of(first.entry).and(&Evidence::of(other.entry));
            return Finding::new(
                evidence,
                format!(
                    "{}: page 1 has {}, page {} has {}",
                    first.method,
                    short(&scope(first).unwrap_or_default()),
                    other.exchange.key.page + 1,
                    short(&scope(other).unwrap_or_default()),
                ),
                "all pages of one list MUST have the same cacheScope",
                "decide the scope once per list",
            )
            .severity(Severity::Warning)
            .fail();
        }
        if !rest.is_empty() {
            paged.extend(pages.iter().map(|page| page.entry));
        }
    }
    Evidence::collect(paged).map_or_else(
        || Judgement::NotApplicable("no list has more than one page".to_owned()),
        Judgement::Pass,
    )
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}
