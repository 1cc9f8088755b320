//! Metadata documents that a server names, read as a client would: never with the user's headers,
//! never elsewhere than the transport's address policy allows.

use serde_json::Value;
use url::Url;

use super::{METADATA, Run};
use crate::probe::{self, Probe};
use crate::transcript::view::View;
use crate::transcript::{Entry, Event, Key, Log, TransportKind};
use crate::transport::http::Client;
use crate::wire::www_authenticate;

/// The `resource_metadata` address of the first challenge that names one.
pub(super) fn named_metadata(view: &View<'_>) -> Option<String> {
    view.exchanges()
        .iter()
        .filter_map(|exchange| exchange.head)
        .flat_map(|head| head.all("www-authenticate").collect::<Vec<_>>())
        .flat_map(www_authenticate::parse)
        .flat_map(|challenge| challenge.params)
        .find(|(name, _)| name.eq_ignore_ascii_case("resource_metadata"))
        .map(|(_, value)| value)
}

/// Reads the protected-resource metadata (the challenge's address, else the well-known ones), then
/// that of its first authorization server.
pub(super) async fn read(
    run: &Run<'_>,
    client: &Client,
    endpoint: &Url,
    challenge: Option<String>,
    log: &Log,
) {
    let places = match challenge.and_then(|place| Url::parse(&place).ok()) {
        Some(place) => vec![place],
        None => well_known(endpoint, &["oauth-protected-resource"]),
    };
    let Some(resource) = first(run, client, &probe::RESOURCE_METADATA, places, log).await else {
        return;
    };
    let issuer = resource
        .get("authorization_servers")
        .and_then(|list| list.get(0))
        .and_then(Value::as_str)
        .and_then(|issuer| Url::parse(issuer).ok());
    let Some(issuer) = issuer else { return };
    let mut places = well_known(
        &issuer,
        &["oauth-authorization-server", "openid-configuration"],
    );
    // OpenID Connect Discovery 1.0 appends the well-known path to an issuer's own path.
    let mut appended = issuer.clone();
    appended.set_path(&format!(
        "{}/.well-known/openid-configuration",
        issuer.path().trim_end_matches('/')
    ));
    if !places.contains(&appended) {
        places.push(appended);
    }
    first(run, client, &probe::SERVER_METADATA, places, log).await;
}

/// Well-known addresses: with the path inserted after the suffix first, then at the root.
fn well_known(base: &Url, suffixes: &[&str]) -> Vec<Url> {
    let path = base.path().trim_end_matches('/');
    let mut places = Vec::new();
    for tail in [path, ""] {
        for suffix in suffixes {
            let mut place = base.clone();
            place.set_query(None);
            place.set_fragment(None);
            place.set_path(&format!("/.well-known/{suffix}{tail}"));
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}

/// The first of the places that gives a JSON object.
async fn first(
    run: &Run<'_>,
    client: &Client,
    probe: &'static Probe,
    places: Vec<Url>,
    log: &Log,
) -> Option<Value> {
    for (item, place) in (0_u16..).zip(places) {
        if run.clock.is_over() {
            return None;
        }
        let key = Key::new(METADATA, probe.id).item(item);
        let limit = run.clock.at_most(run.settings.limits.request);
        client.fetch(&place, limit, log, &key).await;
        let entries: Vec<Entry> = log.snapshot();
        let view = View::new(TransportKind::Http, &entries);
        if let Some(document) = document(&view, &key) {
            return Some(document.clone());
        }
    }
    None
}

/// The JSON object that answered with status 200.
fn document<'v>(view: &'v View<'_>, key: &Key) -> Option<&'v Value> {
    let exchange = view.exchanges().iter().find(|known| known.key == key)?;
    exchange.head.filter(|head| head.status == 200)?;
    view.entries()
        .iter()
        .enumerate()
        .filter(|(_, entry)| {
            entry.key.as_ref() == Some(key) && matches!(entry.event, Event::Received { .. })
        })
        .find_map(|(at, _)| view.value(u32::try_from(at).ok()?))
        .filter(|value| value.is_object())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_inserted_before_the_root_is_tried() {
        let base = Url::parse("https://example.com/mcp?x=1").unwrap();
        let places: Vec<String> = well_known(&base, &["oauth-protected-resource"])
            .iter()
            .map(Url::to_string)
            .collect();
        assert_eq!(
            places,
            [
                "https://example.com/.well-known/oauth-protected-resource/mcp",
                "https://example.com/.well-known/oauth-protected-resource"
            ]
        );
    }
}
