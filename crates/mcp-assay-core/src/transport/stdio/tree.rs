//! A process and all that it started.

use std::future::poll_fn;
use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use process_wrap::tokio::ChildWrapper;

/// The process and its group (Unix) or job (Windows), to be signalled as a whole.
///
/// Dropping it kills the tree.
#[derive(Debug)]
pub(super) struct Tree {
    child: Mutex<Box<dyn ChildWrapper>>,
    /// We killed it, so that its exit says nothing about it.
    killed: AtomicBool,
    /// Nothing of it is left. Its number may soon belong to another group: no more signals.
    cleared: AtomicBool,
}

impl Tree {
    pub(super) fn new(child: Box<dyn ChildWrapper>) -> Self {
        Self {
            child: Mutex::new(child),
            killed: AtomicBool::new(false),
            cleared: AtomicBool::new(false),
        }
    }

    /// Waits until the process has exited, and reaps it. What it started may live on.
    pub(super) async fn wait(&self) -> io::Result<ExitStatus> {
        // Polled under the lock, a piece at a time, so that the tree can be killed meanwhile.
        poll_fn(|context| self.lock().wait().as_mut().poll(context)).await
    }

    /// Asks the tree to terminate; false where that cannot be asked or nothing is left of it.
    pub(super) fn terminate(&self) -> bool {
        #[cfg(unix)]
        {
            const SIGTERM: i32 = 15;
            !self.cleared.load(Ordering::Acquire) && self.lock().signal(SIGTERM).is_ok()
        }
        #[cfg(not(unix))]
        false
    }

    /// Kills the tree at once.
    pub(super) fn kill(&self) {
        if !self.cleared.load(Ordering::Acquire) {
            self.killed.store(true, Ordering::Release);
            // Fails only where nothing is left to kill.
            let _ = self.lock().start_kill();
        }
    }

    /// True if it was killed by us.
    pub(super) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Acquire)
    }

    /// Kills what is left of the tree after the process has exited; nothing is signalled any more.
    pub(super) fn clear(&self) {
        if !self.cleared.swap(true, Ordering::AcqRel) {
            let _ = self.lock().start_kill();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Box<dyn ChildWrapper>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}
