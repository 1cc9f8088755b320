//! What is secret shows up nowhere: not in any output, not in a recording, not even when the
//! server sends it back.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/cli.rs"]
mod cli;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;

use cli::{Done, Served, command, finish, scratch};

const FORMATS: [&str; 4] = ["text", "json", "sarif", "markdown"];

/// Runs verbosely with every output there is, and gives all that was written.
fn everything(command: &mut std::process::Command) -> (Done, String) {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    command
        .arg("--verbose")
        .arg("--record")
        .arg(at("run.jsonl"));
    for format in FORMATS {
        command.args([
            "--emit".to_owned(),
            format!("{format}:{}", at(format).display()),
        ]);
    }
    let done = finish(command);
    let mut all = format!("{}\n{}\n", done.stdout, done.stderr);
    for name in FORMATS.iter().copied().chain(["run.jsonl"]) {
        all += &fs::read_to_string(at(name)).unwrap();
    }
    all += &finish(
        cli::command()
            .arg("replay")
            .arg(at("run.jsonl"))
            .arg("--verbose"),
    )
    .stdout;
    (done, all)
}

fn assert_hidden(all: &str, secrets: &[&str]) {
    for secret in secrets {
        if let Some(at) = all.find(secret) {
            let around = all[..at]
                .char_indices()
                .rev()
                .nth(200)
                .map_or(0, |(at, _)| at);
            panic!("{secret} shows up: {}", &all[around..at + secret.len()]);
        }
    }
}

/// A server that puts all it was told into its answers: status line aside, everywhere.
fn echo() -> u16 {
    fn answer(stream: &mut TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim_end().is_empty() {
                break;
            }
            head += line.trim_end();
            head.push(' ');
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let request: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let meta = serde_json::json!({
            "io.modelcontextprotocol/serverInfo": {"name": head, "version": head},
        });
        let result = serde_json::json!({
            "_meta": meta, "resultType": head, "instructions": head,
            "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "tools": [{"name": head, "description": head, "inputSchema": {"type": "object"}}],
        });
        let answer = if request["method"] == "tools/call" {
            serde_json::json!({"jsonrpc": "2.0", "id": request["id"],
                "error": {"code": -32602, "message": head}})
        } else {
            serde_json::json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
        };
        let text = answer.to_string();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Echo: {head}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        )
    }
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                // A client that goes away early is its own business.
                let _ = answer(&mut stream);
            });
        }
    });
    port
}

#[test]
fn what_is_given_for_http_is_hidden_even_when_it_comes_back() {
    let port = echo();
    let mut command = command();
    command
        .arg(format!(
            "http://us-er-sec%21ret:pass-sec%21ret@127.0.0.1:{port}/mcp?key=query-sec%21ret&two=second-secret"
        ))
        .args(["--header", "X-Api-Key: header-secret-1"])
        .args(["--header", "X-Custom: Custom header-secret-2"])
        .args(["--header-env", "X-Other: FIRST"])
        .env("FIRST", "header-secret-3 \"quoted\\");
    let (done, all) = everything(&mut command);
    assert!(all.contains("{{secret:"), "{done:?}");
    assert_hidden(
        &all,
        &[
            "us-er-sec",
            "pass-sec",
            "query-sec",
            "second-secret",
            "header-secret",
            // user and password, in Base64
            "dXMtZXItc2Vj",
        ],
    );
}

#[test]
fn a_bearer_token_is_hidden_even_when_it_comes_back() {
    let port = echo();
    let mut command = command();
    command
        .args(["--http", &format!("http://127.0.0.1:{port}/mcp")])
        .args(["--bearer-env", "TOKEN"])
        .env("TOKEN", "bearer-secret");
    let (_, all) = everything(&mut command);
    assert!(all.contains("{{secret:TOKEN}}"));
    assert_hidden(&all, &["bearer-secret"]);
}

#[test]
fn a_token_opens_the_door_and_stays_hidden() {
    let server = Served::start(&["--fault", "auth-correct"]);
    for (flag, value, variable) in [
        ("--bearer-env", "TOKEN", "fixture-token"),
        (
            "--header-env",
            "Authorization: TOKEN",
            "Bearer fixture-token",
        ),
        ("--header", "Authorization: Bearer fixture-token", ""),
    ] {
        let mut command = command();
        command
            .args([&server.url, flag, value])
            .env("TOKEN", variable);
        let (done, all) = everything(&mut command);
        assert_eq!(done.code, Some(0), "{flag}: {done:?}");
        assert_hidden(&all, &["fixture-token"]);
    }
    let wrong = finish(
        command()
            .args([&server.url, "--bearer-env", "TOKEN"])
            .env("TOKEN", "other-token"),
    );
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.starts_with("could not judge: auth-required "),
        "{wrong:?}"
    );
}

/// Prints its environment in the way of servers that log too much, and answers with it.
#[cfg(unix)]
#[test]
fn what_is_given_to_a_process_is_hidden_even_when_it_comes_back() {
    let script = r#"
        env >&2
        echo "key is $KEY"
        while read -r line; do
            id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no %s %s %s"}}\n' \
                "$id" "$KEY" "$PASSED" "$API_TOKEN"
        done
    "#;
    for flags in [
        ["--env-pass", "PASSED"].as_slice(),
        &["--env-pass", "PASSED", "--env-pass-all"],
    ] {
        let mut command = command();
        command
            .args([
                "--timeout",
                "1s",
                "--deadline",
                "5s",
                "--env",
                "KEY=stdio-secret-1",
            ])
            .args(flags)
            .env("PASSED", "stdio-secret-2")
            .env("API_TOKEN", "stdio-secret-3");
        // Everything after `--` is the server's.
        let dir = scratch();
        let file = dir.path().join("server.sh");
        fs::write(&file, script).unwrap();
        command.args(["--stdio", &format!("sh {}", shown(&file))]);
        let (done, all) = everything(&mut command);
        assert!(all.contains("{{secret:KEY}}"), "{done:?}");
        assert_hidden(&all, &["stdio-secret"]);
    }
}

#[cfg(unix)]
fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn usage_errors_repeat_no_secret() {
    for args in [
        [
            "--http",
            "http://user:url-secret@127.0.0.1:99999/mcp?k=url-secret",
        ]
        .as_slice(),
        &["--http", "ftp://user:url-secret@127.0.0.1/mcp"],
        &["http://user:url-secret@/mcp"],
        &["--header", "url-secret", "http://127.0.0.1:9/mcp"],
        &["--header", "Bad Name: url-secret", "http://127.0.0.1:9/mcp"],
        &[
            "--header",
            "Name: url-secret\u{1}",
            "http://127.0.0.1:9/mcp",
        ],
        &["--env", "=url-secret", "--", "x"],
        &["--env", "url-secret", "--", "x"],
    ] {
        let done = finish(command().args(args));
        assert_eq!(done.code, Some(2), "{args:?}");
        assert_hidden(&format!("{}{}", done.stdout, done.stderr), &["url-secret"]);
    }
}

#[test]
fn a_plan_shows_no_secret() {
    let mut command = command();
    command
        .args([
            "--plan",
            "http://user:url-secret@127.0.0.1:9/mcp?key=url-secret",
        ])
        .args(["--header", "X-Key: url-secret", "--bearer-env", "TOKEN"])
        .env("TOKEN", "url-secret");
    let done = finish(&mut command);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_hidden(&done.stdout, &["url-secret"]);
}

#[test]
fn a_variable_that_is_not_set_is_a_usage_error() {
    for flags in [
        ["--bearer-env", "NOT_SET"],
        ["--header-env", "X-Key: NOT_SET"],
    ] {
        let done = finish(command().args(flags).arg("http://127.0.0.1:9/mcp"));
        assert_eq!(done.code, Some(2));
        assert!(done.stderr.contains("NOT_SET"), "{}", done.stderr);
        let empty = finish(
            command()
                .args(flags)
                .env("NOT_SET", "")
                .arg("http://127.0.0.1:9/mcp"),
        );
        assert_eq!(empty.code, Some(2));
    }
}
