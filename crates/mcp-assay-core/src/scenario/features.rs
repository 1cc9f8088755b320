//! What a proven modern server is asked: its lists, its call path, what was removed, what changed.

use serde_json::{Map, Value, json};

use super::asker::{Asker, Question};
use crate::facts::{self, DiscoverResult};
use crate::probe::{self, Aim, LISTS, Probe};
use crate::protocol::{code, method};
use crate::transcript::view::{Exchange, Reply, View};
use crate::transcript::{Gap, TransportKind};

/// The attempt of the question at the end.
pub const LAST_ATTEMPT: u16 = 99;

/// Listings of the tools before anything is said about their order.
const LISTINGS: u16 = 3;

/// Asks everything that a modern server can be asked without a token, a tool call or side effects.
pub(super) async fn ask(asker: &mut Asker<'_>) {
    let declared = asker.with_view(Declared::read);
    asker.ask_all(opening(asker, &declared)).await;
    pages(asker).await;
    let items = asker.with_view(Items::read);
    asker.ask_all(reads(asker, &declared, &items)).await;
    let controls = asker.with_view(controls);
    asker.ask_all(controls).await;
    let doubts = asker.with_view(doubts);
    asker.ask_all(doubts).await;
    let last = asker.with_view(at_the_end);
    asker.ask_all(last).await;
}

/// The first question that was answered, once more at the end: a server that stopped answering on
/// the way was not measured, however many of its lists had come.
///
/// A discover that was not answered is asked again before: it may have come too early, while the server
/// was still warming up.
fn at_the_end(view: &View<'_>) -> Vec<Question> {
    let unanswered = !view
        .asked(&probe::DISCOVER)
        .any(|exchange| matches!(exchange.reply, Reply::Result(_)));
    let again = Question::new(&probe::DISCOVER).attempt(LAST_ATTEMPT - 1);
    let last = [&probe::DISCOVER]
        .into_iter()
        .chain(LISTS)
        .find(|probe| {
            view.asked(probe)
                .any(|exchange| matches!(exchange.reply, Reply::Result(_)))
        })
        .map(|probe| Question::new(probe).attempt(LAST_ATTEMPT));
    unanswered
        .then_some(again)
        .into_iter()
        .chain(last)
        .collect()
}

/// Which features the server declared.
struct Declared {
    lists: [Option<bool>; 4],
    filter: Map<String, Value>,
    subscribe: bool,
}

impl Declared {
    fn read(view: &View<'_>) -> Self {
        let Some(found) = facts::discover_result(view).filter(DiscoverResult::is_well_formed)
        else {
            // Nothing is known, so everything is asked; the answers tell.
            return Self {
                lists: [None; 4],
                filter: Map::new(),
                subscribe: false,
            };
        };
        let has = |name: &str| Some(facts::capability(&found, &[name]).is_some());
        let mut filter = Map::new();
        for (feature, field) in [
            ("tools", "toolsListChanged"),
            ("prompts", "promptsListChanged"),
            ("resources", "resourcesListChanged"),
        ] {
            if facts::is_flag(&found, &[feature, "listChanged"]) {
                filter.insert(field.to_owned(), json!(true));
            }
        }
        Self {
            lists: [
                has("tools"),
                has("prompts"),
                has("resources"),
                has("resources"),
            ],
            subscribe: facts::is_flag(&found, &["resources", "subscribe"]),
            filter,
        }
    }

    fn offers(&self, list: usize) -> bool {
        self.lists[list] != Some(false)
    }
}

fn not_declared(what: &str) -> Gap {
    Gap::NotOffered(format!("the server does not declare {what}").into())
}

const FEATURES: [&str; 4] = ["tools", "prompts", "resources", "resources"];

fn opening(asker: &Asker<'_>, declared: &Declared) -> Vec<Question> {
    let mut questions = Vec::new();
    let asked =
        asker.with_view(|view| LISTS.map(|list| view.asked(list).any(|e| e.key.attempt == 0)));
    for (at, list) in LISTS.into_iter().enumerate() {
        let question = Question::new(list);
        if asked[at] {
            continue;
        }
        if declared.offers(at) {
            questions.push(question);
        } else {
            asker.skip(&question, not_declared(FEATURES[at]));
        }
    }
    if declared.offers(0) {
        questions.extend((1..LISTINGS).map(|n| Question::new(&probe::TOOLS_LIST).attempt(n)));
        questions.push(Question::new(&probe::CALL_UNKNOWN));
    } else {
        asker.skip(&Question::new(&probe::CALL_UNKNOWN), not_declared("tools"));
    }
    if declared.offers(2) {
        questions.push(Question::new(&probe::READ_UNKNOWN));
    } else {
        asker.skip(
            &Question::new(&probe::READ_UNKNOWN),
            not_declared("resources"),
        );
    }
    questions.push(Question::new(&probe::UNKNOWN_VERSION));
    if asker.transport() == TransportKind::Http {
        questions.extend(
            [
                &probe::METHOD_MISMATCH,
                &probe::SESSION_SENT,
                &probe::GET,
                &probe::DELETE,
            ]
            .map(Question::new),
        );
    }
    let removed: [&'static Probe; 6] = [
        &probe::PING,
        &probe::SET_LEVEL,
        &probe::SUBSCRIBE,
        &probe::UNSUBSCRIBE,
        &probe::TASKS_LIST,
        &probe::TASKS_RESULT,
    ];
    questions.extend(removed.map(Question::new));
    questions
}

/// Follows every list to its end; a cursor that comes again, or the page limit, ends it.
async fn pages(asker: &mut Asker<'_>) {
    let limit = asker.run.settings.limits.pages;
    let mut seen: [Vec<String>; 4] = Default::default();
    for page in 1..limit {
        let mut next = Vec::new();
        let cursors = asker.with_view(|view| LISTS.map(|list| cursor(view, list, page - 1)));
        for (at, (list, cursor)) in LISTS.into_iter().zip(cursors).enumerate() {
            if let Some(cursor) = cursor
                && !seen[at].contains(&cursor)
            {
                seen[at].push(cursor.clone());
                next.push(Question::new(list).page(page).aim(Aim::Cursor(cursor)));
            }
        }
        if next.is_empty() || asker.run.clock.is_over() {
            return;
        }
        asker.ask_all(next).await;
    }
}

fn cursor(view: &View<'_>, list: &'static Probe, page: u16) -> Option<String> {
    let exchange = view
        .asked(list)
        .find(|exchange| exchange.key.attempt == 0 && exchange.key.page == page)?;
    let cursor = view.result(exchange)?.get("nextCursor")?.as_str()?;
    Some(cursor.to_owned())
}

/// The first resource and the simplest prompt that the server lists.
struct Items {
    uri: Option<String>,
    prompt: Option<(String, Vec<String>)>,
}

impl Items {
    fn read(view: &View<'_>) -> Self {
        let first = |list: &'static Probe, key: &str| -> Vec<Value> {
            view.asked(list)
                .filter(|exchange| exchange.key.attempt == 0)
                .filter_map(|exchange| view.result(exchange)?.get(key)?.as_array().cloned())
                .next()
                .unwrap_or_default()
        };
        let uri = first(&probe::RESOURCES_LIST, "resources")
            .iter()
            .find_map(|item| item.get("uri")?.as_str().map(str::to_owned));
        let prompt = first(&probe::PROMPTS_LIST, "prompts")
            .iter()
            .filter_map(|item| {
                let name = item.get("name")?.as_str()?.to_owned();
                let required = item
                    .get("arguments")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter(|argument| argument.get("required") == Some(&Value::Bool(true)))
                    .filter_map(|argument| argument.get("name")?.as_str().map(str::to_owned))
                    .collect::<Vec<_>>();
                Some((name, required))
            })
            .min_by_key(|(_, required)| required.len());
        Self { uri, prompt }
    }
}

fn reads(asker: &Asker<'_>, declared: &Declared, items: &Items) -> Vec<Question> {
    let mut questions = Vec::new();
    let mut plan = |question: Question, target: Option<Aim>, what: &str| {
        let gap = if asker.run.settings.no_read {
            Gap::Skipped("left out by --no-read".into())
        } else if let Some(aim) = target {
            questions.push(question.aim(aim));
            return;
        } else {
            Gap::NotOffered(format!("the server lists no {what}").into())
        };
        asker.skip(&question, gap);
    };
    plan(
        Question::new(&probe::READ),
        items.uri.clone().map(Aim::Uri),
        "resource",
    );
    plan(
        Question::new(&probe::PROMPT_GET),
        items
            .prompt
            .clone()
            .map(|(name, args)| Aim::Prompt(name, args)),
        "prompt",
    );
    let mut filter = declared.filter.clone();
    if let (true, Some(uri)) = (declared.subscribe, &items.uri) {
        filter.insert("resourceSubscriptions".to_owned(), json!([uri]));
    }
    let listen = Question::new(&probe::LISTEN);
    if filter.is_empty() {
        let gap = if declared.subscribe {
            Gap::NotOffered("the server lists no resource to subscribe to".into())
        } else {
            not_declared("change notifications")
        };
        asker.skip(&listen, gap);
    } else {
        questions.push(listen.aim(Aim::Filter(Value::Object(filter))));
    }
    questions
}

/// Requests that were refused are asked again without the thing that may have been refused.
fn controls(view: &View<'_>) -> Vec<Question> {
    let http = view.transport() == TransportKind::Http;
    let pairs = facts::META_PAIRS
        .iter()
        .chain(facts::HEADER_PAIRS.iter().filter(|_| http));
    pairs
        .filter_map(|(with, control)| {
            let refused = view
                .asked(with)
                .find(|exchange| is_unexplained(view, exchange))?;
            Some(Question::new(control).aim(same_aim(view, refused)))
        })
        .collect()
}

/// Requests that were refused while their control was served, asked once more: A, B, A.
fn doubts(view: &View<'_>) -> Vec<Question> {
    let mut again: Vec<Question> = Vec::new();
    for pair in facts::META_PAIRS.iter().chain(&facts::HEADER_PAIRS) {
        let Some((refused, _)) = facts::refused_pair(view, &[*pair]) else {
            continue;
        };
        if !again.iter().any(|known| std::ptr::eq(known.probe, pair.0)) {
            let question = Question::new(pair.0).attempt(LAST_ATTEMPT - 2);
            again.push(question.aim(same_aim(view, refused)));
        }
    }
    again
}

/// What a request was aimed at, read back from it.
fn same_aim(view: &View<'_>, exchange: &Exchange<'_>) -> Aim {
    let params = view
        .request(exchange)
        .and_then(|request| request.get("params"));
    let text = |key: &str| {
        params
            .and_then(|params| params.get(key))
            .and_then(Value::as_str)
    };
    match exchange.probe().and_then(Probe::method) {
        Some(method::RESOURCES_READ) => {
            text("uri").map_or(Aim::Nothing, |uri| Aim::Uri(uri.to_owned()))
        }
        Some(method::PROMPTS_GET) => text("name").map_or(Aim::Nothing, |name| {
            let arguments = params
                .and_then(|params| params.get("arguments"))
                .and_then(Value::as_object)
                .map(|arguments| arguments.keys().cloned().collect())
                .unwrap_or_default();
            Aim::Prompt(name.to_owned(), arguments)
        }),
        _ => Aim::Nothing,
    }
}

fn is_unexplained(view: &View<'_>, exchange: &Exchange<'_>) -> bool {
    match exchange.reply {
        // A tool that does not exist deserves its refusal.
        Reply::Error { .. } => match view.error_code(exchange) {
            Some(code::UNSUPPORTED_VERSION) => false,
            Some(code::INVALID_PARAMS | code::METHOD_NOT_FOUND) => {
                exchange.probe().and_then(Probe::method) != Some(method::TOOLS_CALL)
            }
            _ => true,
        },
        Reply::Silence(_) => true,
        _ => exchange.is_turned_away(),
    }
}
