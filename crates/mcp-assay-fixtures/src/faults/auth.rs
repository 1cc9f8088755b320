//! Authorization metadata, all on the server's own origin (019, 020).

use serde_json::{Value, json};

use crate::fault::Hook::Door;
use crate::fault::{Fault, variant, warning};
use crate::http::HttpRequest;
use crate::message::Reply;
use crate::server::Server;

const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const AUTHORIZATION_SERVER: &str = "/.well-known/oauth-authorization-server";
/// The one token that is accepted.
const AUTHORIZATION: &str = "Bearer fixture-token";

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    variant("auth-correct", "wants the bearer token `fixture-token`, with correct metadata",
        &[Door(|s, r| guard(s, r, |_| {}))]).http_only().verdict("auth-required"),
    warning("MCP019", "as-iss-missing", "has an authorization server that does not announce iss",
        &[Door(|s, r| guard(s, r, |metadata| {
            metadata["authorization_response_iss_parameter_supported"] = false.into();
        }))]).http_only().verdict("auth-required"),
    warning("MCP020", "as-dcr-only", "has an authorization server with dynamic client registration only",
        &[Door(|s, r| guard(s, r, |metadata| {
            metadata["client_id_metadata_document_supported"] = false.into();
            let issuer = metadata["issuer"].as_str().unwrap_or_default();
            metadata["registration_endpoint"] = format!("{issuer}/register").into();
        }))]).http_only().verdict("auth-required"),
];

/// Serves the metadata, and refuses everything else that lacks the token.
fn guard(server: &Server, request: &HttpRequest, edit: fn(&mut Value)) -> Option<Reply> {
    let origin = &server.origin;
    match (request.method.as_str(), request.path()) {
        ("GET", PROTECTED_RESOURCE) => Some(Reply::json(
            200,
            &json!({
                "resource": format!("{origin}/mcp"),
                "authorization_servers": [origin],
                "bearer_methods_supported": ["header"]
            }),
        )),
        ("GET", AUTHORIZATION_SERVER) => {
            let mut metadata = json!({
                "issuer": origin,
                "authorization_endpoint": format!("{origin}/authorize"),
                "token_endpoint": format!("{origin}/token"),
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
                "authorization_response_iss_parameter_supported": true,
                "client_id_metadata_document_supported": true
            });
            edit(&mut metadata);
            Some(Reply::json(200, &metadata))
        }
        (_, path) if path == server.config.path => {
            let given = request.header("authorization");
            let error = if given.is_some() {
                "error=\"invalid_token\", "
            } else {
                ""
            };
            let challenge =
                format!("Bearer {error}resource_metadata=\"{origin}{PROTECTED_RESOURCE}\"");
            (given != Some(AUTHORIZATION))
                .then(|| Reply::empty(401).header("WWW-Authenticate", challenge))
        }
        _ => None,
    }
}
