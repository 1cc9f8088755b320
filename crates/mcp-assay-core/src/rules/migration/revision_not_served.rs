//! MCP050: another revision is served, 2026-07-28 is not.

use crate::facts::{
    self, ENDPOINT, REVISION_SERVED, describe, discover_result, legacy_negotiated,
    offered_versions, refused_version,
};
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::{Truth, View};

const EXPECTED: &str = "a request that names 2026-07-28 is served under that revision, and \
    server/discover offers it";

/// The root cause of every legacy server, and of a modern one that speaks another version only.
pub static RULE: Rule = Rule {
    id: "MCP050",
    name: "revision-not-served",
    defect: "another revision is served, 2026-07-28 is not",
    claim: "The server serves revision 2026-07-28 and offers it.",
    severity: Severity::Error,
    owner: Owner::Sdk,
    http_only: false,
    gates: true,
    security: false,
    probes: &[&probe::DISCOVER, &probe::TOOLS_LIST, &probe::INITIALIZE],
    presupposes: &[&ENDPOINT],
    symptom_of: None,
    checks: &[Check {
        requirement: "assay.revision-served",
        judge,
    }],
    docs: Docs {
        why: "A client of 2026-07-28 opens no session and sends no `initialize`: its first request \
              already names the version. A server of an earlier revision cannot serve it, however \
              well it does its own work. This is one cause, whatever else looks broken on the way.",
        legal: "Serving earlier revisions beside 2026-07-28 (dual era), and listing them in \
                `supportedVersions`.",
        example: "```json\n--> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\", ...}}}\n<-- {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}\n```\nwhile `initialize` negotiates `2025-11-25`.",
        fix: "Upgrade the SDK to a release that serves 2026-07-28: `@modelcontextprotocol/server` 2.x \
              (instead of `@modelcontextprotocol/sdk` 1.x), Python `mcp` 2.x, FastMCP 4, `rmcp` 3.x, \
              the Go SDK from v1.8 on. If the server names the version but refuses it, look for an \
              option that limits the served versions.",
        clients: "Every client of 2026-07-28 without a legacy side fails at its first request. \
                  Dual-era clients fall back to the handshake.",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    let evidence = match view.fact(&REVISION_SERVED) {
        Truth::Holds(proof) => return Judgement::Pass(proof),
        Truth::Unknown(gap) => return Judgement::NotMeasured(gap),
        Truth::Broken(evidence) => evidence,
    };
    let modern = facts::modern_proof(view).is_some();
    if modern && facts::refusal_of_all(view).is_some() {
        return Finding::new(
            evidence,
            "server/discover offers 2026-07-28, every other method refuses it with -32022",
            "each version in supportedVersions is really served",
            "serve 2026-07-28 in every method, or stop offering it",
        )
        .fail();
    }
    if modern {
        let declared = facts::revisions(view).declared.join(", ");
        return Finding::new(
            evidence,
            format!("server/discover offers {declared}, not 2026-07-28"),
            EXPECTED,
            "add 2026-07-28 to supportedVersions, and serve it",
        )
        .at("/result/supportedVersions")
        .fail();
    }
    let mut seen: Vec<String> = Vec::new();
    if let Some(first) = view.asked(&probe::DISCOVER).last() {
        seen.push(describe(view, first));
    }
    let legacy = legacy_negotiated(view).map(|(version, exchange)| {
        seen.push(format!("initialize negotiated {version}"));
        exchange.proof()
    });
    if let Some(refusal) = refused_version(view) {
        let offered = offered_versions(view, refusal);
        if !offered.is_empty() {
            seen.push(format!("it offers {}", offered.join(", ")));
        }
    }
    let evidence = legacy.iter().fold(evidence, |all, more| all.and(more));
    let offered = discover_result(view)
        .filter(|_| {
            refused_version(view)
                .is_none_or(|e| e.probe().is_some_and(|p| p.id != probe::DISCOVER.id))
        })
        .and_then(|found| found.versions);
    if let Some(versions) = offered {
        // Only SDKs that know 2026-07-28 know server/discover.
        return Finding::new(
            evidence,
            format!("server/discover offers {}, not 2026-07-28", versions.join(", ")),
            EXPECTED,
            "look for the option that limits the served versions; with the Go SDK, serve statelessly",
        )
        .at("/result/supportedVersions")
        .owned_by(
            Owner::Application,
            "the server answers server/discover, which came with 2026-07-28, so its SDK knows the revision and an option of the server leaves it out",
        )
        .fail();
    }
    Finding::new(
        evidence,
        seen.join("; "),
        EXPECTED,
        "upgrade the SDK to a release that serves 2026-07-28 and use its entry point for it (`mcp-assay explain MCP050` names them)",
    )
    .owned_by(Owner::Sdk, "the SDK decides which revisions a server speaks")
    .fail()
}
