//! The opening sequence over stdio: a process per era, side by side.

use std::time::Duration;

use super::asker::{Asker, Question};
use super::{
    BARE, Clock, Eras, FIRST, LEGACY, LEGACY_OLDER, MODERN, Run, Settings, features, look,
};
use crate::facts;
use crate::probe::{self, LISTS, Probe};
use crate::protocol::{LEGACY_REVISIONS, code, is_modern_revision};
use crate::transcript::view::{Exchange, Reply, View};
use crate::transcript::{Entry, Event, Gap, Log, Recorder, Stage, TransportKind};
use crate::transport::{Arrival, Launch};

/// After this much silence the next question is asked beside the first.
const PATIENCE: Duration = Duration::from_secs(3);

/// Least wait for the second question once the server has shown that it is awake.
const AWAKE: Duration = Duration::from_secs(2);

const KIND: TransportKind = TransportKind::Stdio;

/// Connections in the order of the plan: one process each.
mod conn {
    pub(super) const MODERN: u32 = 1;
    pub(super) const LEGACY: u32 = 2;
    pub(super) const RESPAWNED: u32 = 3;
    pub(super) const BARE: u32 = 4;
    pub(super) const FIRST: u32 = 5;
    pub(super) const LEGACY_ALONE: u32 = 6;
    pub(super) const MODERN_ALONE: u32 = 7;
    pub(super) const OLDER: u32 = 8;
}

/// Asks a server that we start ourselves. Every wait is bounded by the settings' limits, and no
/// process is left when it returns.
pub async fn run(launch: &Launch, settings: &Settings, recorder: &Recorder) -> Vec<Entry> {
    let run = Run {
        settings,
        recorder,
        clock: Clock::new(settings.limits.deadline),
    };
    let (mut logs, legacy) = match settings.eras {
        Eras::Auto => tokio::join!(
            modern_side(&run, launch),
            legacy_side(&run, launch, conn::LEGACY, 0)
        ),
        Eras::Modern => (modern_side(&run, launch).await, Vec::new()),
        Eras::Legacy => {
            let log = run.recorder.log(conn::MODERN);
            log.push(
                Some(&Question::new(&probe::DISCOVER).key(MODERN)),
                Event::Skipped(Gap::Skipped("only legacy requests were asked for".into())),
            );
            (vec![log], legacy_side(&run, launch, conn::LEGACY, 0).await)
        }
    };
    logs.extend(legacy);
    if settings.eras == Eras::Auto && look(KIND, &logs, discover_died) {
        logs.push(modern_alone(&run, launch, &logs).await);
    }
    // A server that answers nothing at all is not asked for more.
    if look(KIND, &logs, wants_controls)
        && look(KIND, &logs, |view| {
            view.exchanges().iter().any(Exchange::is_answered)
        })
    {
        logs.push(bare(&run, launch, &logs).await);
    }
    if settings.eras != Eras::Modern {
        logs.extend(legacy_again(&run, launch, &logs).await);
    }
    logs.into_iter().flat_map(|log| log.snapshot()).collect()
}

fn is_modern(view: &View<'_>) -> bool {
    facts::modern_proof(view).is_some()
}

/// P1, and what it takes to understand a refusal.
async fn modern_side(run: &Run<'_>, launch: &Launch) -> Vec<Log> {
    let mut asker = Asker::spawn(run, launch, MODERN, conn::MODERN).await;
    open(&mut asker).await;
    let mut logs = Vec::new();
    if asker.is_gone() && !launch_failed(&asker) {
        // It left at the first message it did not know: a list, in a process of its own.
        logs.push(asker.close().await);
        asker = Asker::spawn(run, launch, MODERN, conn::RESPAWNED).await;
        asker
            .ask(
                Question::new(&probe::TOOLS_LIST).attempt(1),
                run.settings.limits.first_answer,
            )
            .await;
    }
    if asker.with_view(is_modern) {
        features::ask(&mut asker).await;
    }
    let answered = asker.with_view(|view| view.exchanges().iter().any(Exchange::is_answered));
    logs.push(asker.close().await);
    if answered && look(KIND, &logs, wants_controls) {
        logs.push(bare(run, launch, &logs).await);
    }
    if look(KIND, &logs, accepted_unknown_version) {
        logs.push(first_message(run, launch).await);
    }
    logs
}

fn launch_failed(asker: &Asker<'_>) -> bool {
    asker.with_view(|view| {
        view.entries().iter().any(|entry| {
            matches!(
                entry.event,
                Event::Failed {
                    stage: Stage::Launch,
                    ..
                }
            )
        })
    })
}

/// `server/discover` first; a list beside it after three seconds of silence, or after a refusal.
async fn open(asker: &mut Asker<'_>) {
    let limits = &asker.run.settings.limits;
    let (first_answer, request) = (limits.first_answer, limits.request);
    let question = Question::new(&probe::DISCOVER);
    let Some(mut discover) = asker.open(&question).await else {
        return;
    };
    let patience = PATIENCE.min(first_answer);
    match asker.wait(&mut discover, patience).await {
        Arrival::Gone => return,
        Arrival::Silent => {
            let list = Question::new(&probe::TOOLS_LIST);
            let Some(mut tools) = asker.open(&list).await else {
                asker.give_up(discover);
                return;
            };
            let left = first_answer.saturating_sub(patience);
            // Whichever comes first shows that the server is awake; the other gets its own limit.
            let listed = tokio::select! {
                biased;
                arrival = asker.wait(&mut discover, left) => {
                    if arrival == Arrival::Silent {
                        asker.give_up(discover);
                        asker.give_up(tools);
                        return;
                    }
                    false
                }
                _ = asker.wait(&mut tools, left) => true,
            };
            let mut rest = if listed { discover } else { tools };
            // A server that needed long to start has had no time for the second question yet.
            let left = request
                .saturating_sub(rest.waited())
                .max(AWAKE.min(request));
            if asker.wait(&mut rest, left).await == Arrival::Silent {
                asker.give_up(rest);
            }
        }
        Arrival::Answered => {}
    }
    if let Some(version) = asker.with_view(offered_modern) {
        asker
            .ask(question.attempt(1).version(&version), request)
            .await;
        return;
    }
    let refused = asker.with_view(|view| {
        !is_modern(view)
            && facts::refused_version(view).is_none()
            && view.asked(&probe::TOOLS_LIST).next().is_none()
    });
    if refused && !asker.is_gone() {
        asker.ask(Question::new(&probe::TOOLS_LIST), request).await;
    }
}

/// A modern version other than ours that the server's refusal names.
pub(super) fn offered_modern(view: &View<'_>) -> Option<String> {
    let refusal = facts::refused_version(view)?;
    facts::offered_versions(view, refusal)
        .into_iter()
        .find(|version| is_modern_revision(version) && *version != crate::protocol::TARGET_REVISION)
        .map(str::to_owned)
}

/// No list was delivered, though one was asked for: did the server mean the handshake, `_meta`, or
/// the version?
pub(super) fn wants_controls(view: &View<'_>) -> bool {
    let mut lists = LISTS
        .into_iter()
        .flat_map(|list| view.asked(list))
        .filter(|exchange| !matches!(exchange.reply, Reply::NotSent(_)))
        .peekable();
    let opened = view
        .asked(&probe::DISCOVER)
        .any(|exchange| !matches!(exchange.reply, Reply::NotSent(_)));
    facts::refused_version(view).is_none()
        && opened
        && (lists.peek().is_some() || !is_modern(view))
        && lists.all(|exchange| !matches!(exchange.reply, Reply::Result(_)))
        && view
            .asked_in(BARE, &probe::LEGACY_TOOLS_LIST)
            .next()
            .is_none()
}

/// The same list in legacy form without a handshake, then `server/discover` without `_meta`.
async fn bare(run: &Run<'_>, launch: &Launch, logs: &[Log]) -> Log {
    let mut asker = Asker::spawn(run, launch, BARE, conn::BARE).await;
    // This process has to start like the others; how long that takes is known by now.
    asker.limit += look(KIND, logs, start_up);
    let controls = [&probe::LEGACY_TOOLS_LIST, &probe::DISCOVER_NO_META];
    asker.ask_all(controls.map(Question::new).to_vec()).await;
    asker.close().await
}

/// From the start of a process to the first line it wrote, the longest of all.
fn start_up(view: &View<'_>) -> Duration {
    let mut longest = Duration::ZERO;
    for opened in view.entries() {
        if !matches!(opened.event, Event::Opened(_)) {
            continue;
        }
        let first = view.entries().iter().find(|entry| {
            entry.conn == opened.conn
                && entry.at >= opened.at
                && matches!(entry.event, Event::Received { .. })
        });
        if let Some(first) = first {
            longest = longest.max(first.at - opened.at);
        }
    }
    longest
}

/// Six real servers refuse an unknown version only if it is the first message.
fn accepted_unknown_version(view: &View<'_>) -> bool {
    view.asked(&probe::UNKNOWN_VERSION)
        .any(|exchange| matches!(exchange.reply, Reply::Result(_)))
}

async fn first_message(run: &Run<'_>, launch: &Launch) -> Log {
    let mut asker = Asker::spawn(run, launch, FIRST, conn::FIRST).await;
    asker
        .ask(
            Question::new(&probe::UNKNOWN_VERSION),
            run.settings.limits.first_answer,
        )
        .await;
    asker.close().await
}

/// The process ended at `server/discover`, while the handshake had a process too: one of them may have
/// held a lock or a port that the other one needed.
fn discover_died(view: &View<'_>) -> bool {
    view.asked(&probe::DISCOVER)
        .any(|exchange| matches!(exchange.reply, Reply::Transport(_)))
        && view.exchanges().iter().any(Exchange::is_answered)
}

/// `server/discover` once more, with no other process beside it.
async fn modern_alone(run: &Run<'_>, launch: &Launch, logs: &[Log]) -> Log {
    let mut asker = Asker::spawn(run, launch, MODERN, conn::MODERN_ALONE).await;
    let limits = &run.settings.limits;
    asker
        .ask(
            Question::new(&probe::DISCOVER).attempt(1),
            limits.first_answer,
        )
        .await;
    let modern_before = look(KIND, logs, is_modern);
    if !asker.is_gone() && !modern_before {
        if !asker.with_view(is_modern) {
            asker
                .ask(Question::new(&probe::TOOLS_LIST).attempt(2), limits.request)
                .await;
        }
        if asker.with_view(is_modern) {
            features::ask(&mut asker).await;
        }
    }
    asker.close().await
}

/// P2: the handshake in a process of its own, then a list.
async fn legacy_side(run: &Run<'_>, launch: &Launch, conn: u32, attempt: u16) -> Vec<Log> {
    let mut asker = Asker::spawn(run, launch, LEGACY, conn).await;
    handshake(&mut asker, attempt).await;
    vec![asker.close().await]
}

async fn handshake(asker: &mut Asker<'_>, attempt: u16) {
    let limits = asker.run.settings.limits.clone();
    asker
        .ask(
            Question::new(&probe::INITIALIZE).attempt(attempt),
            limits.first_answer,
        )
        .await;
    let list = asker.with_view(legacy_list);
    if let Some(list) = list {
        asker
            .ask(Question::new(&probe::INITIALIZED), limits.request)
            .await;
        asker
            .ask(Question::new(list).attempt(attempt), limits.request)
            .await;
    }
}

/// The first list that an initialize result declares; tools where it declares none.
pub(super) fn legacy_list(view: &View<'_>) -> Option<&'static Probe> {
    let (_, exchange) = facts::legacy_negotiated(view)?;
    let declared = view.result(exchange)?.get("capabilities")?;
    let lists: [(&str, &'static Probe); 3] = [
        ("tools", &probe::LEGACY_TOOLS_LIST),
        ("prompts", &probe::LEGACY_PROMPTS_LIST),
        ("resources", &probe::LEGACY_RESOURCES_LIST),
    ];
    lists
        .into_iter()
        .find(|(name, _)| declared.get(name).is_some())
        .map(|(_, list)| list)
}

/// A handshake that failed beside the other process is tried alone; one that was refused, by a
/// server that showed no modern side, with the older revisions.
async fn legacy_again(run: &Run<'_>, launch: &Launch, logs: &[Log]) -> Vec<Log> {
    let (died, refused) = look(KIND, logs, |view| {
        let first = view.asked(&probe::INITIALIZE).next();
        let died = first.is_some_and(|exchange| matches!(exchange.reply, Reply::Transport(_)))
            && view.exchanges().iter().any(Exchange::is_answered);
        let refused = !is_modern(view)
            && facts::refused_version(view).is_none()
            && first.is_some_and(|exchange| {
                matches!(exchange.reply, Reply::Error { .. })
                    && view.error_code(exchange) != Some(code::METHOD_NOT_FOUND)
            });
        (died, refused)
    });
    if died {
        return legacy_side(run, launch, conn::LEGACY_ALONE, 1).await;
    }
    let mut again = Vec::new();
    if refused {
        for (at, version) in (0_u16..).zip(&LEGACY_REVISIONS[1..]) {
            if run.clock.is_over() {
                break;
            }
            let conn = conn::OLDER + u32::from(at);
            let mut asker = Asker::spawn(run, launch, LEGACY_OLDER, conn).await;
            asker.legacy_version = (*version).to_owned();
            handshake(&mut asker, at).await;
            let worked = asker.with_view(|view| facts::legacy_negotiated(view).is_some());
            again.push(asker.close().await);
            if worked {
                break;
            }
        }
    }
    again
}
