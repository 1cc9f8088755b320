//! Sentences that several formats share.

use crate::report::{Era, Level, OutcomeKind, Owner, Report, Severity, Verdict};
use crate::transcript::TransportKind;

pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unreachable => "UNREACHABLE",
        Verdict::AuthRequired => "AUTH REQUIRED",
        Verdict::NotMcp => "NOT MCP",
        Verdict::NotReady => "NOT READY",
        Verdict::Incomplete => "INCOMPLETE",
        Verdict::Ready => "READY",
    }
}

pub(super) fn era(era: Era) -> &'static str {
    match era {
        Era::Modern => "modern",
        Era::Dual => "dual",
        Era::Legacy => "legacy",
        Era::Unknown => "unknown",
    }
}

/// Also a level of SARIF.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

pub(super) fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "must",
        Level::MustNot => "must not",
        Level::Should => "should",
        Level::ShouldNot => "should not",
        Level::May => "may",
        Level::Shape => "shape",
        Level::Advice => "advice",
    }
}

pub(super) fn owner(owner: Owner) -> &'static str {
    match owner {
        Owner::Sdk => "sdk",
        Owner::Application => "application",
        Owner::Infrastructure => "infrastructure",
    }
}

pub(super) fn outcome(outcome: OutcomeKind) -> &'static str {
    match outcome {
        OutcomeKind::Pass => "pass",
        OutcomeKind::Fail => "fail",
        OutcomeKind::NotApplicable => "not applicable",
        OutcomeKind::NotMeasured => "not measured",
        OutcomeKind::Crashed => "crashed",
    }
}

/// True if nothing but, at most, an authorization challenge was judged.
pub(super) fn nothing_measured(report: &Report) -> bool {
    matches!(
        report.verdict,
        Verdict::Unreachable | Verdict::AuthRequired | Verdict::NotMcp
    )
}

/// How many errors there are, who has to act, and what that makes possible.
pub(super) fn causes(report: &Report) -> Option<String> {
    let errors: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .collect();
    let masked = report
        .rules
        .iter()
        .filter(|rule| rule.outcome == OutcomeKind::NotMeasured)
        .filter(|rule| {
            let because = rule.because.as_deref();
            errors.iter().any(|error| because == Some(&error.rule_id))
        })
        .count();
    let then = if masked == 0 {
        String::new()
    } else {
        format!(
            "; {} measurable then",
            plural(masked, "rule becomes", "rules become")
        )
    };
    match errors.as_slice() {
        [] => None,
        [one] => {
            let who = match one.remediation {
                // A current SDK may be started with the old transport: then no upgrade helps.
                Owner::Sdk if one.rule_id == "MCP016" => "Serving Streamable HTTP fixes it",
                Owner::Sdk if report.era == Era::Legacy => "Upgrading the SDK fixes it",
                Owner::Sdk => "The SDK has to fix it",
                Owner::Application => "The server's own code has to fix it",
                Owner::Infrastructure => "What stands in front of the server has to fix it",
            };
            Some(format!("1 cause found. {who}{then}."))
        }
        several => {
            let share = |owner: Owner, whose: &str| {
                let count = several
                    .iter()
                    .filter(|error| error.remediation == owner)
                    .count();
                (count > 0).then(|| format!("{count} {whose}"))
            };
            let then = then.replace("measurable then", "measurable when they are fixed");
            let shares: Vec<_> = [
                share(Owner::Sdk, "in the SDK"),
                share(Owner::Application, "in the server's own code"),
                share(
                    Owner::Infrastructure,
                    "in what stands in front of the server",
                ),
            ]
            .into_iter()
            .flatten()
            .collect();
            Some(format!(
                "{} causes found: {}{then}.",
                several.len(),
                shares.join(", ")
            ))
        }
    }
}

/// The counts of findings by what they do to users.
pub(super) fn findings(report: &Report) -> String {
    let count = |severity| {
        report
            .findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    format!(
        "breaking {} · advisory {} · notes {}",
        count(Severity::Error),
        count(Severity::Warning),
        count(Severity::Note)
    )
}

/// The counts of rules by outcome.
pub(super) fn rules(report: &Report) -> String {
    let count = |outcome| {
        report
            .rules
            .iter()
            .filter(|rule| rule.outcome == outcome)
            .count()
    };
    let mut words = format!("passed {}", count(OutcomeKind::Pass));
    for (outcome, name) in [
        (OutcomeKind::Fail, "failed"),
        (OutcomeKind::NotMeasured, "not measured"),
        (OutcomeKind::NotApplicable, "not applicable"),
        (OutcomeKind::Crashed, "crashed"),
    ] {
        let count = count(outcome);
        if count > 0 {
            words += &format!(" · {name} {count}");
        }
    }
    words
}

/// True if there is nothing to count.
pub(super) fn countless(report: &Report) -> bool {
    report.rules.is_empty() || (nothing_measured(report) && report.findings.is_empty())
}

/// Of the checks at level MUST and MUST NOT, how many hold.
pub(super) fn conformance(report: &Report) -> Option<String> {
    let conformance = report.conformance.as_ref()?;
    Some(format!(
        "{} of {} must and must-not checks hold, {} broken, {} not measured",
        conformance.hold, conformance.applicable, conformance.broken, conformance.not_measured
    ))
}

/// Why rules were not measured, most frequent first: how many, a reason, some ids.
pub(super) fn not_measured(report: &Report) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for rule in &report.rules {
        if rule.outcome != OutcomeKind::NotMeasured {
            continue;
        }
        let reason = match (&rule.because, &rule.reason) {
            (Some(because), _) => format!(" because of {because}"),
            (None, Some(reason)) => format!(": {reason}"),
            (None, None) => " for no recorded reason".to_owned(),
        };
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, ids)) => ids.push(&rule.id),
            None => groups.push((reason, vec![&rule.id])),
        }
    }
    groups.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    groups
        .into_iter()
        .map(|(reason, ids)| match ids.as_slice() {
            few @ ([_] | [_, _]) => format!("{}{reason}", few.join(" and ")),
            many => format!("{} rules{reason}", many.len()),
        })
        .collect()
}

/// What the reader can do where no finding says it.
pub(super) fn next_step(report: &Report) -> Option<&'static str> {
    match report.verdict {
        Verdict::Unreachable => Some(match report.unreachable.as_deref() {
            Some("launch-failed") => {
                "Run the command by hand in the same directory. A spawned server gets a minimal \
                 environment: hand over what it needs with --env K=V or --env-pass NAME."
            }
            Some("silent") if report.transport == TransportKind::Http => {
                "See whether this is the URL of the MCP endpoint, and whether the server is stuck. \
                 If it only answers slowly, raise --timeout."
            }
            Some("silent") => {
                "See whether the server reads JSON-RPC messages on its standard input and answers \
                 on its standard output. If it only starts slowly, raise --timeout."
            }
            Some("refused") => {
                "See whether the server is running, and check the host and the port."
            }
            Some("tls") => {
                "Check the server's certificate and its chain, and whether the URL should begin \
                 with http:// instead."
            }
            Some("host-refused") => {
                "The host refused before MCP began. Allow this host name (and clients without \
                 Origin) in the server's or the proxy's host check, or check the credentials."
            }
            Some("redirect") => "Check the URL it redirects to, and ask there.",
            Some("rate-limited") => "Try again later, or exempt this client from the limit.",
            Some("server-error") => "See the server's own log for the failure, and try again.",
            _ => "Check the command or the URL, and try again.",
        }),
        Verdict::AuthRequired => Some(
            "Hand over a credential: --bearer-env NAME, or --header-env 'Authorization: NAME', \
             where NAME is an environment variable.",
        ),
        Verdict::NotMcp => Some(match report.transport {
            crate::transcript::TransportKind::Http => {
                "Check the path of the URL (often /mcp); a web page or another API may live here."
            }
            crate::transcript::TransportKind::Stdio => {
                "Check the command: does it start the MCP server, in stdio mode?"
            }
        }),
        Verdict::Incomplete => Some(
            "This is no verdict. See the reasons above, remove what stood in the way, and run again.",
        ),
        Verdict::NotReady | Verdict::Ready => None,
    }
}

/// A crashed rule in one sentence, of which the reason is not ours.
pub(super) fn crash(report: &Report, id: &str) -> String {
    let rule = report.rules.iter().find(|rule| rule.id == id);
    let reason = rule
        .and_then(|rule| rule.reason.as_deref())
        .unwrap_or("no message");
    format!("{id} crashed: {reason}. Its outcome is unknown; please report it.")
}

/// The target without what URLs in it carry besides scheme, host and path.
///
/// The report has removed the secrets it knows of; what gets published is cut further.
pub(super) fn public_target(target: &str) -> String {
    let words: Vec<String> = target.split(' ').map(bare_url).collect();
    words.join(" ")
}

fn bare_url(word: &str) -> String {
    let Some(at) = word.find("http://").or_else(|| word.find("https://")) else {
        return word.to_owned();
    };
    let (before, address) = word.split_at(at);
    let Ok(mut url) = url::Url::parse(address) else {
        return format!("{before}…");
    };
    url.set_query(None);
    url.set_fragment(None);
    // These fail only for a URL that cannot have a user, which then has none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    format!("{before}{url}")
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
