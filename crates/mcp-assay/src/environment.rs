//! What a spawned server gets of our environment: little, and documented.

use mcp_assay_core::Secret;

use crate::args::StdioArgs;

/// Passed on where set. On Windows programs also need the second list to run at all.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
];

const PASSED_ON_WINDOWS: &[&str] = &[
    "APPDATA",
    "ComSpec",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "SystemDrive",
    "SystemRoot",
    "USERNAME",
    "USERPROFILE",
    "windir",
];

/// Configuration of the package runners that start many servers.
const PASSED_PREFIXES: &[&str] = &["npm_config_", "NPM_CONFIG_", "PIP_", "UV_"];

/// The environment of a spawned server, and what it was not given.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    pub(crate) set: Vec<(String, String)>,
    pub(crate) secrets: Vec<Secret>,
    pub(crate) withheld: Vec<String>,
}

/// Builds it from our own environment and the flags; later settings win.
pub(crate) fn build(
    args: &StdioArgs,
    ours: impl Iterator<Item = (String, String)>,
) -> anyhow::Result<Environment> {
    let mut environment = Environment::default();
    let mut missing: Vec<&String> = args.env_pass.iter().collect();
    for (name, value) in ours {
        missing.retain(|wanted| **wanted != name);
        let asked = args.env_pass.contains(&name);
        if args.env_pass_all || asked || is_passed(&name) {
            if asked || args.env_pass_all && looks_secret(&name) {
                environment.secrets.push(Secret {
                    name: name.clone(),
                    value: value.clone(),
                });
            }
            environment.set.push((name, value));
        } else {
            environment.withheld.push(name);
        }
    }
    if let Some(name) = missing.first() {
        anyhow::bail!("pass {name} on: the variable is not set");
    }
    for pair in &args.env {
        let Some((name, value)) = pair.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            anyhow::bail!("set a variable: --env takes NAME=VALUE");
        };
        environment.set.retain(|(known, _)| known != name);
        environment.withheld.retain(|known| known != name);
        environment.set.push((name.to_owned(), value.to_owned()));
        if looks_secret(name) || !is_plain(value) {
            environment.secrets.push(Secret {
                name: name.to_owned(),
                value: value.to_owned(),
            });
        }
    }
    environment.withheld.sort();
    Ok(environment)
}

fn is_passed(name: &str) -> bool {
    PASSED.contains(&name)
        || PASSED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix) && !looks_secret(name))
        || (cfg!(windows)
            && PASSED
                .iter()
                .chain(PASSED_ON_WINDOWS)
                .any(|known| known.eq_ignore_ascii_case(name)))
}

fn looks_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "API_KEY",
        "APIKEY",
        "CREDENTIAL",
        "AUTH",
        "PRIVATE",
    ]
    .iter()
    .any(|word| upper.contains(word))
}

/// A word such as `disabled`, or a path: no secret under an innocent name, and hiding it would tear
/// holes into what the server says, as into the path of a file that it could not open.
fn is_plain(value: &str) -> bool {
    let word = value.len() <= 12 && value.bytes().all(|byte| byte.is_ascii_lowercase());
    let path = std::path::Path::new(value).is_absolute() && !value.contains('@');
    word || path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> StdioArgs {
        StdioArgs {
            cwd: None,
            env: Vec::new(),
            env_pass: Vec::new(),
            env_pass_all: false,
        }
    }

    fn ours() -> impl Iterator<Item = (String, String)> {
        [
            ("PATH", "/bin"),
            ("GITHUB_TOKEN", "ghp_secret"),
            ("npm_config_cache", "/c"),
            ("NPM_CONFIG_AUTH_TOKEN", "x"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into_iter()
    }

    #[test]
    fn little_is_passed_and_the_rest_is_named() {
        let environment = build(&args(), ours()).unwrap();
        let names: Vec<&str> = environment
            .set
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["PATH", "npm_config_cache"]);
        assert_eq!(
            environment.withheld,
            ["GITHUB_TOKEN", "NPM_CONFIG_AUTH_TOKEN"]
        );
    }

    #[test]
    fn what_is_asked_for_is_passed_and_hidden() {
        let mut args = args();
        args.env_pass = vec!["GITHUB_TOKEN".to_owned()];
        args.env = vec!["KEY=value-of-key".to_owned()];
        let environment = build(&args, ours()).unwrap();
        let secrets: Vec<&str> = environment
            .secrets
            .iter()
            .map(|s| s.name.as_str())
            .collect();
        assert_eq!(secrets, ["GITHUB_TOKEN", "KEY"]);
        args.env = ["MODE=disabled", "FILE=/etc/hosts", "API_KEY=abcdefgh"]
            .map(str::to_owned)
            .to_vec();
        let secrets = build(&args, ours()).unwrap().secrets;
        let names: Vec<&str> = secrets.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["GITHUB_TOKEN", "API_KEY"]);
        args.env_pass = vec!["NOT_SET".to_owned()];
        assert!(build(&args, ours()).is_err());
    }
}
