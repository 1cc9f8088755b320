//! A command that shows a finding again: `curl` for HTTP, a pipe for stdio.

use crate::transcript::view::{Exchange, View};
use crate::transcript::{Event, TransportKind};
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
            let mut line = format!("curl -sS -i -X {} {}", head.method, shell(&head.url));
            for (name, value) in &head.headers {
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
                "(printf '%s\\n' {}; sleep 3) | {}",
                shell(body),
                command::join(argv)
            ))
        }
        (TransportKind::Http, None) => None,
    }
}

/// A word that a POSIX shell takes literally.
fn shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
