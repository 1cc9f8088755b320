//! MCP020: only Dynamic Client Registration, no Client ID Metadata Documents.

use serde_json::Value;

use super::authorization_server;
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::View;

const CIMD: &str = "client_id_metadata_document_supported";

/// Only Dynamic Client Registration, no Client ID Metadata Documents.
pub static RULE: Rule = Rule {
    id: "MCP020",
    name: "dcr-only",
    defect: "only Dynamic Client Registration, no Client ID Metadata Documents",
    claim: "The authorization server supports Client ID Metadata Documents.",
    severity: Severity::Warning,
    owner: Owner::Infrastructure,
    http_only: true,
    gates: false,
    security: false,
    probes: &[&probe::RESOURCE_METADATA, &probe::SERVER_METADATA],
    presupposes: &[],
    symptom_of: None,
    checks: &[Check {
        requirement: "auth.as.cimd",
        judge,
    }],
    docs: Docs {
        why: "Dynamic Client Registration is deprecated: it fills authorization servers with clients \
              nobody can tell apart. A Client ID Metadata Document is an address that a client owns.",
        legal: "Offering both. Pre-registered clients only: then `registration_endpoint` is absent \
                too and this rule is silent.",
        example: "```json\n{\"issuer\":\"https://auth.example.com\",\"registration_endpoint\":\"https://auth.example.com/register\"}\n```",
        fix: "Support Client ID Metadata Documents and publish \
              `client_id_metadata_document_supported: true`.",
        clients: "Clients that dropped registration need one registered by hand.",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    let (document, exchange) = match authorization_server(view) {
        Ok(found) => found,
        Err(judgement) => return judgement,
    };
    if document.get(CIMD) == Some(&Value::Bool(true)) {
        return Judgement::Pass(exchange.proof());
    }
    if document.get("registration_endpoint").is_none() {
        return Judgement::NotApplicable(
            "the authorization server offers no registration; clients are registered beforehand"
                .to_owned(),
        );
    }
    Finding::new(
        exchange.proof(),
        format!("registration_endpoint is offered, {CIMD} is not true"),
        "authorization servers SHOULD support Client ID Metadata Documents; Dynamic Client Registration is deprecated",
        "support Client ID Metadata Documents in the authorization server",
    )
    .at(format!("/{CIMD}"))
    .fail()
}
