//! Every fixture server on stdio: whatever it does, it is stopped in time and leaves nothing behind.
//!
//! No test harness: this program runs itself as the server, and stdout must be the server's alone.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![expect(clippy::print_stdout, reason = "that is where tests report")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use mcp_assay_core::transcript::{Entry, Event, Key, Recorder, Redactor};
use mcp_assay_core::transport::stdio::Process;
use mcp_assay_core::transport::{Arrival, Launch, Limits, Outgoing, Until};
use mcp_assay_fixtures::{Fault, Options, fault, faults, serve_stdio};
use serde_json::json;

/// Names the fault in the environment of the server.
const FAULT: &str = "FAULT";

const SOFT: Duration = Duration::from_millis(250);
const GRACE: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(FAULT) {
        let fault = fault(&name).unwrap();
        let options = Options {
            era: fault.era,
            fault: Some(fault),
        };
        let status = serve_stdio(&options).unwrap();
        return ExitCode::from(u8::try_from(status).unwrap());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let all: Vec<&Fault> = faults().iter().filter(|fault| fault.stdio).collect();
    for fault in &all {
        runtime.block_on(meet(fault));
    }
    println!("{} fixture servers met and stopped", all.len());
    ExitCode::SUCCESS
}

fn question(id: u64, method: &'static str) -> Outgoing {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({
        "jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": meta},
    });
    Outgoing {
        key: Key::new("test", method),
        id: Some(id.into()),
        body: message.to_string().into_bytes(),
        http_method: "POST",
        headers: Vec::new(),
        until: Until::Response,
    }
}

async fn meet(fault: &Fault) {
    let name = fault.name;
    let limits = Limits::default();
    let log = Recorder::new(Redactor::default(), limits.kept).log(1);
    let launch = Launch {
        argv: vec![
            std::env::current_exe()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned(),
        ],
        cwd: None,
        env: vec![
            (FAULT.into(), name.into()),
            ("PATH".into(), std::env::var("PATH").unwrap()),
        ],
    };
    let process = Process::spawn(&launch, &limits, log.clone()).await.unwrap();
    let mut arrivals = Vec::new();
    for (id, method) in [
        (41, "server/discover"),
        (42, "tools/list"),
        (43, "tools/list"),
    ] {
        let mut ticket = process.send(&question(id, method)).await;
        arrivals.push(process.wait(&mut ticket, SOFT).await);
        process.give_up(ticket);
    }
    let begin = Instant::now();
    process.stop(GRACE).await;
    let took = begin.elapsed();
    let entries = log.snapshot();
    let told = || format!("{name}: {arrivals:?}\n{:#?}", tail(&entries));
    assert!(
        took < GRACE + Duration::from_millis(2500),
        "{took:?} {}",
        told()
    );

    let ended = |event: &Event| matches!(event, Event::Exited(_) | Event::Stopped(_));
    assert!(
        entries.iter().any(|entry| ended(&entry.event)),
        "{}",
        told()
    );
    if fault.expect.verdict == "ready" && name != "slow" {
        assert_eq!(arrivals, [Arrival::Answered; 3], "{}", told());
    }
    match name {
        "silent" => assert_eq!(arrivals, [Arrival::Silent; 3], "{}", told()),
        "exits-at-start" | "closes-stdout" => {
            assert_eq!(arrivals, [Arrival::Gone; 3], "{}", told());
        }
        "grandchild" => assert!(took < GRACE, "{took:?} {}", told()),
        _ => {}
    }
}

fn tail(entries: &[Entry]) -> Vec<String> {
    let last = entries.iter().rev().take(8).rev();
    last.map(|entry| format!("{:?}", entry.event).chars().take(300).collect())
        .collect()
}
