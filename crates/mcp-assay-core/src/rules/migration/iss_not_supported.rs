//! MCP019: the authorization server does not announce RFC 9207 `iss`.

use serde_json::Value;

use super::authorization_server;
use crate::probe;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::view::View;

const FLAG: &str = "authorization_response_iss_parameter_supported";

/// The authorization server does not announce RFC 9207 `iss`.
pub static RULE: Rule = Rule {
    id: "MCP019",
    name: "iss-not-supported",
    defect: "the authorization server does not announce RFC 9207 `iss`",
    claim: "The authorization server announces the `iss` parameter of RFC 9207.",
    severity: Severity::Warning,
    owner: Owner::Infrastructure,
    http_only: true,
    gates: false,
    security: true,
    probes: &[&probe::RESOURCE_METADATA, &probe::SERVER_METADATA],
    presupposes: &[],
    symptom_of: None,
    checks: &[Check {
        requirement: "auth.as.iss-param",
        judge,
    }],
    docs: Docs {
        why: "A client that talks to several authorization servers can be tricked into sending one's \
              code to another (mix-up). `iss` in the response lets it notice.",
        legal: "No OAuth at all: keys and custom schemes are permitted, and nothing is said then.",
        example: "```json\n{\"issuer\":\"https://auth.example.com\",\"authorization_endpoint\":\"...\",\"token_endpoint\":\"...\"}\n```",
        fix: "Turn RFC 9207 on in the authorization server and publish \
              `authorization_response_iss_parameter_supported: true`.",
        clients: "Clients cannot check who answered; a later revision may make them refuse.",
    },
};

fn judge(view: &View<'_>) -> Judgement {
    let (document, exchange) = match authorization_server(view) {
        Ok(found) => found,
        Err(judgement) => return judgement,
    };
    match document.get(FLAG) {
        Some(Value::Bool(true)) => Judgement::Pass(exchange.proof()),
        other => Finding::new(
            exchange.proof(),
            format!(
                "{FLAG} is {}",
                other.map_or_else(|| "absent".to_owned(), Value::to_string)
            ),
            "authorization servers SHOULD send iss and announce it in their metadata",
            "enable RFC 9207 in the authorization server",
        )
        .at(format!("/{FLAG}"))
        .fail(),
    }
}
