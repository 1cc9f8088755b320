//! Follows a process to its end, and records the end in an order that does not depend on chance.

use std::sync::Arc;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::intake::{Bounds, read_stderr, read_stdout};
use super::shared::{Phase, Shared};
use super::tree::Tree;
use crate::transcript::{Ending, Event};

/// How long after the exit we read on (something else may hold the pipe), and how long after the
/// end of stdout an exit counts as the same event.
pub(super) const DRAIN: Duration = Duration::from_millis(200);

/// A task that ends when it is dropped.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(super) async fn supervise(
    shared: Arc<Shared>,
    tree: Arc<Tree>,
    bounds: Bounds,
    stdout: ChildStdout,
    stderr: ChildStderr,
) {
    let mut reading = {
        let (shared, tree) = (Arc::clone(&shared), Arc::clone(&tree));
        Task(tokio::spawn(async move {
            read_stdout(stdout, &shared, &tree, bounds).await;
        }))
    };
    let mut noise = {
        let shared = Arc::clone(&shared);
        Task(tokio::spawn(async move {
            read_stderr(stderr, &shared).await;
        }))
    };

    let (exit, drained) = tokio::select! {
        exit = tree.wait() => (Some(exit), timeout(DRAIN, &mut reading.0).await.is_ok()),
        _ = &mut reading.0 => (timeout(DRAIN, tree.wait()).await.ok(), true),
    };
    let exit = match exit {
        Some(exit) => exit,
        None => {
            shared.advance(Phase::Gone);
            tree.wait().await
        }
    };
    if !tree.is_killed() {
        let code = exit.ok().and_then(|status| status.code());
        shared.record(None, Event::Exited(code));
        if !drained {
            // Something the server started holds its pipes.
            shared.record(None, Event::Stopped(Ending::Killed));
        }
    }
    tree.clear();
    if !drained && timeout(DRAIN, &mut reading.0).await.is_err() {
        drop(reading);
    }
    shared.advance(Phase::Exited);
    let _ = timeout(DRAIN, &mut noise.0).await;
    shared.record_stderr();
    shared.advance(Phase::Ended);
}
