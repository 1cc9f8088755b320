//! Did anything answer, and was it an MCP server?

use crate::probe;
use crate::protocol::code;
use crate::transcript::view::{Exchange, Reply, View, stage_words};
use crate::transcript::{Event, Stage, TransportKind};

/// How far the questions got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// An MCP server, of whatever revision, answered.
    Server,
    /// Nothing answered: a reason for machines and one for people.
    Unreachable(&'static str, String),
    /// Credentials are wanted first.
    AuthRequired(String),
    /// Something answers, but not as an MCP server.
    NotMcp(String),
    /// JSON-RPC answers came, all of them errors that say nothing about a revision.
    OnlyErrors(String),
}

/// How far the questions got.
#[must_use]
pub fn reach(view: &View<'_>) -> Reach {
    if spoke_mcp(view) {
        return Reach::Server;
    }
    match view.transport() {
        TransportKind::Stdio => reach_stdio(view),
        TransportKind::Http => reach_http(view),
    }
}

/// A result that only an MCP server gives, or an error that only one gives.
fn spoke_mcp(view: &View<'_>) -> bool {
    super::modern_proof(view).is_some()
        || super::legacy_negotiated(view).is_some()
        || super::refused_version(view).is_some()
        || super::legacy_sse_exchange(view).is_some()
        || view.exchanges().iter().any(|exchange| {
            is_list(view, exchange)
                || matches!(
                    view.error_code(exchange),
                    Some(code::HEADER_MISMATCH | code::MISSING_CAPABILITY)
                )
        })
}

fn is_list(view: &View<'_>, exchange: &Exchange<'_>) -> bool {
    view.result(exchange).is_some_and(|result| {
        ["tools", "prompts", "resources"]
            .iter()
            .any(|key| result.get(key).is_some_and(serde_json::Value::is_array))
    })
}

fn failures<'v>(view: &'v View<'_>) -> impl Iterator<Item = (Stage, &'v str)> {
    view.entries()
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Failed { stage, message } => Some((*stage, message.as_str())),
            _ => None,
        })
}

fn reach_stdio(view: &View<'_>) -> Reach {
    if let Some((_, message)) = failures(view).find(|(stage, _)| *stage == Stage::Launch) {
        return Reach::Unreachable("launch-failed", message.to_owned());
    }
    let answers: Vec<_> = view
        .exchanges()
        .iter()
        .filter(|e| e.is_answered())
        .collect();
    if !answers.is_empty() {
        return only_errors(view, &answers);
    }
    let lines = view
        .entries()
        .iter()
        .filter(|entry| matches!(entry.event, Event::Received { .. }))
        .count();
    // An exit after we closed stdin is what the specification asks for. And if one process lived to
    // the end, the exit of another may be our own doing: both wanted the same port or lock.
    let lived = view.entries().iter().enumerate().any(|(at, entry)| {
        matches!(entry.event, Event::Stopped(_)) && !has_exited(view, at, entry.conn)
    });
    let exited = view
        .entries()
        .iter()
        .find_map(|entry| match entry.event {
            Event::Exited(code) => Some(code),
            _ => None,
        })
        .filter(|_| !lived);
    match (lines, exited) {
        // Noise before an exit is the noise of a program that could not start.
        (_, Some(code)) => Reach::Unreachable(
            "launch-failed",
            match code {
                Some(code) => format!("the server exited with {code} and answered nothing"),
                None => "the server was ended by a signal and answered nothing".to_owned(),
            },
        ),
        (0, None) => Reach::Unreachable(
            "silent",
            "the server runs, but answered neither a modern request nor the legacy handshake"
                .to_owned(),
        ),
        (lines, None) => Reach::NotMcp(format!(
            "the program wrote {lines} line(s) to stdout, none of them an answer to a request"
        )),
    }
}

fn has_exited(view: &View<'_>, before: usize, conn: u32) -> bool {
    view.entries()[..before]
        .iter()
        .any(|entry| entry.conn == conn && matches!(entry.event, Event::Exited(_)))
}

fn only_errors(view: &View<'_>, answers: &[&Exchange<'_>]) -> Reach {
    let told = answers
        .iter()
        .find_map(|exchange| view.error(exchange))
        .and_then(|error| error.message.map(str::to_owned))
        .unwrap_or_default();
    // An error under the request's own id that is not "I know no method at all" is the voice of a
    // server that could not do its work, say because its backend is down.
    let speaks = answers.iter().any(|exchange| {
        matches!(exchange.reply, Reply::Error { own_id: true, .. })
            && view
                .error_code(exchange)
                .is_some_and(|code| code != code::METHOD_NOT_FOUND)
    });
    if speaks {
        Reach::OnlyErrors(format!(
            "no request was served; the answers were errors: {told}"
        ))
    } else {
        Reach::NotMcp("JSON-RPC answers came, but none that an MCP server gives".to_owned())
    }
}

fn reach_http(view: &View<'_>) -> Reach {
    let first = view
        .asked(&probe::DISCOVER)
        .chain(view.asked(&probe::INITIALIZE))
        .filter(|exchange| exchange.head.is_some())
        .last();
    let Some(exchange) = first else {
        return match failures(view).next() {
            Some((stage, message)) => Reach::Unreachable(
                match stage {
                    Stage::Tls => "tls",
                    Stage::Read | Stage::Send => "silent",
                    _ => "refused",
                },
                format!("failed to {}: {message}", stage_words(stage)),
            ),
            None => Reach::Unreachable("silent", "no HTTP answer came in time".to_owned()),
        };
    };
    let heads = || {
        view.exchanges()
            .iter()
            .filter_map(|exchange| exchange.head.map(|head| (exchange, head)))
    };
    let answers: Vec<_> = view
        .exchanges()
        .iter()
        .filter(|e| e.is_answered())
        .collect();
    if let Some((exchange, head)) = heads().find(|(exchange, head)| {
        exchange
            .probe()
            .is_some_and(|probe| probe.method().is_some())
            && (head.status == 401
                || (head.status == 403 && head.header("www-authenticate").is_some()))
    }) {
        let challenge = head.header("www-authenticate").map_or_else(
            || "without a challenge".to_owned(),
            |text| format!("with the challenge {text}"),
        );
        let method = exchange
            .probe()
            .and_then(probe::Probe::method)
            .unwrap_or("a request");
        return Reach::AuthRequired(format!(
            "{method} was refused with HTTP {} {challenge}",
            head.status
        ));
    }
    let broke_off =
        |exchange: &Exchange<'_>| matches!(exchange.reply, Reply::Transport(_) | Reply::Silence(_));
    if view.exchanges().iter().all(broke_off) {
        return Reach::Unreachable("server-error", super::describe(view, exchange));
    }
    let status = exchange.head.map_or(0, |head| head.status);
    let last_words = || super::describe(view, exchange);
    match status {
        // Also with a JSON-RPC body, if nothing at all was let in.
        403 | 421
            if heads()
                .filter(|(exchange, _)| exchange.probe().is_some_and(|p| p.method().is_some()))
                .all(|(_, head)| matches!(head.status, 403 | 421)) =>
        {
            Reach::Unreachable("host-refused", last_words())
        }
        301..=308 => Reach::Unreachable(
            "redirect",
            format!(
                "HTTP {status} to {}",
                exchange
                    .head
                    .and_then(|head| head.header("location"))
                    .unwrap_or("nowhere")
            ),
        ),
        429 => Reach::Unreachable("rate-limited", last_words()),
        500..=599
            if heads().all(|(_, head)| {
                head.status >= 500 || head.status == 404 || head.status == 405
            }) && answers.is_empty() =>
        {
            Reach::Unreachable("server-error", last_words())
        }
        _ if answers.is_empty() => Reach::NotMcp(last_words()),
        _ => only_errors(view, &answers),
    }
}
