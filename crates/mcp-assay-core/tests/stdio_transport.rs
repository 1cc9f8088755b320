//! The stdio transport against real processes.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::process::Command;
use std::time::{Duration, Instant};

use mcp_assay_core::transcript::{Data, Event, Key, Log, Recorder, Redactor, Stage};
use mcp_assay_core::transport::stdio::{LaunchError, Process, Ticket};
use mcp_assay_core::transport::{Arrival, Launch, Limits, Outgoing, Until};
use serde_json::{Value, json};

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(50);
/// Shell: answers the request with the id 1.
const ANSWER: &str = r#"printf '{"jsonrpc":"2.0","id":1,"result":{}}\n'"#;

fn sh(script: &str) -> Launch {
    Launch {
        argv: ["sh", "-c", script].map(String::from).to_vec(),
        cwd: None,
        env: vec![("PATH".into(), std::env::var("PATH").unwrap())],
    }
}

fn log() -> Log {
    Recorder::new(Redactor::default(), 32 * 1024 * 1024).log(1)
}

async fn spawn(script: &str) -> Process {
    spawn_within(script, &Limits::default()).await
}

async fn spawn_within(script: &str, limits: &Limits) -> Process {
    Process::spawn(&sh(script), limits, log()).await.unwrap()
}

fn ask(probe: &'static str, id: impl Into<Value>) -> Outgoing {
    let id = id.into();
    Outgoing {
        key: Key::new("test", probe),
        body: json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
            .to_string()
            .into_bytes(),
        id: Some(id),
        http_method: "POST",
        headers: Vec::new(),
        until: Until::Response,
    }
}

async fn arrival(process: &Process, out: &Outgoing) -> Arrival {
    let mut ticket: Ticket = process.send(out).await;
    process.wait(&mut ticket, LONG).await
}

/// Stops the server with all the patience it may need, and tells what happened.
async fn stopped(process: Process) -> String {
    let log = process.log().clone();
    process.stop(LONG).await;
    story(&log)
}

fn events(log: &Log) -> Vec<(Option<String>, Event)> {
    let entries = log.snapshot().into_iter();
    entries
        .map(|entry| (entry.key.map(|key| key.probe.into_owned()), entry.event))
        .collect()
}

/// One line an event: its name, its text, and the probe it belongs to in angle brackets.
fn story(log: &Log) -> String {
    let mut story = String::new();
    for (probe, event) in events(log) {
        story += &match &event {
            Event::Received { data, .. } => format!("received {}", text(data)),
            Event::Stderr(data) => format!("stderr {}", text(data)),
            Event::Sent { .. } => "sent".into(),
            Event::Opened(_) => "opened".into(),
            Event::TimedOut(_) => "timed out".into(),
            Event::Failed { stage, .. } => format!("failed {stage:?}"),
            other => format!("{other:?}"),
        };
        if let Some(probe) = probe {
            story += &format!(" <{probe}>");
        }
        story.push('\n');
    }
    story
}

fn text(data: &Data) -> String {
    String::from_utf8_lossy(&data.bytes).into_owned()
}

fn received(story: &str) -> Vec<&str> {
    let lines = story.lines();
    lines
        .filter_map(|line| line.strip_prefix("received "))
        .collect()
}

/// The process group of a server that writes its own number (`$$`) as the first line.
async fn group(process: &Process) -> String {
    let begin = Instant::now();
    loop {
        for (_, event) in events(process.log()) {
            if let Event::Received { data, .. } = event {
                return text(&data);
            }
        }
        assert!(begin.elapsed() < LONG, "the server says nothing");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The processes of a group that live or that we did not reap, after a moment to die in.
fn survivors(group: &str) -> String {
    let own = std::process::id().to_string();
    let begin = Instant::now();
    loop {
        let ps = ["-A", "-o", "pgid=,ppid=,stat=,args="];
        let ps = Command::new("ps").args(ps).output().unwrap().stdout;
        let ps = String::from_utf8_lossy(&ps);
        let left = ps.lines().filter(|line| {
            let mut fields = line.split_whitespace();
            let of_group = fields.next() == Some(group);
            let ours = fields.next() == Some(&own);
            // Other zombies are for the system to reap.
            of_group && (ours || !fields.next().unwrap_or_default().starts_with('Z'))
        });
        let left = left.collect::<Vec<_>>().join("\n");
        if left.is_empty() || begin.elapsed() > Duration::from_secs(2) {
            return left;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn a_server_that_answers_and_exits_at_the_end_of_stdin() {
    let process = spawn(&format!("while read -r l; do {ANSWER}; done; exit 3")).await;
    let mut ticket = process.send(&ask("one", 1)).await;
    assert_eq!(process.wait(&mut ticket, LONG).await, Arrival::Answered);
    assert_eq!(process.wait(&mut ticket, SHORT).await, Arrival::Answered);
    process.give_up(ticket);
    assert!(!process.is_gone());
    assert_eq!(
        stopped(process).await,
        "opened\nsent <one>\nreceived {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} <one>\n\
         Stopped(StdinClosed)\nEof\nExited(Some(3))\n"
    );
}

#[tokio::test]
async fn ids_are_compared_as_they_are_and_answers_come_in_any_order() {
    let process = spawn(
        r#"read -r a; read -r b; read -r c
        for id in '"1"' 1.0 2 1 1; do printf '{"id":%s,"result":{}}\n' "$id"; done; read -r d"#,
    )
    .await;
    let mut one = process.send(&ask("one", 1)).await;
    let mut two = process.send(&ask("two", 2)).await;
    let mut text = process.send(&ask("text", "1")).await;
    for ticket in [&mut one, &mut two, &mut text] {
        assert_eq!(process.wait(ticket, LONG).await, Arrival::Answered);
    }
    assert_eq!(
        received(&stopped(process).await),
        [
            "{\"id\":\"1\",\"result\":{}} <text>",
            "{\"id\":1.0,\"result\":{}}",
            "{\"id\":2,\"result\":{}} <two>",
            "{\"id\":1,\"result\":{}} <one>",
            "{\"id\":1,\"result\":{}} <one>",
        ]
    );
}

#[tokio::test]
async fn silence_ends_with_the_wait_and_is_recorded_when_given_up() {
    let process = spawn("while read -r l; do :; done").await;
    let mut first = process.send(&ask("first", 1)).await;
    let mut second = process.send(&ask("second", 2)).await;
    assert_eq!(process.wait(&mut first, SHORT).await, Arrival::Silent);
    let waits = tokio::join!(
        process.wait(&mut first, SHORT),
        process.wait(&mut second, SHORT)
    );
    assert_eq!(waits, (Arrival::Silent, Arrival::Silent));
    process.give_up(first);
    let (probe, event) = events(process.log()).pop().unwrap();
    let Event::TimedOut(waited) = event else {
        panic!("{event:?}")
    };
    assert_eq!(probe.as_deref(), Some("first"));
    assert!(waited >= 2 * SHORT, "{waited:?}");
    assert!(!stopped(process).await.contains("timed out <second>"));
}

#[tokio::test]
async fn an_answer_before_the_exit_counts_and_the_rest_is_gone() {
    let process = spawn(&format!("read -r l; read -r m; {ANSWER}; exit 7")).await;
    let mut one = process.send(&ask("one", 1)).await;
    assert_eq!(arrival(&process, &ask("two", 2)).await, Arrival::Gone);
    assert_eq!(process.wait(&mut one, LONG).await, Arrival::Answered);
    assert!(process.is_gone());
    let known = story(process.log());
    assert!(known.ends_with("Eof\nExited(Some(7))\n"), "{known}");
    assert_eq!(stopped(process).await, known);
}

#[tokio::test]
async fn a_signal_is_an_exit_without_a_code_and_stderr_comes_last() {
    let process = spawn("echo bad >&2; read -r l; kill -9 $$").await;
    assert_eq!(arrival(&process, &ask("one", 1)).await, Arrival::Gone);
    assert_eq!(
        stopped(process).await,
        "opened\nsent <one>\nEof\nExited(None)\nstderr bad\n\n"
    );
}

#[tokio::test]
async fn a_grandchild_that_keeps_the_pipes_does_not_keep_us() {
    let process = spawn(&format!("sleep 300 & echo $$; read -r l; {ANSWER}; exit 0")).await;
    let group = group(&process).await;
    let begin = Instant::now();
    assert_eq!(arrival(&process, &ask("one", 1)).await, Arrival::Answered);
    assert_eq!(arrival(&process, &ask("two", 2)).await, Arrival::Gone);
    let story = stopped(process).await;
    assert!(begin.elapsed() < 40 * SHORT, "{:?}", begin.elapsed());
    assert_eq!(survivors(&group), "");
    assert!(
        story.contains("Exited(Some(0))\nStopped(Killed)\nEof\n"),
        "{story}"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_grandchild_in_a_session_of_its_own_does_not_keep_us_either() {
    let process = spawn("setsid sleep 5 & echo $$; read -r l; exit 0").await;
    group(&process).await;
    let begin = Instant::now();
    let story = stopped(process).await;
    assert!(begin.elapsed() < 40 * SHORT, "{:?}", begin.elapsed());
    assert!(story.ends_with("Exited(Some(0))\nStopped(Killed)\n"));
}

#[tokio::test]
async fn a_server_that_ignores_everything_is_killed_with_its_tree() {
    let script = "trap '' TERM; echo $$; sleep 300 & while :; do sleep 300; done";
    let process = spawn(script).await;
    let group = group(&process).await;
    let log = process.log().clone();
    let begin = Instant::now();
    process.stop(SHORT).await;
    assert!(begin.elapsed() < 40 * SHORT, "{:?}", begin.elapsed());
    assert_eq!(survivors(&group), "");
    let end = "Stopped(StdinClosed)\nStopped(Terminated)\nStopped(Killed)\nEof\n";
    assert!(story(&log).ends_with(end), "{}", story(&log));
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_stdin_is_asked_to_terminate() {
    let process = spawn("trap 'exit 5' TERM; echo $$; while :; do sleep 0.02; done").await;
    let group = group(&process).await;
    let log = process.log().clone();
    process.stop(SHORT).await;
    assert_eq!(survivors(&group), "");
    let end = "Stopped(Terminated)\nEof\nExited(Some(5))\n";
    assert!(story(&log).contains(end), "{}", story(&log));
}

#[tokio::test]
async fn dropping_kills_the_tree_at_once_and_reaps_it() {
    let process = spawn("trap '' TERM; echo $$; sleep 300 & sleep 300; :").await;
    let group = group(&process).await;
    let log = process.log().clone();
    drop(process);
    let before = story(&log);
    // The runtime runs on for a moment, as it does between two servers of a run.
    tokio::time::sleep(6 * SHORT).await;
    assert_eq!(survivors(&group), "");
    assert_eq!(story(&log), before);
}

#[test]
fn dropping_the_runtime_kills_the_tree_too() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (process, group) = runtime.block_on(async {
        let process = spawn("echo $$; sleep 300 & sleep 300; :").await;
        let group = group(&process).await;
        (process, group)
    });
    drop(runtime);
    drop(process);
    // Without a runtime nobody reaps the leader; that it was killed is what counts here.
    for line in survivors(&group).lines() {
        assert_eq!(line.split_whitespace().nth(2), Some("Z"), "{line}");
    }
}

#[tokio::test]
async fn closed_stdout_means_gone_although_the_process_lives() {
    let process = spawn("echo $$; exec >&-; while read -r l; do :; done; exit 0").await;
    group(&process).await;
    assert_eq!(arrival(&process, &ask("one", 1)).await, Arrival::Gone);
    assert!(process.is_gone());
    let story = stopped(process).await;
    let end = "Eof\nsent <one>\nStopped(StdinClosed)\nExited(Some(0))\n";
    assert!(story.ends_with(end), "{story}");
}

#[tokio::test]
async fn only_responses_answer() {
    let process = spawn(
        r#"read -r l
        printf '{"jsonrpc":"2.0","id":1,"method":"roots/list"}\n'
        printf '{"id":1}\n{}\nnull\n[]\nnot json\n{"id":1,"result":1,"error":{}}\n'
        printf '{"method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}\n'
        read -r m; printf '{"id":1,"error":"odd"}\n'; read -r n"#,
    )
    .await;
    let mut one = process.send(&ask("one", 1)).await;
    assert_eq!(process.wait(&mut one, 4 * SHORT).await, Arrival::Silent);
    process.send(&ask("two", 2)).await;
    assert_eq!(process.wait(&mut one, LONG).await, Arrival::Answered);
    let story = stopped(process).await;
    let received = received(&story);
    assert_eq!(received.len(), 9, "{story}");
    assert_eq!(story.matches("<one>").count(), 2, "{story}");
    assert_eq!(received[8], "{\"id\":1,\"error\":\"odd\"} <one>");
}

#[tokio::test]
async fn an_error_without_an_id_answers_the_only_open_question() {
    let process = spawn(
        r#"read -r l; printf '{"id":null,"error":{"message":"x"}}\n'
        read -r l; read -r l; printf '{"error":{"message":"y"}}\n'; read -r l"#,
    )
    .await;
    assert_eq!(arrival(&process, &ask("one", 1)).await, Arrival::Answered);
    let mut two = process.send(&ask("two", 2)).await;
    let mut three = process.send(&ask("three", 3)).await;
    assert_eq!(process.wait(&mut two, 4 * SHORT).await, Arrival::Silent);
    assert_eq!(process.wait(&mut three, SHORT).await, Arrival::Silent);
    assert_eq!(
        received(&stopped(process).await),
        [
            "{\"id\":null,\"error\":{\"message\":\"x\"}} <one>",
            "{\"error\":{\"message\":\"y\"}}"
        ]
    );
}

#[tokio::test]
async fn an_acknowledgement_ends_the_wait_of_its_subscription() {
    let process = spawn(
        r#"read -r l; read -r l
        for id in 2 '"s"'; do
            printf '{"method":"notifications/subscriptions/acknowledged",'
            printf '"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}\n' "$id"
        done; read -r m"#,
    )
    .await;
    let mut plain = process.send(&ask("plain", 2)).await;
    let mut listen = ask("listen", "s");
    listen.until = Until::Acknowledged;
    assert_eq!(arrival(&process, &listen).await, Arrival::Answered);
    assert_eq!(process.wait(&mut plain, SHORT).await, Arrival::Silent);
    let mut cancel = ask("cancel", Value::Null);
    cancel.id = None;
    cancel.until = Until::Sent;
    assert_eq!(arrival(&process, &cancel).await, Arrival::Answered);
    assert_eq!(stopped(process).await.matches("<listen>").count(), 2);
}

#[tokio::test]
async fn line_endings_are_cut_off_and_empty_lines_recorded_once() {
    let process =
        spawn(r#"read -r l; printf '\r\n\n \n{"id":1,"result":{}}\r\n\n'; read -r m; printf tail"#)
            .await;
    assert_eq!(arrival(&process, &ask("one", 1)).await, Arrival::Answered);
    assert_eq!(
        stopped(process).await,
        "opened\nsent <one>\nreceived \nreceived  \nreceived {\"id\":1,\"result\":{}} <one>\n\
         Stopped(StdinClosed)\nreceived tail\nfailed Read\nEof\nExited(Some(0))\n"
    );
}

#[tokio::test]
async fn a_server_that_does_not_read_cannot_block_us() {
    let limits = Limits {
        request: 4 * SHORT,
        ..Limits::default()
    };
    let process = spawn_within("sleep 300", &limits).await;
    let mut large = ask("large", 1);
    large.body = vec![b' '; 1024 * 1024];
    let begin = Instant::now();
    assert_eq!(arrival(&process, &large).await, Arrival::Gone);
    assert_eq!(arrival(&process, &ask("next", 2)).await, Arrival::Gone);
    assert!(begin.elapsed() < 60 * SHORT, "{:?}", begin.elapsed());
    assert_eq!(
        story(process.log()),
        "opened\nsent <large>\nfailed Send <large>\nfailed Send <next>\n"
    );
}

#[tokio::test]
async fn a_write_to_a_closed_stdin_fails_with_its_key() {
    let process = spawn("exec <&-; echo $$; sleep 300").await;
    group(&process).await;
    assert_eq!(arrival(&process, &ask("one", 1)).await, Arrival::Gone);
    let story = story(process.log());
    assert!(
        story.ends_with("sent <one>\nfailed Send <one>\n"),
        "{story}"
    );
}

#[tokio::test]
async fn a_long_line_keeps_its_head_and_the_next_one_counts() {
    let limits = Limits {
        message: 1000,
        ..Limits::default()
    };
    let long = "head -c 5000 /dev/zero | tr '\\0' x; echo";
    let process = spawn_within(&format!("read -r l; {long}; {ANSWER}; read -r l"), &limits).await;
    assert_eq!(arrival(&process, &ask("one", 1)).await, Arrival::Answered);
    let first = events(process.log()).swap_remove(2).1;
    let Event::Received { data, .. } = first else {
        panic!("{first:?}")
    };
    assert_eq!((data.bytes.len(), data.length), (1000, 5000));
    process.stop(LONG).await;
}

#[tokio::test]
async fn the_newest_of_stderr_is_kept_and_never_blocks_the_server() {
    let limits = Limits {
        stderr: 20,
        ..Limits::default()
    };
    let noise = r"yes noise | head -c 600000 >&2; printf 'last\377\n' >&2";
    let process = spawn_within(&format!("{noise}; {ANSWER}; read -r l"), &limits).await;
    assert_eq!(arrival(&process, &ask("one", 1)).await, Arrival::Answered);
    let log = process.log().clone();
    process.stop(LONG).await;
    let last = events(&log).pop().unwrap().1;
    let Event::Stderr(data) = last else {
        panic!("{last:?}")
    };
    assert_eq!(data.bytes, b"noise\nnoise\nlast\xff\n"[..]);
    assert_eq!(data.length, 600_006);
}

#[tokio::test]
async fn the_environment_is_exactly_what_was_given() {
    let mut launch = sh("");
    launch.argv = vec!["env".into()];
    launch.env.push(("TOKEN".into(), "a b;$c".into()));
    let process = Process::spawn(&launch, &Limits::default(), log())
        .await
        .unwrap();
    let story = stopped(process).await;
    let mut lines = received(&story);
    lines.sort_unstable();
    let path = format!("PATH={}", launch.env[0].1);
    assert_eq!(lines, [path.as_str(), "TOKEN=a b;$c"]);
}

#[tokio::test]
async fn arguments_are_passed_on_and_the_directory_is_entered() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("server");
    std::fs::write(&file, "#!/bin/sh\npwd -P\nprintf '%s\\n' \"$@\"\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&file, mode).unwrap();
    let launch = Launch {
        argv: ["./server", "a b", "$HOME", "*", "'"]
            .map(String::from)
            .to_vec(),
        cwd: Some(dir.path().into()),
        env: vec![("PATH".into(), "/bin:/usr/bin".into())],
    };
    let process = Process::spawn(&launch, &Limits::default(), log())
        .await
        .unwrap();
    assert_eq!(
        events(process.log())[0].1,
        Event::Opened(launch.argv.clone())
    );
    let story = stopped(process).await;
    let cwd = dir.path().canonicalize().unwrap();
    let cwd = cwd.to_str().unwrap();
    assert_eq!(received(&story), [cwd, "a b", "$HOME", "*", "'"]);
}

#[tokio::test]
async fn a_server_that_cannot_start_is_an_error_that_says_where_it_was_sought() {
    let log = log();
    let mut launch = sh("");
    launch.argv[0] = "no-such-program".into();
    launch.env[0].1 = "/nowhere:/bin".into();
    let start = async |launch: &Launch| {
        let started = Process::spawn(launch, &Limits::default(), log.clone()).await;
        started.unwrap_err()
    };
    let error = start(&launch).await;
    assert!(matches!(error, LaunchError::NotFound { .. }));
    let message = error.to_string();
    assert!(message.contains("no-such-program"), "{message}");
    assert!(message.contains("/nowhere:/bin"), "{message}");
    let stage = Stage::Launch;
    assert_eq!(events(&log), [(None, Event::Failed { stage, message })]);

    launch.cwd = Some("/nowhere".into());
    let error = start(&launch).await;
    assert!(matches!(error, LaunchError::NoDirectory { .. }), "{error}");
    launch.cwd = None;
    launch.argv[0] = "/etc/passwd".into();
    let message = start(&launch).await.to_string();
    assert!(message.contains("no program at /etc/passwd"), "{message}");
    launch.argv.clear();
    assert!(matches!(start(&launch).await, LaunchError::Empty));
}
