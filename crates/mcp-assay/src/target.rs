//! From the command line to a target, with hints for likely slips.

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_assay_core::report::{Report, Verdict};
use mcp_assay_core::wire::command;
use mcp_assay_core::{Endpoint, Launch, Secret, Target};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::args::CheckArgs;
use crate::environment;

/// What to check, what to keep secret, and what a spawned server is not given.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) target: Target,
    pub(crate) secrets: Vec<Secret>,
    pub(crate) withheld: Vec<String>,
    pub(crate) hints: Vec<String>,
}

/// Reads the target from the arguments.
pub(crate) fn choose(args: &CheckArgs) -> anyhow::Result<Chosen> {
    if let Some(line) = &args.stdio {
        let argv = command::split(line).context("read --stdio")?;
        return stdio(args, argv);
    }
    if !args.argv.is_empty() {
        if !args.words.is_empty() {
            bail!("choose a server: give either a URL or a command after `--`, not both");
        }
        return stdio(args, args.argv.clone());
    }
    if let Some(url) = &args.http {
        return http(args, url);
    }
    match args.words.as_slice() {
        [] => bail!(
            "choose a server: --stdio COMMAND, --http URL, or `-- COMMAND ...`; \
             `mcp-assay demo` needs none"
        ),
        [word] if looks_like_url(word) => http(args, word),
        words => bail!(
            "choose a server: did you mean `mcp-assay -- {}`?",
            command::join(words)
        ),
    }
}

fn stdio(args: &CheckArgs, argv: Vec<String>) -> anyhow::Result<Chosen> {
    let ours = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let environment = environment::build(&args.stdio_args, ours)?;
    let hints = command::hint(&argv).into_iter().collect();
    Ok(Chosen {
        target: Target::Stdio(Launch {
            argv,
            cwd: args.stdio_args.cwd.clone(),
            env: environment.set,
        }),
        secrets: environment.secrets,
        withheld: environment.withheld,
        hints,
    })
}

/// `https://...`, or a host with a port or a dot: `localhost:3000/mcp`.
fn looks_like_url(word: &str) -> bool {
    if word.contains("://") {
        return true;
    }
    let host = word.split('/').next().unwrap_or_default();
    let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
    let has_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    name == "localhost" || (has_port && !name.is_empty())
}

fn http(args: &CheckArgs, text: &str) -> anyhow::Result<Chosen> {
    let full = if text.contains("://") {
        text.to_owned()
    } else {
        // Without a scheme: a name of this machine is served in the clear, any other is not.
        let local = ["localhost", "127.", "[::1]"]
            .iter()
            .any(|start| text.starts_with(start));
        format!("{}://{text}", if local { "http" } else { "https" })
    };
    // Neither message repeats the URL: it may hold a password.
    let url = Url::parse(&full).context("read the URL of the server")?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!(
            "read the URL of the server: its scheme is {}, MCP over HTTP needs http or https",
            url.scheme()
        );
    }
    let mut secrets = url_secrets(&url);
    let mut headers = Vec::new();
    for pair in &args.http_args.header {
        let (name, value) = header(pair).context("read --header")?;
        secrets.extend(header_secrets(name, value));
        headers.push((name.to_owned(), value.to_owned()));
    }
    for pair in &args.http_args.header_env {
        let (name, variable) = header(pair).context("read --header-env")?;
        let value = from_environment(variable)?;
        secrets.extend(header_secrets(name, &value));
        headers.push((name.to_owned(), value));
    }
    if let Some(variable) = &args.http_args.bearer_env {
        let token = from_environment(variable)?;
        secrets.push(Secret {
            name: variable.clone(),
            value: token.clone(),
        });
        headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
    }
    Ok(Chosen {
        target: Target::Http(Endpoint {
            url,
            headers,
            ca_cert: args.http_args.ca_cert.clone(),
            concurrency: args.http_args.concurrency.clamp(1, 64),
        }),
        secrets,
        withheld: Vec::new(),
        hints: Vec::new(),
    })
}

fn header(pair: &str) -> anyhow::Result<(&str, &str)> {
    pair.split_once(':')
        .map(|(name, value)| (name.trim(), value.trim()))
        .filter(|(name, value)| !name.is_empty() && !value.is_empty())
        .context("expected `Name: value`")
}

fn from_environment(variable: &str) -> anyhow::Result<String> {
    std::env::var(variable)
        .ok()
        .filter(|value| !value.is_empty())
        .with_context(|| format!("read the variable {variable}: it is not set"))
}

/// The whole value, and what follows a scheme such as `Bearer`.
fn header_secrets(name: &str, value: &str) -> Vec<Secret> {
    let secret = |value: &str| Secret {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    let mut secrets = vec![secret(value)];
    secrets.extend(value.split_once(' ').map(|(_, rest)| secret(rest.trim())));
    secrets
}

/// Userinfo and query of a URL in each form that a server may echo: as written, decoded, and in
/// the `Authorization` header that is made of userinfo.
fn url_secrets(url: &Url) -> Vec<Secret> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let mut found = vec![
        ("url-user", url.username().to_owned()),
        ("url-user", decoded(url.username())),
    ];
    let password = url.password().unwrap_or_default();
    found.push(("url-password", password.to_owned()));
    found.push(("url-password", decoded(password)));
    let userinfo = format!("{}:{}", decoded(url.username()), decoded(password));
    found.push(("url-userinfo", STANDARD.encode(userinfo)));
    let query = url.query().unwrap_or_default();
    found.push(("url-query", query.to_owned()));
    for pair in query.split('&') {
        let value = pair.split_once('=').map_or(pair, |(_, value)| value);
        found.push(("url-query", value.to_owned()));
        found.push(("url-query", decoded(value)));
    }
    found
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| Secret {
            name: name.to_owned(),
            value,
        })
        .collect()
}

/// Names, never values, of what a server that died at start was not given.
fn withheld(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "the server got a minimal environment; withheld: {}{more}. Pass what it needs with --env-pass NAME",
        shown.join(", ")
    )
}

/// What may have gone wrong on the user's side, seen from the report.
pub(crate) fn afterthoughts(chosen: &Chosen, report: &Report) -> Vec<String> {
    let mut hints = chosen.hints.clone();
    match &chosen.target {
        // Of a program that never started no variable was missing, and one hint is enough.
        Target::Stdio(_)
            if hints.is_empty()
                && report.unreachable.as_deref() == Some("launch-failed")
                && report.verdict_reason.contains("exited")
                && !chosen.withheld.is_empty() =>
        {
            hints.push(withheld(&chosen.withheld));
        }
        Target::Stdio(_) if matches!(report.verdict, Verdict::Unreachable | Verdict::NotMcp) => {
            let listens = report.diagnostics.iter().any(|line| {
                let line = line.to_ascii_lowercase();
                line.contains("listening") || line.contains("http://")
            });
            if listens {
                hints.push(
                    "the program seems to serve HTTP; start it yourself and give its URL"
                        .to_owned(),
                );
            }
        }
        Target::Http(endpoint) => {
            let failed = matches!(
                report.verdict,
                Verdict::Unreachable | Verdict::NotMcp | Verdict::Incomplete
            );
            let path = endpoint.url.path();
            if failed && path == "/" {
                hints.push("the URL has no path; most servers are at /mcp".to_owned());
            } else if path.ends_with("/sse") && report.verdict != Verdict::Ready {
                hints.push(
                    "/sse is the usual place of the old HTTP+SSE transport; try /mcp".to_owned(),
                );
            }
            if report.unreachable.as_deref() == Some("refused") {
                hints.push("is the server running, and is this its port?".to_owned());
            }
        }
        _ => {}
    }
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_without_a_scheme_are_told_from_commands() {
        for url in [
            "http://x",
            "localhost:3000/mcp",
            "localhost/mcp",
            "127.0.0.1:80",
            "example.com:8443/mcp",
        ] {
            assert!(looks_like_url(url), "{url}");
        }
        for command in [
            "node",
            "server.js",
            "./server",
            "C:\\server.exe",
            "npx",
            "dist/server.js",
        ] {
            assert!(!looks_like_url(command), "{command}");
        }
    }
}
