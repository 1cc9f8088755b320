//! One verdict per run, in the order of precedence.

use serde_json::Value;

use super::build::{reason, worst};
use super::model::*;
use crate::engine::{Judged, Selection};
use crate::facts::{self, DiscoverResult, Reach};
use crate::probe::{self, Probe};
use crate::protocol::TARGET_REVISION;
use crate::scenario::LAST_ATTEMPT;
use crate::transcript::view::{Exchange, Reply, View};

/// The verdict with everything that explains it.
pub(super) struct Ruling {
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    pub(super) unreachable: Option<String>,
    pub(super) incomplete: Option<Incomplete>,
}

impl Ruling {
    fn new(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self {
            verdict,
            reason: reason.into(),
            unreachable: None,
            incomplete: None,
        }
    }
}

pub(super) fn rule(
    view: &View<'_>,
    judged: &[Judged],
    findings: &[FindingReport],
    selection: &Selection,
) -> Ruling {
    match facts::reach(view) {
        Reach::Unreachable(reason, detail) => {
            let mut ruling = Ruling::new(Verdict::Unreachable, format!("{reason}: {detail}"));
            ruling.unreachable = Some(reason.to_owned());
            return ruling;
        }
        Reach::AuthRequired(detail) => return Ruling::new(Verdict::AuthRequired, detail),
        Reach::NotMcp(detail) => return Ruling::new(Verdict::NotMcp, detail),
        Reach::OnlyErrors(detail) => return incomplete(view, judged, detail),
        Reach::Server => {}
    }
    let crashed: Vec<&str> = judged
        .iter()
        .filter(|judged| worst(&judged.outcomes) == OutcomeKind::Crashed)
        .map(|judged| judged.rule.id)
        .collect();
    if findings
        .iter()
        .any(|finding| finding.severity == Severity::Error)
    {
        return Ruling::new(Verdict::NotReady, not_ready(view, findings));
    }
    if !crashed.is_empty() {
        let detail = format!("a bug in mcp-assay: {} crashed", crashed.join(", "));
        return incomplete(view, judged, detail);
    }
    let unmeasured: Vec<&Judged> = judged
        .iter()
        .filter(|judged| judged.rule.gates)
        .filter(|judged| worst(&judged.outcomes) == OutcomeKind::NotMeasured)
        .collect();
    if !selection.is_everything() && unmeasured.len() < judged.len() {
        let detail =
            "selected rules pass; the others were left out, so this says nothing about readiness";
        return incomplete(view, judged, detail.to_owned());
    }
    let missing = undelivered(view);
    if !missing.is_empty() {
        let detail = format!("declared, but not delivered: {}", missing.join("; "));
        return incomplete(view, judged, detail);
    }
    if let Some(first) = unmeasured.first() {
        let ids: Vec<&str> = unmeasured.iter().map(|judged| judged.rule.id).collect();
        let why = first.outcomes.iter().find_map(reason).unwrap_or_default();
        let detail = format!("{} could not be measured: {why}", ids.join(", "));
        return incomplete(view, judged, detail);
    }
    if let Some(exchange) = stopped_answering(view) {
        let detail = format!(
            "the server stopped answering: {}",
            facts::describe(view, exchange)
        );
        return incomplete(view, judged, detail);
    }
    Ruling::new(
        Verdict::Ready,
        format!(
            "{} server: {TARGET_REVISION} is served",
            match facts::era(view) {
                Era::Dual => "dual-era",
                _ => "modern",
            }
        ),
    )
}

fn not_ready(view: &View<'_>, findings: &[FindingReport]) -> String {
    let revisions = facts::revisions(view);
    match facts::era(view) {
        Era::Legacy => match revisions.legacy_negotiated {
            Some(version) => {
                format!("legacy server: speaks {version}, not {TARGET_REVISION}")
            }
            None => format!("legacy server: does not speak {TARGET_REVISION}"),
        },
        era => {
            let errors = findings
                .iter()
                .filter(|finding| finding.severity == Severity::Error)
                .count();
            let (noun, verb) = if errors == 1 {
                ("error", "keeps")
            } else {
                ("errors", "keep")
            };
            format!(
                "{} server: {errors} {noun} {verb} {TARGET_REVISION} clients from working",
                match era {
                    Era::Dual => "dual-era",
                    _ => "modern",
                }
            )
        }
    }
}

fn incomplete(view: &View<'_>, judged: &[Judged], reason: String) -> Ruling {
    // Questions of the rules that matter which brought no result.
    let wanted: Vec<&str> = judged
        .iter()
        .filter(|judged| judged.rule.gates)
        .filter(|judged| worst(&judged.outcomes) == OutcomeKind::NotMeasured)
        .flat_map(|judged| judged.rule.probes)
        .map(|probe| probe.id)
        .collect();
    let failed = view
        .exchanges()
        .iter()
        .filter(|exchange| match exchange.reply {
            Reply::Silence(_) | Reply::Transport(_) | Reply::Cut(_) | Reply::Open => true,
            Reply::Error { .. } | Reply::Other(_) => wanted.contains(&&*exchange.key.probe),
            _ => false,
        })
        .count();
    let mut ruling = Ruling::new(Verdict::Incomplete, reason.clone());
    ruling.incomplete = Some(Incomplete {
        probes: view.exchanges().len(),
        failed,
        reason,
    });
    ruling
}

/// The question at the end of a run, if nothing came back for it.
fn stopped_answering<'v, 't>(view: &'v View<'t>) -> Option<&'v Exchange<'t>> {
    view.exchanges().iter().find(|exchange| {
        exchange.key.attempt == LAST_ATTEMPT
            && matches!(
                exchange.reply,
                Reply::Silence(_) | Reply::Transport(_) | Reply::Cut(_) | Reply::NotSent(_)
            )
    })
}

/// Declared lists of which no result came that holds one, each with what came instead.
fn undelivered(view: &View<'_>) -> Vec<String> {
    let Some(found) = facts::discover_result(view).filter(DiscoverResult::is_well_formed) else {
        return Vec::new();
    };
    let lists: [(&str, &'static Probe); 3] = [
        ("tools", &probe::TOOLS_LIST),
        ("prompts", &probe::PROMPTS_LIST),
        ("resources", &probe::RESOURCES_LIST),
    ];
    let declared = lists
        .into_iter()
        .filter(|(name, _)| facts::capability(&found, &[name]).is_some());
    let mut missing = Vec::new();
    for (name, list) in declared {
        let holds_list = |exchange: &&Exchange<'_>| {
            view.result(exchange)
                .is_some_and(|result| result.get(name).is_some_and(Value::is_array))
        };
        let first = view.asked(list).find(|exchange| exchange.key.page == 0);
        if !view.asked(list).any(|exchange| holds_list(&exchange)) {
            missing.push(first.map_or_else(
                || format!("{name}/list was not asked for"),
                |exchange| match exchange.reply {
                    Reply::Result(_) => format!("{name}/list -> a result without an array {name}"),
                    _ => facts::describe(view, exchange),
                },
            ));
            continue;
        }
        // Half a list is no list: a cursor that the server gave must work.
        missing.extend(
            view.asked(list)
                .filter(|exchange| exchange.key.page > 0 && !holds_list(exchange))
                .map(|exchange| {
                    let page = exchange.key.page + 1;
                    format!("page {page} of {}", facts::describe(view, exchange))
                }),
        );
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Outcome};
    use crate::scenario::Settings;
    use crate::transport::Endpoint;
    use crate::{Target, record};

    #[tokio::test]
    async fn a_crashed_rule_is_never_ready() {
        let options = mcp_assay_fixtures::Options {
            era: mcp_assay_fixtures::Era::Modern,
            fault: None,
        };
        let server = mcp_assay_fixtures::HttpServer::start(&options, 0).unwrap();
        let target = Target::Http(Endpoint {
            url: url::Url::parse(&server.url()).unwrap(),
            headers: Vec::new(),
            ca_cert: None,
            concurrency: 4,
        });
        let transcript = record(&target, &Settings::default(), &[]).await.unwrap();
        let view = View::new(transcript.header.transport, &transcript.entries);
        let selection = Selection::default();
        let mut judged = engine::judge_rules(&view, &selection);
        let sound = rule(&view, &judged, &[], &selection);
        assert_eq!(sound.verdict, Verdict::Ready);
        // Not even a rule that gates nothing.
        let crashed = judged.iter_mut().find(|known| !known.rule.gates).unwrap();
        crashed.outcomes = vec![Outcome::Crashed("boom".to_owned())];
        let unsound = rule(&view, &judged, &[], &selection);
        assert_eq!(unsound.verdict, Verdict::Incomplete);
        assert!(unsound.reason.contains("a bug in mcp-assay"));
    }
}
