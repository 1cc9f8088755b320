//! Floods on stdout: alone in its process, because it measures memory.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::time::{Duration, Instant};

use mcp_assay_core::transcript::{Ending, Event, Key, Recorder, Redactor};
use mcp_assay_core::transport::stdio::Process;
use mcp_assay_core::transport::{Arrival, Launch, Limits, Outgoing, Until};

const LONG: Duration = Duration::from_secs(20);

/// The most memory this process ever used, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.unwrap().split_whitespace().nth(1);
    number.unwrap().parse().unwrap()
}

async fn spawn(script: &str) -> Process {
    let launch = Launch {
        argv: ["sh", "-c", script].map(String::from).to_vec(),
        cwd: None,
        env: vec![("PATH".into(), std::env::var("PATH").unwrap())],
    };
    let limits = Limits::default();
    let log = Recorder::new(Redactor::default(), limits.kept).log(1);
    Process::spawn(&launch, &limits, log).await.unwrap()
}

#[tokio::test]
async fn floods_are_bounded_in_memory_and_time() {
    let question = Outgoing {
        key: Key::new("test", "one"),
        id: Some(1.into()),
        body: b"{}".to_vec(),
        http_method: "POST",
        headers: Vec::new(),
        until: Until::Response,
    };
    for flood in [
        "head -c 200000000 /dev/zero | tr '\\0' x; echo; sleep 300",
        "tr '\\0' x </dev/zero",
        r#"yes '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'"#,
        r#"yes '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'"#,
        "yes ''",
        "yes \"$(head -c 100000 /dev/zero | tr '\\0' x)\"",
    ] {
        let process = spawn(&format!("read -r l; {flood}")).await;
        let begin = Instant::now();
        let mut ticket = process.send(&question).await;
        let end = process.wait(&mut ticket, LONG).await;
        println!("{:?}, {} KiB: {flood}", begin.elapsed(), peak());
        assert_eq!(end, Arrival::Gone, "{flood}");
        let log = process.log().clone();
        process.stop(LONG).await;
        let entries = log.snapshot();
        assert!(entries.len() < 10_010, "{flood}");
        let count = |wanted: fn(&Event) -> bool| {
            let found = entries.iter().filter(|entry| wanted(&entry.event));
            found.count()
        };
        assert!(
            count(|event| matches!(event, Event::Bound(_))) >= 1,
            "{flood}"
        );
        let kills = count(|event| *event == Event::Stopped(Ending::Killed));
        assert_eq!(kills, 1, "{flood}");
        let kept = entries.iter().map(|entry| match &entry.event {
            Event::Received { data, .. } => data.bytes.len(),
            _ => 0,
        });
        assert!(kept.sum::<usize>() <= Limits::default().stream, "{flood}");
    }
    assert!(peak() < 40 * 1024, "{} KiB", peak());
}
