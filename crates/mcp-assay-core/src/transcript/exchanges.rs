//! Which answer belongs to which question.

use std::collections::HashMap;

use serde_json::Value;

use super::view::{Exchange, Head, Reply};
use super::{Entry, Event, Key};
use crate::wire::json::{Document, Unreadable};
use crate::wire::message::{self, Message};

/// The JSON of each entry, where it has some.
type Documents = [Option<Result<Document, Unreadable>>];

fn parsed(documents: &Documents, at: usize) -> Option<&Value> {
    match documents.get(at)? {
        Some(Ok(document)) => Some(&document.value),
        _ => None,
    }
}

fn number(at: usize) -> u32 {
    // A transcript is bounded far below four billion entries.
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn acknowledges(message: &Message<'_>, id: &Value) -> bool {
    use crate::protocol::{meta, method};
    matches!(message, Message::Notification { method, params: Some(params) }
        if *method == method::ACKNOWLEDGED
            && params.get("_meta").and_then(|m| m.get(meta::SUBSCRIPTION_ID)) == Some(id))
}

pub(super) fn stdio<'t>(entries: &'t [Entry], documents: &Documents) -> Vec<Exchange<'t>> {
    let mut exchanges: Vec<Exchange<'t>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        match &entry.event {
            Event::Sent { .. } | Event::Skipped(_) => {
                let Some(key) = &entry.key else { continue };
                let id = parsed(documents, at).and_then(|message| message.get("id"));
                let reply = match &entry.event {
                    Event::Skipped(gap) => Reply::NotSent(gap.clone()),
                    _ if id.is_none() => Reply::Unanswerable,
                    _ => Reply::Open,
                };
                if reply == Reply::Open {
                    open.push(exchanges.len());
                }
                exchanges.push(Exchange {
                    key,
                    conn: entry.conn,
                    sent: number(at),
                    head: None,
                    reply,
                    during: Vec::new(),
                });
            }
            // The answer of any open question may be in what was not kept.
            Event::Received { data, .. } if data.is_cut() => {
                end_all(
                    &mut exchanges,
                    &mut open,
                    entry.conn,
                    &Reply::Cut(number(at)),
                );
            }
            Event::Bound(_) => {
                end_all(
                    &mut exchanges,
                    &mut open,
                    entry.conn,
                    &Reply::Cut(number(at)),
                );
            }
            Event::Received { .. } => {
                let here: Vec<usize> = open
                    .iter()
                    .copied()
                    .filter(|index| exchanges[*index].conn == entry.conn)
                    .collect();
                match answered(documents, &exchanges, &here, at) {
                    Some((index, reply)) => {
                        exchanges[index].reply = reply;
                        open.retain(|known| *known != index);
                    }
                    None => {
                        for index in here {
                            exchanges[index].during.push(number(at));
                        }
                    }
                }
            }
            Event::TimedOut(_) => open.retain(|index| {
                let exchange = &mut exchanges[*index];
                let ends = exchange.conn == entry.conn && entry.key.as_ref() == Some(exchange.key);
                if ends {
                    exchange.reply = Reply::Silence(number(at));
                }
                !ends
            }),
            Event::Eof | Event::Exited(_) | Event::Failed { .. } | Event::Stopped(_) => {
                open.retain(|index| {
                    let exchange = &mut exchanges[*index];
                    let ends = exchange.conn == entry.conn
                        && entry.key.as_ref().is_none_or(|key| key == exchange.key);
                    if ends {
                        exchange.reply = Reply::Transport(number(at));
                    }
                    !ends
                });
            }
            _ => {}
        }
    }
    // An exit says more than the end of stdout that came with it.
    for exchange in &mut exchanges {
        if let Reply::Transport(at) = exchange.reply {
            let exit = entries
                .iter()
                .enumerate()
                .skip(at as usize)
                .find(|(_, entry)| {
                    entry.conn == exchange.conn && matches!(entry.event, Event::Exited(_))
                });
            if let Some((at, _)) = exit {
                exchange.reply = Reply::Transport(number(at));
            }
        }
    }
    exchanges
}

/// Ends all open exchanges of a connection in one way.
fn end_all(exchanges: &mut [Exchange<'_>], open: &mut Vec<usize>, conn: u32, reply: &Reply) {
    open.retain(|index| {
        let exchange = &mut exchanges[*index];
        let ends = exchange.conn == conn;
        if ends {
            exchange.reply = reply.clone();
        }
        !ends
    });
}

/// Which of the open exchanges a received line answers.
fn answered(
    documents: &Documents,
    exchanges: &[Exchange<'_>],
    open: &[usize],
    at: usize,
) -> Option<(usize, Reply)> {
    let message = message::classify(parsed(documents, at)?);
    let id_of = |index: usize| {
        parsed(documents, exchanges[index].sent as usize).and_then(|sent| sent.get("id"))
    };
    let with_id = |id: &Value| open.iter().copied().find(|index| id_of(*index) == Some(id));
    match message {
        Message::Success { id: Some(id), .. } => {
            // Without `"jsonrpc": "2.0"` it is no response that a client would take.
            let sound = parsed(documents, at).is_some_and(message::version_member_ok);
            with_id(id).map(|index| {
                let reply = if sound { Reply::Result } else { Reply::Other };
                (index, reply(number(at)))
            })
        }
        Message::Failure { id: Some(id), .. } => with_id(id).map(|index| {
            let reply = Reply::Error {
                entry: number(at),
                own_id: true,
            };
            (index, reply)
        }),
        // An error without an id can only belong to a request if there is just one it could be.
        Message::Failure { id: None, .. } if open.len() == 1 => {
            let reply = Reply::Error {
                entry: number(at),
                own_id: false,
            };
            Some((open[0], reply))
        }
        Message::Notification { .. } => open
            .iter()
            .copied()
            .find(|index| id_of(*index).is_some_and(|id| acknowledges(&message, id)))
            .map(|index| (index, Reply::Acknowledged(number(at)))),
        _ => None,
    }
}

pub(super) fn http<'t>(entries: &'t [Entry], documents: &Documents) -> Vec<Exchange<'t>> {
    let mut exchanges: Vec<Exchange<'t>> = Vec::new();
    let mut current: HashMap<(u32, &'t Key), usize> = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let Some(key) = &entry.key else { continue };
        if let Event::Sent { .. } | Event::Skipped(_) = &entry.event {
            let reply = match &entry.event {
                Event::Skipped(gap) => Reply::NotSent(gap.clone()),
                _ => Reply::Open,
            };
            current.insert((entry.conn, key), exchanges.len());
            exchanges.push(Exchange {
                key,
                conn: entry.conn,
                sent: number(at),
                head: None,
                reply,
                during: Vec::new(),
            });
            continue;
        }
        let Some(index) = current.get(&(entry.conn, key)).copied() else {
            // A failure before anything was sent, such as a refused connection.
            if let Event::Failed { .. } = entry.event {
                exchanges.push(Exchange {
                    key,
                    conn: entry.conn,
                    sent: number(at),
                    head: None,
                    reply: Reply::Transport(number(at)),
                    during: Vec::new(),
                });
            }
            continue;
        };
        let exchange = &mut exchanges[index];
        match &entry.event {
            Event::Head { status, headers } => {
                exchange.head = Some(Head {
                    entry: number(at),
                    status: *status,
                    headers,
                });
            }
            Event::Received { data, .. } if data.is_cut() && exchange.reply == Reply::Open => {
                exchange.reply = Reply::Cut(number(at));
            }
            Event::Received { data, .. } if data.is_cut() => {}
            Event::Received { .. } => http_received(exchange, documents, at),
            Event::TimedOut(_) if exchange.reply == Reply::Open => {
                exchange.reply = match exchange.head {
                    // A raw request asks for a head only.
                    Some(head)
                        if exchange
                            .probe()
                            .is_some_and(|probe| probe.method().is_none()) =>
                    {
                        Reply::Other(head.entry)
                    }
                    _ => Reply::Silence(number(at)),
                };
            }
            Event::Failed { .. } if exchange.reply == Reply::Open => {
                exchange.reply = Reply::Transport(number(at));
            }
            Event::Bound(_) if exchange.reply == Reply::Open => {
                exchange.reply = Reply::Cut(number(at));
            }
            Event::Eof if exchange.reply == Reply::Open => {
                exchange.reply = exchange.head.map_or(Reply::Transport(number(at)), |head| {
                    Reply::Other(head.entry)
                });
            }
            _ => {}
        }
    }
    // A question for a head only ends with it.
    for exchange in &mut exchanges {
        if let (Reply::Open, Some(head)) = (&exchange.reply, exchange.head) {
            exchange.reply = Reply::Other(head.entry);
        }
    }
    exchanges
}

fn http_received(exchange: &mut Exchange<'_>, documents: &Documents, at: usize) {
    let request_id =
        parsed(documents, exchange.sent as usize).and_then(|message| message.get("id"));
    let unsettled = matches!(exchange.reply, Reply::Open | Reply::Other(_));
    let message = parsed(documents, at).map(message::classify);
    let reply = match message {
        Some(Message::Success { id, .. })
            if id.is_some()
                && id == request_id
                && exchange.head.is_some_and(|head| head.carries_results())
                && parsed(documents, at).is_some_and(message::version_member_ok) =>
        {
            Some(Reply::Result(number(at)))
        }
        Some(Message::Failure { id, .. }) => Some(Reply::Error {
            entry: number(at),
            own_id: id.is_some() && id == request_id,
        }),
        Some(ref message @ Message::Notification { .. })
            if request_id.is_some_and(|id| acknowledges(message, id)) =>
        {
            Some(Reply::Acknowledged(number(at)))
        }
        Some(Message::Notification { .. } | Message::Request { .. }) => None,
        _ => Some(Reply::Other(number(at))),
    };
    match reply {
        Some(reply) if unsettled => exchange.reply = reply,
        _ => exchange.during.push(number(at)),
    }
}
