//! What processes may do beside the protocol: nothing may be reported for any of these.

use std::io::{self, BufRead, Write};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use crate::fault::Hook::{Edit, Stdio};
use crate::fault::{Fault, variant};
use crate::message::Request;
use crate::server::Server;
use crate::stdio::{run, write_reply};

/// Longer than clients wait before they ask the next question, shorter than they wait in all.
const LATE: Duration = Duration::from_millis(1100);

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    variant("out-of-order", "answers prompts/list and ping late, and other requests meanwhile",
        &[Stdio(concurrently)]).stdio_only(),
    variant("stderr-flood", "writes 200 KB to stderr with each answer", &[Edit(|_, _, _| {
        // Logging must not fail a request.
        drop(io::stderr().write_all("[debug] all is well\n".repeat(10_000).as_bytes()));
    })]).stdio_only(),
    variant("exits-late", "takes a second to exit after stdin ended",
        &[Stdio(|server| { let status = run(server); thread::sleep(Duration::from_secs(1)); status })]).stdio_only(),
    variant("exits-with-status", "exits with status 3 after stdin ended",
        &[Stdio(|server| run(server).map(|_| 3))]).stdio_only(),
];

/// Answers each request on a thread of its own.
fn concurrently(server: &Server) -> io::Result<i32> {
    let output = Mutex::new(io::stdout());
    thread::scope(|scope| {
        for line in io::stdin().lock().lines() {
            let line = line?;
            let Ok(request) = Request::parse(line.as_bytes(), None) else {
                continue;
            };
            if request.id.is_none() {
                server.notified(&request);
                continue;
            }
            let late = matches!(&*request.method, "prompts/list" | "ping");
            let reply = server.answer(request);
            let output = &output;
            scope.spawn(move || {
                if late {
                    thread::sleep(LATE);
                }
                if let Ok(mut output) = output.lock() {
                    // A client that went away wants no answer.
                    drop(write_reply(&reply, &mut *output));
                }
            });
        }
        Ok(0)
    })
}
