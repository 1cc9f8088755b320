//! Asks questions over either transport and records what happens.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Run, fresh_id};
use crate::probe::{self, Aim, Context, Probe, encode};
use crate::transcript::view::View;
use crate::transcript::{Event, Gap, Key, Log, TransportKind};
use crate::transport::http::{Answer, Client};
use crate::transport::stdio::{Process, Ticket};
use crate::transport::{Arrival, Launch, Outgoing};

/// How long a question on stdio may hold up the next one; it stays open meanwhile.
const SOFT_WAIT: Duration = Duration::from_secs(1);

/// How often a server that ended in the middle is started again.
const RESTARTS: u8 = 1;

/// One question with everything it needs.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) probe: &'static Probe,
    pub(crate) aim: Aim,
    pub(crate) item: u16,
    pub(crate) page: u16,
    pub(crate) attempt: u16,
    pub(crate) version: Option<String>,
}

impl Question {
    pub(crate) fn new(probe: &'static Probe) -> Self {
        Self {
            probe,
            aim: Aim::Nothing,
            item: 0,
            page: 0,
            attempt: 0,
            version: None,
        }
    }

    pub(crate) fn aim(mut self, aim: Aim) -> Self {
        self.aim = aim;
        self
    }

    pub(crate) fn item(mut self, item: usize) -> Self {
        self.item = u16::try_from(item).unwrap_or(u16::MAX);
        self
    }

    pub(crate) fn page(mut self, page: u16) -> Self {
        self.page = page;
        self
    }

    pub(crate) fn attempt(mut self, attempt: u16) -> Self {
        self.attempt = attempt;
        self
    }

    pub(crate) fn version(mut self, version: &str) -> Self {
        self.version = Some(version.to_owned());
        self
    }

    pub(crate) fn key(&self, scenario: &'static str) -> Key {
        Key::new(scenario, self.probe.id)
            .item(self.item)
            .page(self.page)
            .attempt(self.attempt)
    }
}

/// A question on stdio whose answer is not there yet.
pub(crate) struct Open {
    ticket: Ticket,
    id: Option<Value>,
    since: Instant,
}

impl Open {
    pub(crate) fn waited(&self) -> Duration {
        self.since.elapsed()
    }
}

/// One side of the conversation: a process, or a client with its own connections.
pub(crate) struct Asker<'a> {
    pub(crate) run: Run<'a>,
    pub(crate) scenario: &'static str,
    pub(crate) log: Log,
    pub(crate) session: Option<String>,
    pub(crate) legacy_version: String,
    /// Wait for one answer, where many are asked for.
    pub(crate) limit: Duration,
    link: Link<'a>,
}

enum Link<'a> {
    Stdio {
        launch: &'a Launch,
        process: Option<Process>,
        restarts: u8,
    },
    Http {
        client: Client,
        concurrency: usize,
    },
}

impl<'a> Asker<'a> {
    /// Starts a process; a failure to start is in the log.
    pub(crate) async fn spawn(
        run: &Run<'a>,
        launch: &'a Launch,
        scenario: &'static str,
        conn: u32,
    ) -> Self {
        let log = run.recorder.log(conn);
        let process = Process::spawn(launch, &run.settings.limits, log.clone())
            .await
            .ok();
        let link = Link::Stdio {
            launch,
            process,
            restarts: RESTARTS,
        };
        Self::over(run, scenario, log, link)
    }

    /// A client with connections of its own.
    pub(crate) fn client(
        run: &Run<'a>,
        client: Client,
        concurrency: usize,
        scenario: &'static str,
        conn: u32,
    ) -> Self {
        let link = Link::Http {
            client,
            concurrency,
        };
        Self::over(run, scenario, run.recorder.log(conn), link)
    }

    fn over(run: &Run<'a>, scenario: &'static str, log: Log, link: Link<'a>) -> Self {
        Self {
            run: run.clone(),
            scenario,
            log,
            session: None,
            legacy_version: crate::protocol::NEWEST_LEGACY_REVISION.to_owned(),
            limit: run.settings.limits.request,
            link,
        }
    }

    pub(crate) fn transport(&self) -> TransportKind {
        match self.link {
            Link::Stdio { .. } => TransportKind::Stdio,
            Link::Http { .. } => TransportKind::Http,
        }
    }

    /// Goes on with another client, after a redirect.
    pub(crate) fn retarget(&mut self, to: Client) {
        if let Link::Http { client, .. } = &mut self.link {
            *client = to;
        }
    }

    /// True if the process is gone or never was.
    pub(crate) fn is_gone(&self) -> bool {
        match &self.link {
            Link::Stdio { process, .. } => process.as_ref().is_none_or(Process::is_gone),
            Link::Http { .. } => false,
        }
    }

    pub(crate) fn encode(&self, question: &Question) -> Outgoing {
        let mut context = Context::new(self.transport(), fresh_id());
        context.session.clone_from(&self.session);
        context.legacy_version.clone_from(&self.legacy_version);
        if let Some(version) = &question.version {
            context.version.clone_from(version);
        }
        encode(
            question.probe,
            question.key(self.scenario),
            &question.aim,
            &context,
        )
    }

    /// Records that a question was left out.
    pub(crate) fn skip(&self, question: &Question, gap: Gap) {
        self.log
            .push(Some(&question.key(self.scenario)), Event::Skipped(gap));
    }

    /// What was recorded so far, as a view.
    pub(crate) fn with_view<T>(&self, look: impl FnOnce(&View<'_>) -> T) -> T {
        super::look(self.transport(), std::slice::from_ref(&self.log), look)
    }

    /// Asks one question over HTTP or stdio and waits at most `limit`.
    pub(crate) async fn ask(&mut self, question: Question, limit: Duration) -> Answer {
        let nothing = |arrival| Answer {
            arrival,
            status: None,
            headers: Vec::new(),
        };
        if self.run.clock.is_over() {
            self.skip(&question, deadline_gap());
            return nothing(Arrival::Silent);
        }
        let out = self.encode(&question);
        let limit = self.run.clock.at_most(limit);
        match &mut self.link {
            Link::Http { client, .. } => client.exchange(&out, limit, &self.log).await,
            Link::Stdio { process, .. } => {
                let Some(process) = process.as_ref().filter(|process| !process.is_gone()) else {
                    self.skip(&question, gone_gap());
                    return nothing(Arrival::Gone);
                };
                let mut ticket = process.send(&out).await;
                let arrival = process.wait(&mut ticket, limit).await;
                if arrival == Arrival::Silent {
                    process.give_up(ticket);
                }
                nothing(arrival)
            }
        }
    }

    /// Opens a question on stdio without waiting for its answer.
    pub(crate) async fn open(&self, question: &Question) -> Option<Open> {
        let out = self.encode(question);
        match &self.link {
            Link::Stdio {
                process: Some(process),
                ..
            } if !process.is_gone() => Some(Open {
                ticket: process.send(&out).await,
                id: out.id,
                since: Instant::now(),
            }),
            _ => {
                self.skip(question, gone_gap());
                None
            }
        }
    }

    /// Waits for a question that was opened.
    pub(crate) async fn wait(&self, open: &mut Open, limit: Duration) -> Arrival {
        match &self.link {
            Link::Stdio {
                process: Some(process),
                ..
            } => {
                process
                    .wait(&mut open.ticket, self.run.clock.at_most(limit))
                    .await
            }
            _ => Arrival::Gone,
        }
    }

    /// Ends the wait for a question that was opened.
    pub(crate) fn give_up(&self, open: Open) {
        if let Link::Stdio {
            process: Some(process),
            ..
        } = &self.link
        {
            process.give_up(open.ticket);
        }
    }

    /// Asks independent questions: on HTTP several at once, on stdio one after the other, where a
    /// silent one does not hold up the rest. The transcript's order is that of `questions`.
    pub(crate) async fn ask_all(&mut self, questions: Vec<Question>) {
        match &self.link {
            Link::Http { .. } => self.ask_all_http(questions).await,
            Link::Stdio { .. } => self.ask_all_stdio(questions).await,
        }
    }

    async fn ask_all_http(&mut self, questions: Vec<Question>) {
        use futures_util::StreamExt as _;

        let Link::Http {
            client,
            concurrency,
        } = &self.link
        else {
            return;
        };
        let limit = self.limit;
        let this = &*self;
        let logs: Vec<Log> = futures_util::stream::iter(questions)
            .map(|question| async move {
                let log = this.log.fork();
                if this.run.clock.is_over() {
                    log.push(
                        Some(&question.key(this.scenario)),
                        Event::Skipped(deadline_gap()),
                    );
                } else {
                    let out = this.encode(&question);
                    client
                        .exchange(&out, this.run.clock.at_most(limit), &log)
                        .await;
                }
                log
            })
            .buffered((*concurrency).max(1))
            .collect()
            .await;
        for log in logs {
            self.log.append(&log);
        }
    }

    async fn ask_all_stdio(&mut self, questions: Vec<Question>) {
        let limit = self.limit;
        let mut silent: Vec<Open> = Vec::new();
        for question in questions {
            if self.run.clock.is_over() {
                self.skip(&question, deadline_gap());
                continue;
            }
            if self.is_gone() {
                silent.clear();
                self.restart().await;
            }
            let Some(mut open) = self.open(&question).await else {
                continue;
            };
            match self.wait(&mut open, SOFT_WAIT.min(limit)).await {
                Arrival::Silent if SOFT_WAIT < limit => silent.push(open),
                Arrival::Silent => self.give_up(open),
                Arrival::Answered if std::ptr::eq(question.probe, &raw const probe::LISTEN) => {
                    self.cancel(&question, open.id).await;
                }
                Arrival::Answered | Arrival::Gone => {}
            }
        }
        for mut open in silent {
            let left = limit.saturating_sub(open.waited());
            if self.wait(&mut open, left).await == Arrival::Silent {
                self.give_up(open);
            }
        }
    }

    async fn cancel(&self, listen: &Question, id: Option<Value>) {
        let Some(id) = id else { return };
        let mut question = Question::new(&probe::CANCEL_LISTEN).aim(Aim::Request(id));
        question.item = listen.item;
        question.attempt = listen.attempt;
        self.open(&question).await;
    }

    /// A server that ended in the middle is started once more, as a client would.
    async fn restart(&mut self) {
        let Link::Stdio {
            launch,
            process,
            restarts,
        } = &mut self.link
        else {
            return;
        };
        if *restarts == 0 {
            return;
        }
        *restarts -= 1;
        if let Some(old) = process.take() {
            old.stop(Duration::ZERO).await;
        }
        *process = Process::spawn(launch, &self.run.settings.limits, self.log.clone())
            .await
            .ok();
    }

    /// Ends the connection.
    pub(crate) async fn close(self) -> Log {
        if let Link::Stdio {
            process: Some(process),
            ..
        } = self.link
        {
            // A server that answered nothing gets little time to leave: it may be stuck.
            let entries = self.log.snapshot();
            let spoke = entries
                .iter()
                .any(|entry| matches!(entry.event, Event::Received { .. }));
            let grace = if spoke { SHUTDOWN_GRACE } else { SILENT_GRACE };
            process.stop(grace).await;
        }
        self.log
    }
}

/// How long a server may take to exit after its stdin was closed.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// The same for a server that never spoke.
const SILENT_GRACE: Duration = Duration::from_millis(250);

fn deadline_gap() -> Gap {
    Gap::NoAnswer("the run's deadline was reached before it was asked".into())
}

fn gone_gap() -> Gap {
    Gap::NoAnswer("the server had ended before it was asked".into())
}
