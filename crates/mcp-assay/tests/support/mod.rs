//! Runs the built-in servers and checks them.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    reason = "shared by test binaries, each of which uses a part of it"
)]

pub mod listener;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_assay_core::report::{Era as Spoken, Report, RuleReport};
use mcp_assay_core::{Endpoint, Launch, Limits, Selection, Settings, Target, Transcript};
use mcp_assay_core::{build, record};
use mcp_assay_fixtures::{Era, Fault, HttpServer, Options};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Stdio,
    Http,
}

impl Transport {
    pub fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// A server to check: an era, and what is wrong with it.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub era: Era,
    pub fault: Option<&'static Fault>,
    pub transport: Transport,
}

impl Case {
    pub fn name(&self) -> String {
        let what = match (self.fault, self.era) {
            (Some(fault), _) => fault.name.to_owned(),
            (None, era) => format!("correct-{}", format!("{era:?}").to_lowercase()),
        };
        format!("{what} ({})", self.transport.name())
    }
}

/// Waits short enough for servers that never answer, long enough for a busy machine.
pub fn settings() -> Settings {
    Settings {
        limits: Limits {
            request: Duration::from_millis(1500),
            first_answer: Duration::from_secs(4),
            deadline: Duration::from_secs(20),
            ..Limits::default()
        },
        ..Settings::default()
    }
}

pub fn run(case: &Case, settings: &Settings, concurrency: usize) -> (Transcript, Report) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (target, _server) = target(case, concurrency);
    let transcript = runtime.block_on(record(&target, settings, &[])).unwrap();
    runtime.shutdown_timeout(Duration::from_millis(100));
    let report = build(&transcript, &Selection::default(), false);
    (transcript, report)
}

pub fn target(case: &Case, concurrency: usize) -> (Target, Option<HttpServer>) {
    match case.transport {
        Transport::Stdio => {
            let mut argv: Vec<String> = [env!("CARGO_BIN_EXE_mcp-assay"), "fixture", "--stdio"]
                .map(str::to_owned)
                .to_vec();
            match case.fault {
                Some(fault) => argv.extend(["--fault".to_owned(), fault.name.to_owned()]),
                None => argv.extend(["--era".to_owned(), format!("{:?}", case.era).to_lowercase()]),
            }
            // Some servers start others, which need a PATH.
            let env = vec![("PATH".to_owned(), std::env::var("PATH").unwrap())];
            (
                Target::Stdio(Launch {
                    argv,
                    cwd: None,
                    env,
                }),
                None,
            )
        }
        Transport::Http => {
            let options = Options {
                era: case.era,
                fault: case.fault,
            };
            let server = HttpServer::start(&options, 0).unwrap();
            let endpoint = Endpoint {
                url: url::Url::parse(&server.url()).unwrap(),
                headers: Vec::new(),
                ca_cert: None,
                concurrency,
            };
            (Target::Http(endpoint), Some(server))
        }
    }
}

/// The server with this fault, on every transport it has.
pub fn faulty(name: &str) -> Vec<Case> {
    let fault = mcp_assay_fixtures::fault(name).unwrap_or_else(|| panic!("no fault {name}"));
    let exists = [
        (Transport::Stdio, fault.stdio),
        (Transport::Http, fault.http),
    ];
    exists
        .into_iter()
        .filter(|(_, exists)| *exists)
        .map(|(transport, _)| Case {
            era: fault.era,
            fault: Some(fault),
            transport,
        })
        .collect()
}

/// The server with this fault over HTTP.
pub fn serve(name: &str) -> HttpServer {
    let fault = mcp_assay_fixtures::fault(name).unwrap_or_else(|| panic!("no fault {name}"));
    let options = Options {
        era: fault.era,
        fault: Some(fault),
    };
    HttpServer::start(&options, 0).unwrap()
}

/// What came of a rule.
pub fn rule<'r>(report: &'r Report, id: &str) -> &'r RuleReport {
    report.rules.iter().find(|rule| rule.id == id).unwrap()
}

/// The correct servers and every fault, on every transport it has.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for transport in [Transport::Stdio, Transport::Http] {
        for era in [Era::Modern, Era::Dual, Era::Legacy] {
            cases.push(Case {
                era,
                fault: None,
                transport,
            });
        }
        for fault in mcp_assay_fixtures::faults() {
            let exists = match transport {
                Transport::Stdio => fault.stdio,
                Transport::Http => fault.http,
            };
            if exists {
                cases.push(Case {
                    era: fault.era,
                    fault: Some(fault),
                    transport,
                });
            }
        }
    }
    cases
}

/// Runs `work` on every case, a few at a time; results in the order of the cases.
pub fn each<T: Send>(cases: &[Case], work: impl Fn(&Case) -> T + Sync) -> Vec<T> {
    const WORKERS: usize = 6;
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, T)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(at) else { return };
                    let result = work(case);
                    results.lock().unwrap().push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

pub fn verdict(report: &Report) -> String {
    serde_json::to_value(report.verdict)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

pub fn era(report: &Report) -> &'static str {
    match report.era {
        Spoken::Modern => "modern",
        Spoken::Dual => "dual",
        Spoken::Legacy => "legacy",
        _ => "unknown",
    }
}

/// The rules with a finding.
pub fn hits(report: &Report) -> Vec<String> {
    report
        .findings
        .iter()
        .map(|finding| {
            let severity = format!("{:?}", finding.severity).to_lowercase();
            let owner = format!("{:?}", finding.remediation).to_lowercase();
            format!("{} {severity} {owner}", finding.rule_id)
        })
        .collect()
}
