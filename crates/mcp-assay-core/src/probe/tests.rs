use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::transcript::{Key, TransportKind};

fn sent(probe: &Probe, deviation: Deviation, aim: &Aim) -> (Value, Vec<(String, String)>) {
    let bare = Probe {
        id: probe.id,
        about: probe.about,
        base: probe.base,
        deviation,
    };
    let context = Context::new(TransportKind::Http, 7);
    let out = encode(&bare, Key::new("test", probe.id), aim, &context);
    let message = serde_json::from_slice(&out.body).unwrap_or(Value::Null);
    (message, out.headers)
}

/// JSON Pointers of the outermost places where two documents differ.
fn differences(left: &Value, right: &Value, at: &str, found: &mut BTreeSet<String>) {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()) {
                let path = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (a.get(key), b.get(key)) {
                    (Some(x), Some(y)) => differences(x, y, &path, found),
                    _ => {
                        found.insert(path);
                    }
                }
            }
        }
        (a, b) if a != b => {
            found.insert(at.to_owned());
        }
        _ => {}
    }
}

#[test]
fn every_probe_differs_from_its_base_in_the_declared_places_only() {
    for probe in PROBES {
        let aim = match probe.method() {
            Some("prompts/get") => Aim::Prompt("greet".to_owned(), Vec::new()),
            _ => Aim::Nothing,
        };
        let (base, base_headers) = sent(probe, Deviation::None, &aim);
        let (message, headers) = sent(probe, probe.deviation, &aim);
        let mut paths = BTreeSet::new();
        differences(&base, &message, "", &mut paths);
        let named: BTreeSet<String> = base_headers
            .iter()
            .filter(|pair| !headers.contains(pair))
            .chain(headers.iter().filter(|pair| !base_headers.contains(pair)))
            .map(|(name, _)| name.clone())
            .collect();
        match probe.deviation {
            Deviation::None => assert!(paths.is_empty() && named.is_empty(), "{}", probe.id),
            Deviation::Intent { changes, .. } => {
                let declared: BTreeSet<String> = changes.iter().map(|c| (*c).to_owned()).collect();
                assert_eq!(paths, declared, "{}", probe.id);
                // The mirror of the version follows; nothing else does.
                assert!(
                    named
                        .iter()
                        .all(|name| name == crate::protocol::header::PROTOCOL_VERSION),
                    "{}: {named:?}",
                    probe.id
                );
            }
            Deviation::Header { changes, .. } => {
                assert!(paths.is_empty(), "{}", probe.id);
                assert!(!named.is_empty(), "{} deviates in nothing", probe.id);
                assert!(
                    named.iter().all(|name| changes.contains(&name.as_str())),
                    "{}: {named:?}",
                    probe.id
                );
            }
        }
    }
}

#[test]
fn a_modern_request_mirrors_its_body_in_the_headers() {
    let (_, headers) = sent(
        &READ,
        Deviation::None,
        &Aim::Uri("file:///gr\u{fc}n".into()),
    );
    let header = |name: &str| {
        headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(header("MCP-Protocol-Version"), Some("2026-07-28"));
    assert_eq!(header("Mcp-Method"), Some("resources/read"));
    assert_eq!(header("Mcp-Name"), Some("=?base64?ZmlsZTovLy9ncsO8bg==?="));
    assert_eq!(header("Content-Type"), Some("application/json"));
    assert_eq!(
        header("Accept"),
        Some("application/json, text/event-stream")
    );
}

#[test]
fn ids_are_unique_and_found() {
    let ids: BTreeSet<&str> = PROBES.iter().map(|probe| probe.id).collect();
    assert_eq!(ids.len(), PROBES.len());
    assert!(std::ptr::eq(
        by_id("discover").unwrap(),
        &raw const DISCOVER
    ));
    assert!(by_id("no-such-probe").is_none());
}
