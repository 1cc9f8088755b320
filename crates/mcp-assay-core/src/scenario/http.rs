//! The opening sequence over Streamable HTTP.

use std::time::Duration;

use super::asker::{Asker, Question};
use super::stdio::{legacy_list, offered_modern, wants_controls};
use super::{BARE, Clock, Eras, LEGACY, MODERN, Run, Settings, auth, features, look};
use crate::facts;
use crate::probe;
use crate::protocol::{code, header};
use crate::transcript::view::{Exchange, View};
use crate::transcript::{Entry, Event, Gap, Log, Recorder, Stage, TransportKind};
use crate::transport::http::{Answer, Client};
use crate::transport::{Arrival, Endpoint};

/// The longest wait that a `Retry-After` may ask of us.
const LONGEST_RETRY: Duration = Duration::from_secs(20);

/// The wait for the first event of the 2024-11-05 transport.
const ENDPOINT_EVENT: Duration = Duration::from_secs(2);

const KIND: TransportKind = TransportKind::Http;

mod conn {
    pub(super) const MODERN: u32 = 1;
    pub(super) const LEGACY: u32 = 2;
    pub(super) const BARE: u32 = 3;
    pub(super) const METADATA: u32 = 4;
}

/// Asks a server over HTTP. Every wait is bounded by the settings' limits.
pub async fn run(
    endpoint: &Endpoint,
    client: Client,
    settings: &Settings,
    recorder: &Recorder,
) -> Vec<Entry> {
    let run = Run {
        settings,
        recorder,
        clock: Clock::new(settings.limits.deadline),
    };
    let mut side = Side {
        run: &run,
        endpoint,
        client,
    };
    let logs = side.all().await;
    logs.into_iter().flat_map(|log| log.snapshot()).collect()
}

struct Side<'a> {
    run: &'a Run<'a>,
    endpoint: &'a Endpoint,
    client: Client,
}

impl<'a> Side<'a> {
    async fn all(&mut self) -> Vec<Log> {
        let mut modern = self.asker(MODERN, conn::MODERN);
        if self.run.settings.eras == Eras::Legacy {
            let gap = Gap::Skipped("only legacy requests were asked for".into());
            modern.skip(&Question::new(&probe::DISCOVER), gap);
        } else {
            let answer = self.open(&mut modern).await;
            if is_wall(&modern, &answer) {
                return self.wall(modern, &answer).await;
            }
        }
        let auto = self.run.settings.eras != Eras::Modern;
        let (modern, legacy) = tokio::join!(self.modern_side(modern), async {
            match auto {
                true => Some(self.legacy_side().await),
                false => None,
            }
        });
        let mut logs = modern;
        logs.extend(legacy);
        if look(KIND, &logs, wants_old_transport) {
            let mut asker = self.asker(MODERN, conn::MODERN);
            asker
                .ask(Question::new(&probe::GET).attempt(1), ENDPOINT_EVENT)
                .await;
            logs.push(asker.log);
        }
        if !self.run.settings.no_metadata && look(KIND, &logs, facts_name_credentials) {
            logs.push(self.metadata(&logs).await);
        }
        logs
    }

    fn asker(&self, scenario: &'static str, conn: u32) -> Asker<'a> {
        Asker::client(
            self.run,
            self.client.sibling(),
            self.endpoint.concurrency,
            scenario,
            conn,
        )
    }

    /// `server/discover`; one same-origin redirect is followed, one overload waited for.
    async fn open(&mut self, asker: &mut Asker<'a>) -> Answer {
        let limit = self.run.settings.limits.request;
        let mut attempt = 0;
        let mut answer = asker.ask(Question::new(&probe::DISCOVER), limit).await;
        let moved = self
            .redirected(&answer)
            .and_then(|url| self.client.with_url(url));
        if let Some(client) = moved {
            self.client = client;
            asker.retarget(self.client.sibling());
            attempt += 1;
            answer = asker
                .ask(Question::new(&probe::DISCOVER).attempt(attempt), limit)
                .await;
        }
        if matches!(answer.status, Some(429 | 503)) {
            tokio::time::sleep(self.run.clock.at_most(retry_after(&answer))).await;
            attempt += 1;
            answer = asker
                .ask(Question::new(&probe::DISCOVER).attempt(attempt), limit)
                .await;
        }
        let offered = asker.with_view(offered_modern);
        if let Some(version) = offered {
            attempt += 1;
            let question = Question::new(&probe::DISCOVER)
                .attempt(attempt)
                .version(&version);
            asker.ask(question, limit).await;
        }
        answer
    }

    fn redirected(&self, answer: &Answer) -> Option<url::Url> {
        if !matches!(answer.status, Some(307 | 308)) {
            return None;
        }
        let location = find(&answer.headers, "location")?;
        let target = self.endpoint.url.join(location).ok()?;
        (target.origin() == self.endpoint.url.origin()).then_some(target)
    }

    /// Nothing more can be asked. Where credentials are wanted, the metadata is read.
    async fn wall(&self, asker: Asker<'_>, answer: &Answer) -> Vec<Log> {
        let mut logs = vec![end_sessions(asker).await];
        if answer.arrival == Arrival::Answered
            && !self.run.settings.no_metadata
            && look(KIND, &logs, facts_name_credentials)
        {
            logs.push(self.metadata(&logs).await);
        }
        logs
    }

    async fn metadata(&self, logs: &[Log]) -> Log {
        let log = self.run.recorder.log(conn::METADATA);
        let challenge = look(KIND, logs, auth::named_metadata);
        auth::read(self.run, &self.client, &self.endpoint.url, challenge, &log).await;
        log
    }

    async fn modern_side(&self, mut asker: Asker<'_>) -> Vec<Log> {
        let limit = self.run.settings.limits.request;
        if self.run.settings.eras == Eras::Legacy {
            return vec![asker.close().await];
        }
        let discovered = asker.with_view(|view| facts::modern_proof(view).is_some());
        let other_version = asker.with_view(|view| facts::refused_version(view).is_some());
        if !discovered && !other_version {
            asker.ask(Question::new(&probe::TOOLS_LIST), limit).await;
        }
        if asker.with_view(|view| facts::modern_proof(view).is_some()) {
            features::ask(&mut asker).await;
        }
        let mut logs = vec![end_sessions(asker).await];
        let answered = look(KIND, &logs, |view| {
            view.exchanges()
                .iter()
                .any(|exchange| exchange.head.is_some())
        });
        if answered && look(KIND, &logs, wants_controls) {
            logs.push(self.controls(&logs).await);
        }
        logs
    }

    /// Without modern service: what was refused, the handshake, `_meta`, a header or the version?
    async fn controls(&self, logs: &[Log]) -> Log {
        let limit = self.run.settings.limits.request;
        let mut asker = self.asker(BARE, conn::BARE);
        asker
            .ask(Question::new(&probe::LEGACY_TOOLS_LIST), limit)
            .await;
        let refused = look(KIND, logs, |view| {
            view.asked(&probe::DISCOVER).any(|exchange| {
                let code = view.error_code(exchange);
                code.is_some_and(|code| code != code::METHOD_NOT_FOUND)
                    || (code.is_none() && exchange.head.is_some_and(|head| head.status == 400))
            })
        });
        if refused {
            for control in [&probe::DISCOVER_NO_META, &probe::DISCOVER_NO_ROUTING] {
                asker.ask(Question::new(control), limit).await;
            }
        }
        end_sessions(asker).await
    }

    async fn legacy_side(&self) -> Log {
        let limits = &self.run.settings.limits;
        let mut asker = self.asker(LEGACY, conn::LEGACY);
        let answer = asker
            .ask(Question::new(&probe::INITIALIZE), limits.request)
            .await;
        asker.session = find(&answer.headers, header::SESSION_ID).map(str::to_owned);
        let found = asker.with_view(|view| {
            let negotiated = facts::legacy_negotiated(view).map(|(version, _)| version.to_owned());
            (negotiated, legacy_list(view))
        });
        if let (Some(version), list) = found {
            asker.legacy_version = version;
            asker
                .ask(Question::new(&probe::INITIALIZED), limits.request)
                .await;
            if let Some(list) = list {
                asker.ask(Question::new(list), limits.request).await;
            }
        }
        end_sessions(asker).await
    }
}

/// Every legacy session that turned up is deleted: on a server, a session is memory.
async fn end_sessions(mut asker: Asker<'_>) -> Log {
    /// More than a run of ours can open on a sane server.
    const MOST: usize = 20;
    let limit = asker.run.settings.limits.request;
    let mut sessions: Vec<String> = Vec::new();
    for id in asker.session.take().into_iter().chain(asker.minted()) {
        if !sessions.contains(&id) {
            sessions.push(id);
        }
    }
    for (at, id) in sessions.into_iter().take(MOST).enumerate() {
        asker.session = Some(id);
        asker
            .ask(Question::new(&probe::END_SESSION).item(at), limit)
            .await;
    }
    asker.close().await
}

fn find<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

fn retry_after(answer: &Answer) -> Duration {
    find(&answer.headers, "retry-after")
        .and_then(|value| value.trim().parse().ok())
        .map_or(Duration::from_secs(1), Duration::from_secs)
        .min(LONGEST_RETRY)
}

/// The answer leaves nothing more to ask: credentials, another host, another place, an overload.
fn is_wall(asker: &Asker<'_>, answer: &Answer) -> bool {
    let rpc = asker.with_view(|view| view.exchanges().iter().any(Exchange::is_answered));
    match answer.status {
        // Nobody there. Silence, or an answer that broke off, may concern this one question.
        None => asker.with_view(|view| {
            view.entries().iter().any(|entry| {
                matches!(
                    entry.event,
                    Event::Failed {
                        stage: Stage::Resolve | Stage::Connect | Stage::Tls,
                        ..
                    }
                )
            })
        }),
        Some(401) => true,
        Some(403) => !rpc || find(&answer.headers, "www-authenticate").is_some(),
        Some(421 | 429 | 503) => !rpc,
        Some(300..=399) => true,
        _ => false,
    }
}

fn facts_name_credentials(view: &View<'_>) -> bool {
    view.exchanges()
        .iter()
        .filter_map(|exchange| exchange.head)
        .any(|head| head.header("www-authenticate").is_some() || head.status == 401)
}

/// As the specification's fallback says: the POST failed with 400, 404 or 405, and no modern error.
fn wants_old_transport(view: &View<'_>) -> bool {
    let failed = |exchange: &Exchange<'_>| {
        exchange
            .head
            .is_some_and(|head| matches!(head.status, 400 | 404 | 405))
    };
    facts::modern_proof(view).is_none()
        && facts::refused_version(view).is_none()
        && facts::legacy_negotiated(view).is_none()
        && view.asked(&probe::INITIALIZE).any(failed)
}

impl Asker<'_> {
    /// Session ids on any answer of this side, as they were received.
    fn minted(&self) -> Vec<String> {
        self.log
            .snapshot()
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Head { headers, .. } => find(headers, header::SESSION_ID).map(str::to_owned),
                _ => None,
            })
            .collect()
    }
}
