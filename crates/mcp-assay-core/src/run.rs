//! Asks a server everything and records it; the one place where the parts come together.

use std::time::{Instant, SystemTime};

use crate::engine::Selection;
use crate::protocol::TARGET_REVISION;
use crate::report::{self, Report};
use crate::scenario::{self, Settings};
use crate::transcript::{FORMAT, Header, Recorder, Redactor, Transcript, TransportKind};
use crate::transport::http::{Client, SetupError as HttpSetup};
use crate::transport::{Endpoint, Launch};
use crate::wire::command;

/// The server to check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Target {
    /// A program that we start, on its standard streams.
    Stdio(Launch),
    /// A URL.
    Http(Endpoint),
}

/// A value that must never show up anywhere, and the name that stands for it.
#[derive(Debug, Clone)]
pub struct Secret {
    /// Shown in its place.
    pub name: String,
    /// Hidden. Values under six bytes are not hidden: they would tear holes into ordinary text.
    pub value: String,
}

/// The run could not be set up; nothing was sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The HTTP client could not be made.
    #[error(transparent)]
    Http(#[from] HttpSetup),
}

/// Checks a server: records a run and judges it by all rules.
///
/// Returns within `settings.limits.deadline` and a short shutdown, whatever the server does, and
/// leaves no process behind.
///
/// # Errors
/// If the run could not be set up. A server that cannot be started or reached is no error but a
/// report with the verdict `unreachable`.
pub async fn check(
    target: &Target,
    settings: &Settings,
) -> Result<(Transcript, Report), SetupError> {
    let transcript = record(target, settings, &[]).await?;
    let report = report::build(&transcript, &Selection::default(), false);
    Ok((transcript, report))
}

/// Asks a server everything and records it, with `secrets` replaced by placeholders.
///
/// # Errors
/// If the run could not be set up.
pub async fn record(
    target: &Target,
    settings: &Settings,
    secrets: &[Secret],
) -> Result<Transcript, SetupError> {
    let redactor = Redactor::new(
        secrets
            .iter()
            .map(|secret| (secret.name.as_str(), secret.value.as_str())),
    );
    let shown = redactor.text(&shown_target(target));
    let started = SystemTime::now();
    let clock = Instant::now();
    let recorder = Recorder::new(redactor, settings.limits.kept);
    let (transport, entries) = match target {
        Target::Stdio(launch) => (
            TransportKind::Stdio,
            scenario::run_stdio(launch, settings, &recorder).await,
        ),
        Target::Http(endpoint) => {
            let client = Client::new(endpoint, &settings.limits)?;
            (
                TransportKind::Http,
                scenario::run_http(endpoint, client, settings, &recorder).await,
            )
        }
    };
    Ok(Transcript {
        header: Header {
            format: FORMAT,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            target: shown,
            transport,
            target_revision: TARGET_REVISION.to_owned(),
            started_at: report::rfc3339(started),
            duration_ms: u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX),
            forced_era: match settings.eras {
                scenario::Eras::Auto => None,
                scenario::Eras::Modern => Some("modern".to_owned()),
                scenario::Eras::Legacy => Some("legacy".to_owned()),
            },
        },
        entries,
    })
}

/// The target as shown to people: no userinfo, no query.
fn shown_target(target: &Target) -> String {
    match target {
        Target::Stdio(launch) => command::join(&launch.argv),
        Target::Http(endpoint) => {
            let mut url = endpoint.url.clone();
            // Neither can fail for a URL that has a host; without one there is nothing to hide.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.set_query(None);
            url.set_fragment(None);
            url.to_string()
        }
    }
}
