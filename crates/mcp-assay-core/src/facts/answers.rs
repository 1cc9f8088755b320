//! Answers to unmodified modern requests, and exchanges in one line.

use serde_json::Value;

use crate::protocol::{TARGET_REVISION, meta, method};
use crate::transcript::view::{Exchange, Reply, View, stage_words};
use crate::transcript::{Event, Gap};
use crate::wire::message::RpcError;

/// A result of an unmodified request of the target revision.
#[derive(Debug)]
pub struct Answer<'v, 't> {
    /// The exchange.
    pub exchange: &'v Exchange<'t>,
    /// The method asked.
    pub method: &'static str,
    /// The result.
    pub result: &'v Value,
    /// Its entry.
    pub entry: u32,
}

/// True for an unmodified request that names the target revision.
fn asks_target(view: &View<'_>, exchange: &Exchange<'_>) -> bool {
    exchange.probe().is_some_and(crate::probe::Probe::is_base)
        && !crate::scenario::is_after_handshake(&exchange.key.scenario)
        && view
            .request(exchange)
            .and_then(|request| request.pointer("/params/_meta"))
            .and_then(|known| known.get(meta::PROTOCOL_VERSION))
            .and_then(Value::as_str)
            == Some(TARGET_REVISION)
}

/// Methods that are no part of the revision: a server may keep them, in whatever form it likes.
const REMOVED: [&str; 6] = [
    method::PING,
    method::SET_LEVEL,
    method::SUBSCRIBE,
    method::UNSUBSCRIBE,
    method::TASKS_LIST,
    method::TASKS_RESULT,
];

/// All results of unmodified requests of the target revision, on connections that no handshake
/// has turned to a legacy revision. Answers to methods that the revision removed are none.
pub fn base_answers<'v, 't>(view: &'v View<'t>) -> impl Iterator<Item = Answer<'v, 't>> {
    view.exchanges().iter().filter_map(move |exchange| {
        let Reply::Result(entry) = exchange.reply else {
            return None;
        };
        Some(Answer {
            exchange,
            method: exchange.probe()?.method()?,
            result: view.result(exchange)?,
            entry,
        })
        .filter(|answer| asks_target(view, exchange) && !REMOVED.contains(&answer.method))
    })
}

/// All JSON-RPC errors that answered modern requests, deviating ones included.
pub fn base_errors<'v, 't>(
    view: &'v View<'t>,
) -> impl Iterator<Item = (&'v Exchange<'t>, RpcError<'v>)> {
    view.exchanges().iter().filter_map(move |exchange| {
        let modern = exchange.probe().is_some_and(crate::probe::Probe::is_modern)
            && !crate::scenario::is_after_handshake(&exchange.key.scenario);
        modern
            .then(|| view.error(exchange))
            .flatten()
            .map(|error| (exchange, error))
    })
}

/// An exchange in one line, such as `server/discover -> error -32601 "Method not found"`.
#[must_use]
pub fn describe(view: &View<'_>, exchange: &Exchange<'_>) -> String {
    format!("{} -> {}", question(exchange), outcome(view, exchange))
}

fn question(exchange: &Exchange<'_>) -> String {
    let Some(probe) = exchange.probe() else {
        return exchange.key.probe.to_string();
    };
    match (probe.base, probe.method()) {
        (crate::probe::Base::Raw(verb), _) => verb.to_owned(),
        (crate::probe::Base::Modern(method), _) if !probe.is_base() => {
            format!("{method} ({})", probe.about)
        }
        (crate::probe::Base::Legacy(method), _)
            if method != crate::protocol::method::INITIALIZE =>
        {
            format!("{method} (legacy form)")
        }
        (_, Some(method)) => method.to_owned(),
        (_, None) => probe.id.to_owned(),
    }
}

fn outcome(view: &View<'_>, exchange: &Exchange<'_>) -> String {
    let status = exchange.head.map(|head| head.status);
    let http = |text: String| match status {
        Some(status) => format!("HTTP {status}, {text}"),
        None => text,
    };
    match &exchange.reply {
        Reply::Result(_) => http("a result".to_owned()),
        Reply::Acknowledged(_) => http("acknowledged".to_owned()),
        Reply::Error { own_id, .. } => {
            let error = view.error(exchange);
            let code = error
                .as_ref()
                .and_then(|error| error.code)
                .map_or_else(|| "without a code".to_owned(), |code| code.to_string());
            let message = error
                .and_then(|error| error.message)
                .map(|message| format!(" \"{}\"", short(message, 120)))
                .unwrap_or_default();
            let id = if *own_id {
                ""
            } else {
                " (not under the request's id)"
            };
            http(format!("error {code}{message}{id}"))
        }
        Reply::Other(entry) => other(view, *entry, status),
        Reply::Silence(entry) => match view.entry(*entry).map(|entry| &entry.event) {
            Some(Event::TimedOut(limit)) => {
                http(format!("no answer in {:.1} s", limit.as_secs_f64()))
            }
            _ => http("no answer".to_owned()),
        },
        Reply::Transport(entry) => match view.entry(*entry).map(|entry| &entry.event) {
            Some(Event::Exited(Some(code))) => format!("the process exited with {code}"),
            Some(Event::Exited(None)) => "the process was ended by a signal".to_owned(),
            Some(Event::Eof) => "stdout was closed".to_owned(),
            Some(Event::Failed { stage, message }) => {
                format!("failed to {}: {}", stage_words(*stage), short(message, 200))
            }
            _ => "the connection ended".to_owned(),
        },
        Reply::Cut(entry) => match view.entry(*entry).map(|entry| &entry.event) {
            Some(Event::Received { data, .. }) => http(format!(
                "an answer of {} bytes, more than this tool reads",
                data.length
            )),
            Some(Event::Bound(which)) => http(format!("more than this tool reads: {which}")),
            _ => http("more than this tool reads".to_owned()),
        },
        Reply::Unanswerable => http("sent".to_owned()),
        Reply::NotSent(gap) => format!("not sent: {}", gap_words(gap)),
        Reply::Open => "the recording ends here".to_owned(),
    }
}

fn other(view: &View<'_>, entry: u32, status: Option<u16>) -> String {
    let body = match view.entry(entry).map(|entry| &entry.event) {
        Some(Event::Received { data, .. }) => Some(String::from_utf8_lossy(&data.bytes)),
        _ => None,
    };
    match (status, body) {
        (Some(status), None) => format!("HTTP {status}"),
        (Some(status), Some(body)) => format!("HTTP {status}, \"{}\"", short(&body, 80)),
        (None, Some(body)) => format!("\"{}\"", short(&body, 80)),
        (None, None) => "something else".to_owned(),
    }
}

/// The head of a text, on one line.
fn short(text: &str, limit: usize) -> String {
    let mut head: String = text
        .chars()
        .take(limit)
        .map(|known| if known.is_control() { ' ' } else { known })
        .collect();
    if text.chars().nth(limit).is_some() {
        head.push('\u{2026}');
    }
    head
}

/// A gap in plain words.
pub(crate) fn gap_words(gap: &Gap) -> String {
    match gap {
        Gap::NotAsked => "not asked".to_owned(),
        Gap::NoAnswer(why) | Gap::NeedsConsent(why) | Gap::Skipped(why) | Gap::NotOffered(why) => {
            why.to_string()
        }
        Gap::Because(rule) => format!("because of {rule}"),
    }
}
