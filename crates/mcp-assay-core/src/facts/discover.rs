//! Is `server/discover` usable, and what did it say?

use serde_json::{Map, Value};

use crate::probe;
use crate::protocol::{code, method};
use crate::transcript::view::{Evidence, Exchange, Fact, Reply, Truth, View};
use crate::transcript::{Event, Gap};

/// `server/discover` works: a well-formed result to the plain request.
pub static DISCOVER_USABLE: Fact = Fact {
    id: "discover-usable",
    rule: "MCP001",
    http_only: false,
    must_be_proven: true,
    derive: usable,
};

/// The parts of a discover result.
#[derive(Debug)]
pub struct DiscoverResult<'v> {
    /// The whole result.
    pub result: &'v Value,
    /// Its entry.
    pub entry: u32,
    /// `supportedVersions`, if it is a non-empty array of strings.
    pub versions: Option<Vec<&'v str>>,
    /// `capabilities`, if it is an object.
    pub capabilities: Option<&'v Map<String, Value>>,
}

impl DiscoverResult<'_> {
    /// The schema's required members are there and well-formed.
    #[must_use]
    pub const fn is_well_formed(&self) -> bool {
        self.versions.is_some() && self.capabilities.is_some()
    }
}

/// The first discover result, whatever version or form of the request it answered.
#[must_use]
pub fn discover_result<'v>(view: &'v View<'_>) -> Option<DiscoverResult<'v>> {
    let mut plain = view
        .asked(&probe::DISCOVER)
        .chain(view.asked(&probe::DISCOVER_NO_META))
        .chain(view.asked(&probe::DISCOVER_NO_ROUTING));
    plain.find_map(|exchange| read(view, exchange))
}

fn read<'v>(view: &'v View<'_>, exchange: &Exchange<'_>) -> Option<DiscoverResult<'v>> {
    let Reply::Result(entry) = exchange.reply else {
        return None;
    };
    let result = view.result(exchange)?;
    let versions = result
        .get("supportedVersions")
        .and_then(Value::as_array)
        .and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>())
        .filter(|list| !list.is_empty());
    Some(DiscoverResult {
        result,
        entry,
        versions,
        capabilities: result.get("capabilities").and_then(Value::as_object),
    })
}

/// A declared capability, such as `["tools"]` or `["tools", "listChanged"]`. `null` and `false`
/// declare nothing.
#[must_use]
pub fn capability<'v>(discovered: &DiscoverResult<'v>, path: &[&str]) -> Option<&'v Value> {
    let (first, rest) = path.split_first()?;
    let mut value = discovered.capabilities?.get(*first)?;
    for key in rest {
        value = value.get(key)?;
    }
    Some(value).filter(|value| !matches!(value, Value::Null | Value::Bool(false)))
}

/// A flag counts only if it is `true`: eighteen real servers declare `false`.
#[must_use]
pub fn is_flag(discovered: &DiscoverResult<'_>, path: &[&str]) -> bool {
    capability(discovered, path) == Some(&Value::Bool(true))
}

fn usable(view: &View<'_>) -> Truth {
    // The plain request; after `-32022` it is asked again in a version the server offers.
    let mut last = None;
    for exchange in view.asked(&probe::DISCOVER) {
        last = Some(exchange);
        match read(view, exchange) {
            Some(found) if found.is_well_formed() => return Truth::Holds(exchange.proof()),
            Some(_) => return Truth::Broken(exchange.proof()),
            None => {}
        }
    }
    let Some(exchange) = last else {
        return Truth::Unknown(Gap::NotAsked);
    };
    match (&exchange.reply, view.error_code(exchange)) {
        (Reply::Error { .. }, Some(code::METHOD_NOT_FOUND)) => Truth::Broken(exchange.proof()),
        // A refusal of the version or of a header is not "not implemented".
        (
            Reply::Error { .. },
            Some(code::UNSUPPORTED_VERSION | code::HEADER_MISMATCH | code::MISSING_CAPABILITY),
        ) => Truth::Unknown(Gap::NoAnswer(
            "server/discover was refused for another reason".into(),
        )),
        (Reply::NotSent(gap), _) => Truth::Unknown(gap.clone()),
        (Reply::Open | Reply::Unanswerable, _) => Truth::Unknown(Gap::NotAsked),
        (Reply::Cut(_), _) => Truth::Unknown(Gap::NoAnswer(
            "the answer to server/discover is larger than this tool reads".into(),
        )),
        (Reply::Other(_) | Reply::Transport(_), _) if is_infrastructure(exchange) => {
            Truth::Unknown(Gap::NoAnswer(
                "something in front of the server refused it".into(),
            ))
        }
        _ if has_unreadable_answer(view, exchange) => Truth::Unknown(Gap::NoAnswer(
            "an answer to server/discover came that this tool cannot read".into(),
        )),
        _ => match witness(view) {
            Some(other) => Truth::Broken(exchange.proof().and(&other)),
            None => Truth::Unknown(Gap::NoAnswer("server/discover was not answered".into())),
        },
    }
}

/// Something like a JSON object arrived that our reader refuses: lone surrogates, numbers out of range,
/// deep nesting. Other clients may read it, so it is no silence.
fn has_unreadable_answer(view: &View<'_>, exchange: &Exchange<'_>) -> bool {
    let other = match exchange.reply {
        Reply::Other(entry) => Some(entry),
        _ => None,
    };
    exchange.during.iter().copied().chain(other).any(|entry| {
        view.value(entry).is_none()
            && matches!(view.entry(entry).map(|known| &known.event),
                Some(Event::Received { data, .. }) if data.bytes.contains(&b'{'))
    })
}

/// Another request that the same server answered: silence to one question proves nothing about a
/// server that answers none.
fn witness(view: &View<'_>) -> Option<Evidence> {
    view.exchanges()
        .iter()
        .filter(|exchange| {
            exchange.probe().and_then(probe::Probe::method) != Some(method::DISCOVER)
        })
        .find(|exchange| matches!(exchange.reply, Reply::Result(_)))
        .map(Exchange::proof)
}

/// An HTTP answer that speaks for a gateway or a host, not for an MCP server: by its status, or
/// because it is a page.
fn is_infrastructure(exchange: &Exchange<'_>) -> bool {
    exchange.head.is_some_and(|head| {
        matches!(head.status, 301..=308 | 401 | 403 | 421 | 429 | 502..=504)
            || head
                .header("content-type")
                .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/html"))
    })
}
