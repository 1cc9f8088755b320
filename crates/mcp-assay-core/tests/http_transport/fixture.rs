//! The transport against the reference servers.

use mcp_assay_core::transport::http::Client;
use mcp_assay_core::transport::{Arrival, Limits, Outgoing, Until};
use mcp_assay_fixtures::{Era, HttpServer, Options};
use serde_json::{Value, json};

use crate::server::{ask, endpoint, post};

fn request(method: &str, params: Value, until: Until) -> Outgoing {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": "q1", "method": method, "params": params});
    let mut out = post(until);
    out.body = body.to_string().into_bytes();
    for (name, value) in [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ] {
        out.headers.push((name.to_owned(), value.to_owned()));
    }
    out
}

#[tokio::test]
async fn a_correct_server_discovers_and_acknowledges() {
    let options = Options {
        era: Era::Modern,
        fault: None,
    };
    let server = HttpServer::start(&options, 0).unwrap();
    let client = Client::new(&endpoint(&server.url()), &Limits::default()).unwrap();
    let discover = request("server/discover", json!({}), Until::Response);
    let seen = ask(&client, &discover).await;
    assert_eq!(seen.answer.status, Some(200));
    assert!(
        seen.shape()[2].contains("supportedVersions"),
        "{:?}",
        seen.shape()
    );

    let listen = request(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
        Until::Acknowledged,
    );
    let seen = ask(&client, &listen).await;
    assert_eq!(seen.answer.arrival, Arrival::Answered);
    assert!(
        seen.shape()[2].contains("acknowledged"),
        "{:?}",
        seen.shape()
    );
}
