//! Error codes (011, 012).

use serde_json::json;

use crate::fault::Hook::{Answer, Edit};
use crate::fault::{Fault, error, warning};
use crate::message::{Reply, Request};

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    warning("MCP011", "resource-not-found-32002", "answers resources/read of an unknown resource with -32002",
        &[Edit(|_, r, reply| if r.method == "resources/read" { reply.recode(-32602, -32002) })]),
    error("MCP012", "version-error-32004", "answers an unknown protocol version with -32004",
        &[Edit(|_, _, reply| reply.recode(-32022, -32004))]),
    error("MCP012", "version-error-undefined", "answers an unknown protocol version with -32050",
        &[Edit(|_, _, reply| reply.recode(-32022, -32050))]),
    warning("MCP012", "header-error-32001", "answers mismatching headers with -32001",
        &[Edit(|_, _, reply| reply.recode(-32020, -32001))]).http_only(),
    error("MCP012", "pre-release-codes", "answers unknown versions with -32004 and mismatching headers with -32001",
        &[Edit(|_, _, reply| { reply.recode(-32022, -32004); reply.recode(-32020, -32001); })]).http_only(),
    error("MCP012", "capability-error-32003", "answers a missing client capability with -32003",
        &[Answer(|_, r| is_readme(r).then(|| {
            Reply::error(r, -32003, "Missing required client capability")
                .status(400)
                .data(json!({"requiredCapabilities": {"elicitation": {}}}))
        }))]),
    warning("MCP012", "url-elicitation-32042", "answers a prompt with the removed URL elicitation error",
        &[Answer(|_, r| (r.method == "prompts/get" && r.text("name") == Some("introduce")).then(|| {
            Reply::error(r, -32042, "URL elicitation required").data(json!({"elicitations": [{
                "mode": "url",
                "elicitationId": "one",
                "url": "http://127.0.0.1:9/consent",
                "message": "Please agree"
            }]}))
        }))]),
];

fn is_readme(request: &Request) -> bool {
    request.method == "resources/read" && request.text("uri") == Some("fixture://readme")
}
