//! MCP012: pre-release or unallocated codes for header, capability and version errors.

use crate::facts::{HEADERS_ACCEPTED, META_ACCEPTED, MODERN_SERVICE, base_errors, describe};
use crate::probe::{self, Probe};
use crate::protocol::code;
use crate::report::{Owner, Severity};
use crate::rules::{Check, Docs, Finding, Judgement, Rule};
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, Exchange, Reply, View};

/// Pre-release or unallocated codes for header, capability and version errors.
pub static RULE: Rule = Rule {
    id: "MCP012",
    name: "error-codes-not-renumbered",
    defect: "pre-release or unallocated codes for header, capability and version errors",
    claim: "Version, header and capability errors carry the codes this revision allocates.",
    severity: Severity::Error,
    owner: Owner::Sdk,
    http_only: false,
    gates: false,
    security: false,
    probes: &[
        &probe::UNKNOWN_VERSION,
        &probe::METHOD_MISMATCH,
        &probe::READ,
        &probe::PROMPT_GET,
        &probe::CALL_UNKNOWN,
    ],
    presupposes: &[&MODERN_SERVICE, &META_ACCEPTED, &HEADERS_ACCEPTED],
    symptom_of: None,
    checks: &[
        Check {
            requirement: "version.unsupported-error",
            judge: version,
        },
        Check {
            requirement: "transport.http.header.method-mismatch",
            judge: header,
        },
        Check {
            requirement: "base.capability.missing-client-capability",
            judge: capability,
        },
        Check {
            requirement: "base.error.no-undefined-reserved-code",
            judge: undefined,
        },
        Check {
            requirement: "base.error.no-32042",
            judge: url_elicitation,
        },
    ],
    docs: Docs {
        why: "The release candidate used -32001, -32003 and -32004. The final revision allocates \
              -32020 (headers), -32021 (capability) and -32022 (version), and reserves the rest of \
              -32020..-32099.",
        legal: "-32601, -32602, -32603 and any code outside the reserved range where the error is of \
                another kind. Serving an unknown version at all is a graver matter of its own and is \
                not judged here.",
        example: "```json\n--> server/discover in version 2099-01-01\n<-- {\"jsonrpc\":\"2.0\",\"id\":6,\"error\":{\"code\":-32004,\"message\":\"Unsupported protocol version\"}}\n```",
        fix: "Use -32022 with `data.supported` and `data.requested`, -32020, and -32021 with \
              `data.requiredCapabilities`.",
        clients: "A client recognises `-32022` and picks another version; any other code makes it \
                  take the server for a legacy one.",
    },
};

/// The numbers of the release candidate.
const PRE_RELEASE: [i64; 3] = [-32001, -32003, -32004];

const fn is_undefined_reserved(number: i64) -> bool {
    number >= -32099
        && number <= -32020
        && !matches!(
            number,
            code::HEADER_MISMATCH | code::MISSING_CAPABILITY | code::UNSUPPORTED_VERSION
        )
}

fn is_wrong(number: i64) -> bool {
    PRE_RELEASE.contains(&number) || is_undefined_reserved(number)
}

/// Judges the code that refuses a deviating request.
fn refusal(
    view: &View<'_>,
    probe: &'static Probe,
    right: i64,
    severity: Severity,
    expected: &'static str,
) -> Judgement {
    let asked: Vec<&Exchange<'_>> = view.asked(probe).collect();
    let code_of = |exchange: &&Exchange<'_>| view.error_code(exchange);
    if let Some(exchange) = asked.iter().find(|e| code_of(e).is_some_and(is_wrong)) {
        return Finding::new(
            exchange.proof(),
            describe(view, exchange),
            expected,
            format!("refuse it with {right}"),
        )
        .at("/error/code")
        .severity(severity)
        .fail();
    }
    if let Some(exchange) = asked.iter().find(|e| code_of(e) == Some(right)) {
        return Judgement::Pass(exchange.proof());
    }
    match asked.first() {
        Some(exchange) if matches!(exchange.reply, Reply::Result(_)) => {
            Judgement::NotMeasured(Gap::NoAnswer("the request was served, not refused".into()))
        }
        other => super::unanswered(view, other.copied()),
    }
}

fn version(view: &View<'_>) -> Judgement {
    refusal(
        view,
        &probe::UNKNOWN_VERSION,
        code::UNSUPPORTED_VERSION,
        Severity::Error,
        "a version the server does not implement MUST be answered with -32022",
    )
}

fn header(view: &View<'_>) -> Judgement {
    if view.transport() == crate::transcript::TransportKind::Stdio {
        return Judgement::NotApplicable("stdio has no headers".to_owned());
    }
    refusal(
        view,
        &probe::METHOD_MISMATCH,
        code::HEADER_MISMATCH,
        Severity::Warning,
        "a header that contradicts the body MUST be answered with -32020",
    )
}

fn capability(view: &View<'_>) -> Judgement {
    let mut right = None;
    for (exchange, error) in base_errors(view) {
        let asks = error
            .data
            .is_some_and(|data| data.get("requiredCapabilities").is_some());
        match error.code {
            Some(-32003) if asks => {
                return Finding::new(
                    exchange.proof(),
                    describe(view, exchange),
                    "a missing client capability MUST be answered with -32021",
                    "refuse it with -32021",
                )
                .at("/error/code")
                .fail();
            }
            Some(code::MISSING_CAPABILITY) => right = right.or(Some(exchange.proof())),
            _ => {}
        }
    }
    right.map_or_else(
        || Judgement::NotApplicable("no request needed a client capability".to_owned()),
        Judgement::Pass,
    )
}

fn undefined(view: &View<'_>) -> Judgement {
    let judged_apart = |exchange: &Exchange<'_>| {
        [probe::UNKNOWN_VERSION.id, probe::METHOD_MISMATCH.id].contains(&&*exchange.key.probe)
    };
    let mut seen = Vec::new();
    for (exchange, error) in base_errors(view) {
        let Some(number) = error.code else { continue };
        seen.push(exchange.sent);
        if is_undefined_reserved(number)
            && number != code::OLD_URL_ELICITATION
            && !judged_apart(exchange)
        {
            return Finding::new(
                exchange.proof(),
                describe(view, exchange),
                "codes from -32020 to -32099 that the specification does not define MUST NOT be used",
                "use a code outside -32768..-32000 for errors of your own",
            )
            .at("/error/code")
            .severity(Severity::Warning)
            .fail();
        }
    }
    Evidence::collect(seen).map_or(
        Judgement::NotMeasured(Gap::NoAnswer("no error was provoked".into())),
        Judgement::Pass,
    )
}

fn url_elicitation(view: &View<'_>) -> Judgement {
    if let Some((exchange, _)) =
        base_errors(view).find(|(_, error)| error.code == Some(code::OLD_URL_ELICITATION))
    {
        return Finding::new(
            exchange.proof(),
            describe(view, exchange),
            "implementations of this version MUST NOT emit -32042",
            "return an input_required result with a URL elicitation, or -32021",
        )
        .at("/error/code")
        .severity(Severity::Warning)
        .fail();
    }
    // Only a read, a prompt or a call gave the server an opportunity to ask for input.
    let opportunities = [&probe::READ, &probe::PROMPT_GET]
        .into_iter()
        .flat_map(|probe| view.asked(probe))
        .filter(|exchange| matches!(exchange.reply, Reply::Result(_) | Reply::Error { .. }));
    Evidence::collect(opportunities.flat_map(|e| e.proof().entries().collect::<Vec<_>>()))
        .map_or_else(
            || Judgement::NotApplicable("nothing was read that could ask for input".to_owned()),
            Judgement::Pass,
        )
}
