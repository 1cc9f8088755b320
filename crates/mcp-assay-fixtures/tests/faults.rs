//! Every fault has a good name, changes what goes over the wire, starts and stops.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use mcp_assay_fixtures::{Era, Fault, HttpServer, Kind, Options, fault, faults};
use serde_json::{Value, json};
use support::{bare, exchange, headers, initialize, modern, post, spawn};

/// Faults a conversation does not show: they show in time or on stderr.
const INVISIBLE: &[&str] = &["slow", "stderr-noise", "stderr-flood", "exits-late"];
/// Likewise over HTTP, where the conversation ends a stream after its first event.
const INVISIBLE_OVER_HTTP: &[&str] = &["slow", "listen-closes-after-ack"];

#[test]
fn the_table_is_consistent() {
    let mut names = BTreeSet::new();
    for fault in faults() {
        let name = fault.name;
        assert!(names.insert(name), "{name} occurs twice");
        let kebab = |part: &str| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        assert!(name.split('-').all(kebab), "{name}");
        assert!(fault.stdio || fault.http, "{name} exists nowhere");
        assert!(
            !fault.about.is_empty() && !fault.about.ends_with('.'),
            "{name}"
        );
        assert_eq!(fault.rule.is_some(), fault.kind == Kind::Fault, "{name}");
        let rule = |rule: &str| {
            rule.len() == 6 && rule.starts_with("MCP") && rule[3..].parse::<u16>().is_ok()
        };
        assert!(fault.rule.is_none_or(rule), "{name}");
        let verdicts = [
            "ready",
            "not-ready",
            "incomplete",
            "unreachable",
            "auth-required",
            "not-mcp",
        ];
        assert!(verdicts.contains(&fault.expect.verdict), "{name}");
        assert!(
            fault.expect.reason.is_none() || fault.expect.verdict == "unreachable",
            "{name}"
        );
    }
    assert_eq!(fault("ttl-missing").unwrap().rule, Some("MCP005"));
    assert!(fault("no-such-fault").is_none());
}

/// Requests that give every fault an opportunity, the handshake last.
fn conversation() -> Vec<Value> {
    let base = [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/list", json!({})),
        ("tools/list", json!({"cursor": "page-2"})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "fixture://readme"})),
        (
            "resources/read",
            json!({"uri": "fixture://no-such-resource"}),
        ),
        ("prompts/get", json!({"name": "introduce"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "style", "value": ""}}),
        ),
        ("tools/call", json!({"name": "no-such-tool"})),
        (
            "subscriptions/listen",
            json!({"notifications": {"toolsListChanged": true}}),
        ),
        ("ping", json!({})),
        ("logging/setLevel", json!({"level": "info"})),
        ("resources/subscribe", json!({"uri": "fixture://readme"})),
        ("resources/unsubscribe", json!({"uri": "fixture://readme"})),
        ("tasks/list", json!({})),
        ("tasks/result", json!({"taskId": "one"})),
    ];
    let mut messages: Vec<_> = (1..)
        .zip(base)
        .map(|(id, (method, params))| modern(id, method, params))
        .collect();
    let mut unknown = modern(100, "tools/list", json!({}));
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1999-01-01".into();
    let mut old = initialize(102);
    old["params"]["protocolVersion"] = "2025-06-18".into();
    messages.extend([
        unknown,
        bare(101, "tools/list", json!({})),
        old,
        bare(103, "tools/list", json!({})),
    ]);
    messages
}

/// All that a stdio server says in that conversation, and how it ends.
fn stdio_transcript(arguments: &[&str]) -> Vec<String> {
    let mut server = spawn(&[&["--stdio"], arguments].concat());
    for message in conversation() {
        if !server.is_alive() {
            break;
        }
        server.try_send(&message);
    }
    server.close();
    let mut transcript: Vec<_> = std::iter::from_fn(|| server.line()).collect();
    transcript.push(format!("exit {:?}", server.wait()));
    transcript
}

/// What the correct server of each era says.
fn correct<T>(transcript: impl Fn(Era, &'static str) -> T) -> impl Fn(Era) -> T
where
    T: Clone,
{
    let eras = [
        (Era::Modern, "modern"),
        (Era::Legacy, "legacy"),
        (Era::Dual, "dual"),
    ];
    let transcripts = eras.map(|(era, name)| (era, transcript(era, name)));
    move |wanted| {
        transcripts
            .iter()
            .find(|(era, _)| *era == wanted)
            .unwrap()
            .1
            .clone()
    }
}

#[test]
fn faults_show_on_stdio() {
    let correct = correct(|_, name| stdio_transcript(&["--era", name]));
    for fault in faults()
        .iter()
        .filter(|fault| fault.stdio && fault.kind != Kind::Chaos)
    {
        let same = stdio_transcript(&["--fault", fault.name]) == correct(fault.era);
        assert_eq!(same, INVISIBLE.contains(&fault.name), "{}", fault.name);
    }
}

/// All that an HTTP server says in that conversation, without what is random in correct servers.
fn http_transcript(options: &Options) -> String {
    let server = HttpServer::start(options, 0).unwrap();
    let patience = Duration::from_millis(200);
    let url = server.url();
    let mut responses = vec![
        exchange(&url, "GET", &[], "", patience),
        exchange(&url, "DELETE", &[], "", patience),
    ];
    for message in conversation() {
        let mut fields = headers(&message);
        let meta = &message["params"]["_meta"];
        match meta["io.modelcontextprotocol/protocolVersion"].as_str() {
            Some(version) => fields[0].1 = version.to_owned(),
            None => fields.clear(),
        }
        responses.push(exchange(
            &url,
            "POST",
            &fields,
            &message.to_string(),
            patience,
        ));
    }
    let list = modern(200, "tools/list", json!({}));
    let mut with_session = headers(&list);
    with_session.push(("Mcp-Session-Id", "0123456789".to_owned()));
    let version_only = headers(&list)[..1].to_vec();
    for fields in [with_session, version_only] {
        responses.push(exchange(&url, "POST", &fields, &list.to_string(), patience));
    }
    let metadata = url.replace("/mcp", "/.well-known/oauth-authorization-server");
    responses.push(exchange(&metadata, "GET", &[], "", patience));
    let mut transcript = format!("{responses:?}").replace(&url.replace("/mcp", ""), "ORIGIN");
    let minted: Vec<_> = responses
        .iter()
        .filter_map(|response| response.header("mcp-session-id"))
        .collect();
    for session in minted.into_iter().filter(|session| session.len() == 32) {
        transcript = transcript.replace(session, "SESSION");
    }
    transcript
}

#[test]
fn faults_show_over_http() {
    let correct = correct(|era, _| http_transcript(&Options { era, fault: None }));
    for fault in faults()
        .iter()
        .filter(|fault| fault.http && fault.kind != Kind::Chaos)
    {
        let options = Options {
            era: fault.era,
            fault: Some(fault),
        };
        let same = http_transcript(&options) == correct(fault.era);
        assert_eq!(
            same,
            INVISIBLE_OVER_HTTP.contains(&fault.name),
            "{}",
            fault.name
        );
    }
}

#[test]
fn correct_servers_repeat_themselves() {
    for era in [Era::Modern, Era::Legacy, Era::Dual] {
        let options = Options { era, fault: None };
        assert_eq!(
            http_transcript(&options),
            http_transcript(&options),
            "{era:?}"
        );
    }
}

#[test]
fn a_subscription_may_end_at_once() {
    let server = HttpServer::start(
        &Options {
            era: Era::Modern,
            fault: fault("listen-closes-after-ack"),
        },
        0,
    )
    .unwrap();
    let mut message = modern(
        1,
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    let mut stream = support::connect(&server.url());
    stream.set_read_timeout(Some(support::PATIENCE)).unwrap();
    support::write_request(
        &mut stream,
        &server.url(),
        "POST",
        &headers(&message),
        &message.to_string(),
    );
    let mut reader = std::io::BufReader::new(stream);
    message = serde_json::from_str(&support::data_line(&mut reader)).unwrap();
    assert_eq!(
        message["method"],
        "notifications/subscriptions/acknowledged"
    );
    message = serde_json::from_str(&support::data_line(&mut reader)).unwrap();
    assert_eq!(
        (&message["id"], &message["result"]["resultType"]),
        (&json!(1), &json!("complete"))
    );
}

#[test]
fn metadata_differs_only_where_it_should() {
    let metadata = |name: &str| {
        let server = HttpServer::start(
            &Options {
                era: Era::Modern,
                fault: fault(name),
            },
            0,
        )
        .unwrap();
        let url = server.url();
        let refused = post(&url, &modern(1, "tools/list", json!({})));
        assert_eq!(refused.status, 401);
        let origin = url.replace("/mcp", "");
        let resource = format!("{origin}/.well-known/oauth-protected-resource/mcp");
        assert_eq!(
            refused.header("www-authenticate").unwrap(),
            format!("Bearer resource_metadata=\"{resource}\"")
        );
        let named = exchange(&resource, "GET", &[], "", Duration::from_secs(5)).json();
        assert_eq!(
            (&named["resource"], &named["authorization_servers"]),
            (&json!(url), &json!([origin]))
        );
        let issuer = format!("{origin}/.well-known/oauth-authorization-server");
        exchange(&issuer, "GET", &[], "", Duration::from_secs(5)).json()
    };
    let flags = |name| {
        let metadata = metadata(name);
        let flag = |name: &str| metadata[name] == true;
        (
            flag("authorization_response_iss_parameter_supported"),
            flag("client_id_metadata_document_supported"),
            metadata["registration_endpoint"].is_string(),
        )
    };
    assert_eq!(flags("auth-correct"), (true, true, false));
    assert_eq!(flags("as-iss-missing"), (false, true, false));
    assert_eq!(flags("as-dcr-only"), (true, false, true));
}

#[test]
fn the_token_opens_the_door() {
    let server = HttpServer::start(
        &Options {
            era: Era::Modern,
            fault: fault("auth-correct"),
        },
        0,
    )
    .unwrap();
    let list = modern(1, "tools/list", json!({}));
    let mut fields = headers(&list);
    fields.push(("Authorization", "Bearer fixture-token".to_owned()));
    let response = exchange(
        &server.url(),
        "POST",
        &fields,
        &list.to_string(),
        Duration::from_secs(5),
    );
    assert_eq!(response.status, 200);
}

#[test]
fn the_old_transport_answers_on_its_stream() {
    for (name, status) in [("http-sse", 405), ("http-sse-beside-modern", 200)] {
        let server = HttpServer::start(
            &Options {
                era: Era::Modern,
                fault: fault(name),
            },
            0,
        )
        .unwrap();
        let url = server.url();
        assert_eq!(
            post(&url, &modern(1, "server/discover", json!({}))).status,
            status
        );
        let mut stream = support::connect(&url);
        stream.set_read_timeout(Some(support::PATIENCE)).unwrap();
        support::write_request(&mut stream, &url, "GET", &[], "");
        let mut reader = std::io::BufReader::new(stream);
        let endpoint = support::data_line(&mut reader);
        let messages = url.replace("/mcp", &endpoint);
        let body = initialize(2).to_string();
        assert_eq!(
            exchange(&messages, "POST", &[], &body, support::PATIENCE).status,
            202
        );
        let answer: Value = serde_json::from_str(&support::data_line(&mut reader)).unwrap();
        assert_eq!(
            (&answer["id"], &answer["result"]["protocolVersion"]),
            (&json!(2), &json!("2025-11-25"))
        );
    }
}

#[test]
fn a_required_handshake_is_enough() {
    let mut server = spawn(&["--stdio", "--fault", "handshake-required"]);
    let list = modern(1, "tools/list", json!({}));
    assert!(server.ask(&modern(2, "server/discover", json!({})))["result"].is_object());
    assert_eq!(server.ask(&list)["error"]["code"], -32600);
    assert!(server.ask(&initialize(3))["result"].is_object());
    assert_eq!(server.ask(&list)["result"]["resultType"], "complete");

    let server = HttpServer::start(
        &Options {
            era: Era::Modern,
            fault: fault("handshake-required"),
        },
        0,
    )
    .unwrap();
    let url = server.url();
    assert_eq!(post(&url, &list).status, 400);
    let opened = exchange(
        &url,
        "POST",
        &[],
        &initialize(4).to_string(),
        support::PATIENCE,
    );
    let mut fields = headers(&list);
    fields.push((
        "Mcp-Session-Id",
        opened.header("mcp-session-id").unwrap().to_owned(),
    ));
    let served = exchange(&url, "POST", &fields, &list.to_string(), support::PATIENCE);
    assert_eq!(served.json()["result"]["resultType"], "complete");
}

fn chaos(transport: fn(&Fault) -> bool) -> impl Iterator<Item = &'static Fault> {
    faults()
        .iter()
        .filter(move |fault| fault.kind == Kind::Chaos && transport(fault))
}

#[test]
fn chaos_over_http_stops_when_dropped() {
    let message = modern(1, "server/discover", json!({}));
    for fault in chaos(|fault| fault.http) {
        let server = HttpServer::start(
            &Options {
                era: Era::Modern,
                fault: Some(fault),
            },
            0,
        )
        .unwrap();
        let mut stream = support::connect(&server.url());
        support::write_request(
            &mut stream,
            &server.url(),
            "POST",
            &headers(&message),
            &message.to_string(),
        );
        // The connection stays open and unread: the server has to end it.
        drop(server);
    }
}

#[test]
fn chaos_on_stdio_starts() {
    for fault in chaos(|fault| fault.stdio) {
        let mut server = spawn(&["--stdio", "--fault", fault.name]);
        server.try_send(&modern(1, "server/discover", json!({})));
        let quiet = ["silent", "exits-at-start", "closes-stdin", "closes-stdout"];
        if !quiet.contains(&fault.name) {
            assert!(server.line().is_some(), "{}", fault.name);
        }
        if fault.name == "closes-stdout" {
            assert_eq!(server.line(), None);
            assert!(server.is_alive());
        }
    }
}

#[cfg(unix)]
#[test]
fn one_process_ends_only_when_killed() {
    let mut server = spawn(&["--stdio", "--fault", "ignores-sigterm"]);
    assert!(server.ask(&modern(1, "server/discover", json!({})))["result"].is_object());
    server.close();
    assert!(
        std::process::Command::new("kill")
            .arg(server.id().to_string())
            .status()
            .unwrap()
            .success()
    );
    std::thread::sleep(Duration::from_millis(100));
    assert!(server.is_alive());
}

#[cfg(unix)]
#[test]
fn a_grandchild_keeps_the_pipes() {
    let mut server = spawn(&["--stdio", "--fault", "grandchild"]);
    assert!(server.ask(&modern(1, "server/discover", json!({})))["result"].is_object());
    server.close();
    assert_eq!(server.wait(), Some(0));
    assert!(!server.has_ended_output());
}
