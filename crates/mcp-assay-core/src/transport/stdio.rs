//! The stdio transport: one server process, asked over its standard streams (basic/transports/stdio).
//!
//! Every wait is bounded, memory does not grow with what the server writes, and no process of the
//! server's tree outlives its [`Process`].

mod intake;
mod launch;
mod resolve;
mod shared;
mod supervise;
mod tree;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::{Mutex, oneshot};
use tokio::time::timeout;

use self::intake::Bounds;
use self::shared::{Phase, Shared};
use self::supervise::DRAIN;
use self::tree::Tree;
use super::{Arrival, Launch, Limits, Outgoing, Until};
use crate::transcript::{Data, Ending, Event, Key, Log, Stage};

pub use self::launch::LaunchError;
pub use self::resolve::Missing;

/// How long a tree has to end after it was asked to terminate.
const TERMINATE: Duration = Duration::from_millis(500);

/// How long we wait for the system to take a killed tree away.
const REAP: Duration = Duration::from_secs(1);

/// A running server. Dropping it kills the whole tree at once and records nothing more.
#[derive(Debug)]
pub struct Process {
    shared: Arc<Shared>,
    tree: Arc<Tree>,
    /// Gone once it was closed, or once a write failed: after half a message nothing can follow.
    stdin: Mutex<Option<ChildStdin>>,
    write_limit: Duration,
}

/// The wait for the answer to one sent message.
#[derive(Debug)]
pub struct Ticket {
    key: Key,
    since: Instant,
    end: oneshot::Receiver<Arrival>,
    arrival: Option<Arrival>,
}

impl Process {
    /// Starts the server. Records `Opened` with its argv, or `Failed` at [`Stage::Launch`].
    ///
    /// Must be called within a Tokio runtime that has I/O and time enabled.
    ///
    /// # Errors
    /// If there is no such program or the system cannot start it.
    pub async fn spawn(launch: &Launch, limits: &Limits, log: Log) -> Result<Self, LaunchError> {
        let started = match launch::start(launch) {
            Ok(started) => started,
            Err(error) => {
                let message = error.to_string();
                let stage = Stage::Launch;
                log.push(None, Event::Failed { stage, message });
                return Err(error);
            }
        };
        log.push(None, Event::Opened(launch.argv.clone()));
        let shared = Arc::new(Shared::new(log, limits));
        let tree = Arc::new(started.tree);
        // Not aborted on drop: it ends when the process has, and reaps it.
        tokio::spawn(supervise::supervise(
            Arc::clone(&shared),
            Arc::clone(&tree),
            Bounds::new(limits),
            started.stdout,
            started.stderr,
        ));
        Ok(Self {
            shared,
            tree,
            stdin: Mutex::new(Some(started.stdin)),
            write_limit: limits.request,
        })
    }

    /// Writes one message and a newline. Records `Sent` with the message's key and, if the server
    /// does not take it within [`Limits::request`] or at all, `Failed` at [`Stage::Send`]; the
    /// ticket ends as [`Arrival::Gone`] then, and stdin is closed.
    pub async fn send(&self, out: &Outgoing) -> Ticket {
        let (number, end) = self.shared.ask(out);
        let ticket = Ticket {
            key: out.key.clone(),
            since: Instant::now(),
            end,
            arrival: None,
        };
        match self.write(out).await {
            Ok(()) if out.until == Until::Sent => self.shared.resolve(number, Arrival::Answered),
            Ok(()) => {}
            Err(message) => {
                let stage = Stage::Send;
                self.shared
                    .record(Some(&out.key), Event::Failed { stage, message });
                // A server that stopped reading is most likely about to exit: let that be recorded
                // before anyone acts on this failure.
                self.shared.reached(Phase::Gone, 2 * DRAIN).await;
                self.shared.resolve(number, Arrival::Gone);
            }
        }
        ticket
    }

    async fn write(&self, out: &Outgoing) -> Result<(), String> {
        let mut line = Vec::with_capacity(out.body.len() + 1);
        line.extend_from_slice(&out.body);
        line.push(b'\n');
        let write = async {
            let mut slot = self.stdin.lock().await;
            // Taken out while writing, so that a write that is given up half-way closes it.
            let Some(mut stdin) = slot.take() else {
                return Err("write to stdin: it is closed, nothing was sent".to_owned());
            };
            // Recorded first, or another thread could record the answer before the question.
            let data = Data::whole(out.body.clone());
            self.shared
                .record(Some(&out.key), Event::Sent { head: None, data });
            let written = async {
                stdin.write_all(&line).await?;
                stdin.flush().await
            };
            written
                .await
                .map_err(|error| format!("write to stdin: {error}"))?;
            *slot = Some(stdin);
            Ok(())
        };
        timeout(self.write_limit, write).await.unwrap_or_else(|_| {
            Err(format!(
                "write to stdin: the server did not read the message within {:?}",
                self.write_limit
            ))
        })
    }

    /// Waits at most `limit` for what the ticket waits for. May be called again after
    /// [`Arrival::Silent`], and on several tickets at once.
    pub async fn wait(&self, ticket: &mut Ticket, limit: Duration) -> Arrival {
        if let Some(arrival) = ticket.arrival {
            return arrival;
        }
        let Ok(end) = timeout(limit, &mut ticket.end).await else {
            return Arrival::Silent;
        };
        *ticket.arrival.insert(end.unwrap_or(Arrival::Gone))
    }

    /// Gives the wait up. Records `TimedOut` with the time since the message was sent, unless the
    /// wait has ended meanwhile.
    pub fn give_up(&self, mut ticket: Ticket) {
        if ticket.arrival.is_none() && ticket.end.try_recv().is_err() {
            let waited = ticket.since.elapsed();
            self.shared
                .record(Some(&ticket.key), Event::TimedOut(waited));
        }
    }

    /// True once stdout has ended or the process has exited: nothing more will be answered.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.shared.phase() >= Phase::Gone
    }

    /// Shuts the server down in the order of basic/transports/stdio, "Shutdown": closes stdin,
    /// waits at most `grace`, asks the process group to terminate (Unix), waits 0.5 s, kills the
    /// whole tree. Returns within `grace` and about 2.5 s, whatever the server does.
    ///
    /// Records each step taken as `Stopped`, the end of stdout as `Eof`, the exit as `Exited` unless
    /// it is the effect of a kill, and the newest of what was written to stderr.
    pub async fn stop(mut self, grace: Duration) {
        if self.shared.stdout_ended() {
            // It may just be exiting by itself; that is known within a moment.
            self.shared.reached(Phase::Gone, 2 * DRAIN).await;
        }
        if self.shared.phase() < Phase::Exited {
            self.escalate(grace).await;
        }
        self.shared.reached(Phase::Ended, REAP).await;
        self.shared.record_stderr();
    }

    async fn escalate(&mut self, grace: Duration) {
        self.shared
            .record(None, Event::Stopped(Ending::StdinClosed));
        *self.stdin.get_mut() = None;
        if self.shared.reached(Phase::Exited, grace).await {
            return;
        }
        if self.tree.terminate() {
            self.shared.record(None, Event::Stopped(Ending::Terminated));
            if self.shared.reached(Phase::Exited, TERMINATE).await {
                return;
            }
        }
        self.shared.record(None, Event::Stopped(Ending::Killed));
        self.tree.kill();
    }

    /// The log of this process.
    #[must_use]
    pub fn log(&self) -> &Log {
        self.shared.log()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.shared.mute();
        self.tree.kill();
    }
}
