//! A command that shows a finding again: `curl` for HTTP, a pipe for stdio.

use crate::transcript::view::{Exchange, View};
use crate::transcript::{Entry, Event, TransportKind};
use crate::wire::command;

/// The command, or none where a single message does not show it again.
pub(super) fn reproduce(view: &View<'_>, exchange: &Exchange<'_>) -> Option<String> {
    let Event::Sent { head, data } = &view.entry(exchange.sent)?.event else {
        return None;
    };
    if data.is_cut() {
        return None;
    }
    let body = std::str::from_utf8(&data.bytes).ok()?;
    match (view.transport(), head) {
        (TransportKind::Http, Some(head)) => {
            // A stream would never end by itself.
            let bound = if head.method == "GET" { " -m 5" } else { "" };
            let mut line = format!("curl -sS -i{bound} -X {} {}", head.method, shell(&head.url));
            // curl computes these two; a placeholder in the body would make the length wrong.
            let own = |name: &str| {
                !["host", "content-length"].contains(&name.to_ascii_lowercase().as_str())
            };
            for (name, value) in head.headers.iter().filter(|(name, _)| own(name)) {
                line.push_str(&format!(" -H {}", shell(&format!("{name}: {value}"))));
            }
            if !body.is_empty() {
                line.push_str(&format!(" --data-binary {}", shell(body)));
            }
            Some(line)
        }
        (TransportKind::Stdio, _) => {
            let argv = view.entries().iter().find_map(|entry| match &entry.event {
                Event::Opened(argv) if entry.conn == exchange.conn => Some(argv),
                _ => None,
            })?;
            // The pipe stays open for a moment: many servers drop what they owe at end of input.
            Some(format!(
                "(printf '%s\\n' {}; sleep {}) | {}",
                shell(body),
                patience(view, exchange),
                command::join(argv)
            ))
        }
        (TransportKind::Http, None) => None,
    }
}

/// Whole seconds that the server needed from its start to this answer, and some more.
fn patience(view: &View<'_>, exchange: &Exchange<'_>) -> u64 {
    const LEAST: u64 = 3;
    let moment = |entry: Option<&Entry>| entry.map(|entry| entry.at);
    let opened = view
        .entries()
        .iter()
        .find(|entry| entry.conn == exchange.conn && matches!(entry.event, Event::Opened(_)));
    let answered = exchange
        .proof()
        .entries()
        .last()
        .and_then(|at| view.entry(at));
    match (moment(opened), moment(answered)) {
        (Some(from), Some(to)) => to.saturating_sub(from).as_secs() + LEAST,
        _ => LEAST,
    }
}

/// A word that a POSIX shell takes literally.
fn shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
