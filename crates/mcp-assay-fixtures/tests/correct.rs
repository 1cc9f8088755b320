//! The correct servers keep to the specification.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::io::BufReader;
use std::time::Duration;

use mcp_assay_fixtures::{Era, HttpServer, Options};
use serde_json::{Value, json};
use support::{
    PATIENCE, Response, bare, connect, exchange, headers, initialize, modern, post, read_response,
    spawn, write_request,
};

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

fn start(era: Era) -> HttpServer {
    HttpServer::start(&Options { era, fault: None }, 0).unwrap()
}

fn send(url: &str, headers: &[(&str, &str)], message: &Value) -> Response {
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    exchange(url, "POST", &headers, &message.to_string(), PATIENCE)
}

/// Facts of the specification about the modern results, whatever carried them.
fn check_modern(mut ask: impl FnMut(Value) -> Value) {
    let discovered = ask(modern(1, "server/discover", json!({})));
    assert_eq!(discovered["id"], 1);
    let result = &discovered["result"];
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(result["capabilities"]["resources"]["subscribe"], true);
    assert_eq!(result["_meta"][SERVER_INFO]["name"], "mcp-assay-fixture");

    let lists = [
        ("server/discover", "supportedVersions", 1),
        ("tools/list", "tools", 3),
        ("resources/list", "resources", 2),
        ("resources/templates/list", "resourceTemplates", 1),
        ("prompts/list", "prompts", 2),
    ];
    for (method, key, count) in lists {
        let result = &ask(modern(2, method, json!({})))["result"];
        assert_eq!(result[key].as_array().unwrap().len(), count, "{method}");
        assert_eq!(result["resultType"], "complete", "{method}");
        assert!(result["ttlMs"].is_u64(), "{method}");
        assert_eq!(result["cacheScope"], "public", "{method}");
        assert!(
            result["_meta"][SERVER_INFO]["version"].is_string(),
            "{method}"
        );
    }
    let read = &ask(modern(
        3,
        "resources/read",
        json!({"uri": "fixture://readme"}),
    ))["result"];
    assert!(read["contents"][0]["text"].is_string() && read["ttlMs"].is_u64());
    let called = &ask(modern(
        4,
        "tools/call",
        json!({"name": "echo", "arguments": {"message": "hi"}}),
    ))["result"];
    assert_eq!(called["content"][0]["text"], "hi");
    assert!(called.get("ttlMs").is_none());

    let errors = [
        (-32601, "ping", json!({})),
        (-32601, "logging/setLevel", json!({"level": "info"})),
        (
            -32601,
            "resources/subscribe",
            json!({"uri": "fixture://readme"}),
        ),
        (-32601, "tasks/list", json!({})),
        (-32602, "tools/call", json!({"name": "no-such-tool"})),
        (-32602, "tools/list", json!({"cursor": "no-such-page"})),
        (
            -32602,
            "resources/read",
            json!({"uri": "fixture://no-such-resource"}),
        ),
        (-32602, "prompts/get", json!({"name": "review"})),
    ];
    for (code, method, params) in errors {
        assert_eq!(
            ask(modern(5, method, params))["error"]["code"],
            code,
            "{method}"
        );
    }
    let mut other = modern(6, "tools/list", json!({}));
    other["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1999-01-01".into();
    let refused = ask(other);
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(
        refused["error"]["data"],
        json!({"supported": ["2026-07-28"], "requested": "1999-01-01"})
    );
}

#[test]
fn modern_over_stdio() {
    for era in ["modern", "dual"] {
        let mut server = spawn(&["--stdio", "--era", era]);
        check_modern(|message| server.ask(&message));
    }
}

#[test]
fn modern_over_http() {
    for era in [Era::Modern, Era::Dual] {
        let server = start(era);
        check_modern(|message| {
            let mut fields = headers(&message);
            fields[0].1 = message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"]
                .as_str()
                .unwrap()
                .into();
            let response = exchange(
                &server.url(),
                "POST",
                &fields,
                &message.to_string(),
                PATIENCE,
            );
            let expected = match response.json()["error"]["code"].as_i64() {
                Some(-32601) => 404,
                Some(-32022) => 400,
                _ => 200,
            };
            assert_eq!(response.status, expected, "{message}");
            assert_eq!(response.header("mcp-session-id"), None);
            response.json()
        });
    }
}

#[test]
fn stdio_subscriptions_and_the_end() {
    let mut server = spawn(&["--stdio"]);
    let filter = json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["fixture://readme"]}});
    for id in [7, 8] {
        let acknowledged = server.ask(&modern(id, "subscriptions/listen", filter.clone()));
        assert_eq!(
            acknowledged["method"],
            "notifications/subscriptions/acknowledged"
        );
        assert_eq!(acknowledged["params"]["_meta"][SUBSCRIPTION_ID], id);
        assert_eq!(
            acknowledged["params"]["notifications"],
            filter["notifications"]
        );
    }
    server.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}),
    );
    server.close();
    let closing = server.receive();
    assert_eq!(
        (&closing["id"], &closing["result"]["_meta"][SUBSCRIPTION_ID]),
        (&json!(8), &json!(8))
    );
    assert_eq!(server.line(), None);
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn http_subscriptions_end_with_the_server() {
    let server = start(Era::Modern);
    let message = modern(
        9,
        "subscriptions/listen",
        json!({"notifications": {"promptsListChanged": true}}),
    );
    let mut stream = connect(&server.url());
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write_request(
        &mut stream,
        &server.url(),
        "POST",
        &headers(&message),
        &message.to_string(),
    );
    let mut reader = BufReader::new(stream);
    let response = read_response(&mut reader);
    assert_eq!(response.header("content-type"), Some("text/event-stream"));
    assert_eq!(response.header("x-accel-buffering"), Some("no"));
    assert_eq!(response.event()["params"]["_meta"][SUBSCRIPTION_ID], 9);
    drop(server);
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut reader, &mut rest).unwrap();
    assert!(
        rest.contains("\"resultType\":\"complete\"") && rest.ends_with("0\r\n\r\n"),
        "{rest}"
    );
}

#[test]
fn stdio_refuses_what_lacks_metadata() {
    let mut server = spawn(&["--stdio"]);
    assert_eq!(
        server.ask(&bare(1, "tools/list", json!({})))["error"]["code"],
        -32602
    );
    assert_eq!(
        server.ask(&bare(2, "server/discover", json!({"_meta": {}})))["error"]["code"],
        -32602
    );
    let refused = server.ask(&initialize(3));
    assert_eq!(refused["error"]["data"]["supported"], json!(["2026-07-28"]));
    assert_eq!(
        server.ask(&json!(["no", "object"]))["error"]["code"],
        -32600
    );
    assert_eq!(
        server.ask(&json!({"jsonrpc": "2.0", "id": null, "method": "ping"}))["error"]["code"],
        -32600
    );
    server.close();
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn http_validates_headers() {
    let server = start(Era::Modern);
    let url = server.url();
    let get = modern(1, "prompts/get", json!({"name": "introduce"}));
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let method = ("mcp-method", "prompts/get");
    for name in ["introduce", " introduce ", "=?base64?aW50cm9kdWNl?="] {
        assert_eq!(
            send(&url, &[version, method, ("MCP-NAME", name)], &get).status,
            200,
            "{name}"
        );
    }
    let refused: [&[(&str, &str)]; 8] = [
        &[],
        &[method, ("Mcp-Name", "introduce")],
        &[version, ("Mcp-Name", "introduce")],
        &[version, method],
        &[version, method, ("Mcp-Name", "Introduce")],
        &[version, method, ("Mcp-Name", "=?base64?aW50cm9kdWN?=")],
        &[version, method, ("Mcp-Name", "introducé")],
        &[
            ("MCP-Protocol-Version", "2025-11-25"),
            method,
            ("Mcp-Name", "introduce"),
        ],
    ];
    for headers in refused {
        let response = send(&url, headers, &get);
        assert_eq!(
            (response.status, &response.json()["error"]["code"]),
            (400, &json!(-32020)),
            "{headers:?}"
        );
    }
    let without = bare(1, "tools/list", json!({}));
    let response = send(&url, &[version, ("Mcp-Method", "tools/list")], &without);
    assert_eq!(
        (response.status, &response.json()["error"]["code"]),
        (400, &json!(-32602))
    );
    let session = [
        version,
        ("Mcp-Method", "tools/list"),
        ("Mcp-Session-Id", "old"),
    ];
    let response = send(&url, &session, &modern(1, "tools/list", json!({})));
    assert_eq!(
        (response.status, response.header("mcp-session-id")),
        (200, None)
    );
}

#[test]
fn http_methods_paths_and_origins() {
    let server = start(Era::Modern);
    let url = server.url();
    for method in ["GET", "DELETE", "PUT"] {
        let response = exchange(&url, method, &[], "", PATIENCE);
        assert_eq!(
            (response.status, response.header("allow")),
            (405, Some("POST")),
            "{method}"
        );
    }
    let elsewhere = url.replace("/mcp", "/elsewhere");
    assert_eq!(
        exchange(&elsewhere, "POST", &[], "{}", PATIENCE).status,
        404
    );
    let list = modern(1, "tools/list", json!({}));
    let origins = [
        ("http://localhost:3000", 200),
        ("http://[::1]:1", 200),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("null", 403),
    ];
    for (origin, status) in origins {
        let mut fields = headers(&list);
        fields.push(("Origin", origin.to_owned()));
        assert_eq!(
            exchange(&url, "POST", &fields, &list.to_string(), PATIENCE).status,
            status,
            "{origin}"
        );
    }
    let notification =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let response = post(&url, &notification);
    assert_eq!((response.status, response.body.as_str()), (202, ""));
    assert_eq!(
        exchange(&url, "POST", &[], "{", PATIENCE).json()["error"]["code"],
        -32700
    );
}

#[test]
fn http_connections_are_kept() {
    let server = start(Era::Modern);
    let mut stream = connect(&server.url());
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    for id in 1..4 {
        let message = modern(id, "tools/list", json!({}));
        write_request(
            &mut stream,
            &server.url(),
            "POST",
            &headers(&message),
            &message.to_string(),
        );
        assert_eq!(read_response(&mut reader).json()["id"], id);
    }
}

/// Facts about the results of the handshake revisions.
fn check_legacy(mut ask: impl FnMut(Value) -> Value) {
    assert_eq!(ask(bare(1, "ping", json!({})))["result"], json!({}));
    let listed = ask(bare(2, "tools/list", json!({})));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 3);
    assert_eq!(
        listed["result"].as_object().unwrap().len(),
        1,
        "no members of later revisions"
    );
    let unknown = ask(bare(
        3,
        "resources/read",
        json!({"uri": "fixture://no-such-resource"}),
    ));
    assert_eq!(unknown["error"]["code"], -32002);
    let subscribed = ask(bare(
        4,
        "resources/subscribe",
        json!({"uri": "fixture://readme"}),
    ));
    assert_eq!(subscribed["result"], json!({}));
}

#[test]
fn legacy_over_stdio() {
    for era in ["legacy", "dual"] {
        let mut server = spawn(&["--stdio", "--era", era]);
        assert_eq!(server.ask(&bare(1, "ping", json!({})))["result"], json!({}));
        assert_eq!(
            server.ask(&bare(2, "tools/list", json!({})))["error"]["code"],
            -32600
        );
        let opened = server.ask(&initialize(3));
        assert_eq!(opened["result"]["protocolVersion"], "2025-11-25");
        assert_eq!(opened["result"]["serverInfo"]["name"], "mcp-assay-fixture");
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        check_legacy(|message| server.ask(&message));
        assert_eq!(
            server.ask(&modern(4, "server/discover", json!({})))["error"]["code"],
            -32601
        );
    }
    let mut server = spawn(&["--stdio", "--era", "legacy"]);
    assert_eq!(
        server.ask(&modern(1, "server/discover", json!({})))["error"]["code"],
        -32601
    );
    assert_eq!(
        server.ask(&modern(2, "tools/list", json!({})))["error"]["code"],
        -32600
    );
}

#[test]
fn legacy_negotiates_its_revisions() {
    let mut server = spawn(&["--stdio", "--era", "legacy"]);
    for (wanted, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2026-07-28", "2025-11-25"),
    ] {
        let mut message = initialize(1);
        message["params"]["protocolVersion"] = wanted.into();
        assert_eq!(server.ask(&message)["result"]["protocolVersion"], agreed);
    }
}

#[test]
fn legacy_over_http() {
    for era in [Era::Legacy, Era::Dual] {
        let server = start(era);
        let url = server.url();
        let early = send(&url, &[], &bare(1, "tools/list", json!({})));
        assert_eq!(
            (early.status, &early.json()["error"]["code"]),
            (400, &json!(-32000))
        );
        let opened = send(&url, &[], &initialize(2));
        let session = opened.header("mcp-session-id").unwrap().to_owned();
        let within = [
            ("Mcp-Session-Id", session.as_str()),
            ("MCP-Protocol-Version", "2025-11-25"),
        ];
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(send(&url, &within, &initialized).status, 202);
        check_legacy(|message| send(&url, &within, &message).json());

        let owned = within.map(|(name, value)| (name, value.to_owned()));
        let stream = exchange(&url, "GET", &owned, "", Duration::from_millis(50));
        assert_eq!(
            (stream.status, stream.header("content-type")),
            (200, Some("text/event-stream"))
        );
        assert_eq!(exchange(&url, "GET", &[], "", PATIENCE).status, 400);
        assert_eq!(exchange(&url, "DELETE", &owned, "", PATIENCE).status, 200);
        assert_eq!(send(&url, &within, &bare(3, "ping", json!({}))).status, 404);
    }
    let server = start(Era::Legacy);
    assert_eq!(
        post(&server.url(), &modern(1, "server/discover", json!({}))).status,
        400
    );
}
