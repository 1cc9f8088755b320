//! The rules: metadata and pure checks. A rule never sees a transport and never depends on another
//! rule or on order.

pub mod migration;

use crate::probe::Probe;
use crate::report::{Owner, Severity};
use crate::transcript::Gap;
use crate::transcript::view::{Evidence, Fact, View};

/// One defect that one person would fix in one place.
#[derive(Debug)]
pub struct Rule {
    /// Permanent id, such as `MCP004`.
    pub id: &'static str,
    /// Permanent kebab-case name; states the defect.
    pub name: &'static str,
    /// The defect in a few words, as a title.
    pub defect: &'static str,
    /// What a correct server does.
    pub claim: &'static str,
    /// What breaking it does to users.
    pub severity: Severity,
    /// Who usually has to fix it.
    pub owner: Owner,
    /// Only on HTTP.
    pub http_only: bool,
    /// True if the rule must be measured before a server is called ready.
    pub gates: bool,
    /// An attacker gains by it.
    pub security: bool,
    /// The questions it looks at.
    pub probes: &'static [&'static Probe],
    /// What must hold before it can be judged.
    pub presupposes: &'static [&'static Fact],
    /// If that rule failed too, this one's findings are symptoms of the same cause.
    pub symptom_of: Option<&'static str>,
    /// One per requirement.
    pub checks: &'static [Check],
    /// The parts of its page that no other field holds.
    pub docs: Docs,
}

/// The parts of a rule's page that no other field holds. Markdown.
#[derive(Debug)]
pub struct Docs {
    /// Why the specification asks for it, or changed it.
    pub why: &'static str,
    /// What is legal, so that nobody is accused for it.
    pub legal: &'static str,
    /// A wire example of the defect.
    pub example: &'static str,
    /// What to change.
    pub fix: &'static str,
    /// Which clients feel it, and how.
    pub clients: &'static str,
}

/// One requirement of the ledger, judged.
#[derive(Debug)]
pub struct Check {
    /// Its id in the ledger.
    pub requirement: &'static str,
    /// The judgement.
    pub judge: fn(&View<'_>) -> Judgement,
}

/// What a check says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// Positive evidence that the requirement held.
    Pass(Evidence),
    /// A violation.
    Fail(Vec<Finding>),
    /// It does not concern this server, and why.
    NotApplicable(String),
    /// It could, and no usable answer came.
    NotMeasured(Gap),
}

/// A violation with its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The exchanges that prove it.
    pub evidence: Evidence,
    /// JSON Pointer into the offending message.
    pub path: Option<String>,
    /// What was seen.
    pub observed: String,
    /// What the specification requires.
    pub expected: &'static str,
    /// The concrete change.
    pub fix: String,
    /// Who has to fix it and why, where the evidence says more than the rule's default.
    pub owner: Option<(Owner, String)>,
    /// Where it is milder or graver than the rule's default.
    pub severity: Option<Severity>,
}

impl Finding {
    /// A finding with the rule's default owner and severity.
    #[must_use]
    pub fn new(
        evidence: Evidence,
        observed: impl Into<String>,
        expected: &'static str,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            evidence,
            path: None,
            observed: observed.into(),
            expected,
            fix: fix.into(),
            owner: None,
            severity: None,
        }
    }

    /// Names who has to fix it, from evidence.
    #[must_use]
    pub fn owned_by(mut self, owner: Owner, reason: impl Into<String>) -> Self {
        self.owner = Some((owner, reason.into()));
        self
    }

    /// Names the place in the offending message.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Sets a severity other than the rule's.
    #[must_use]
    pub const fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// The judgement that consists of this finding.
    #[must_use]
    pub fn fail(self) -> Judgement {
        Judgement::Fail(vec![self])
    }
}

/// Every rule, in order of id. A new rule is one file and one line here.
pub static RULES: &[&Rule] = &[
    &migration::discover_missing::RULE,
    &migration::handshake_required::RULE,
    &migration::session_id_issued::RULE,
    &migration::result_type_missing::RULE,
    &migration::cache_hints_missing::RULE,
    &migration::ping_served::RULE,
    &migration::set_level_served::RULE,
    &migration::subscribe_served::RULE,
    &migration::listen_missing::RULE,
    &migration::get_stream_served::RULE,
    &migration::resource_not_found_code::RULE,
    &migration::error_codes_not_renumbered::RULE,
    &migration::meta_rejected::RULE,
    &migration::routing_headers_rejected::RULE,
    &migration::deprecated_features::RULE,
    &migration::http_sse_transport::RULE,
    &migration::tool_order_unstable::RULE,
    &migration::server_info_missing::RULE,
    &migration::iss_not_supported::RULE,
    &migration::dcr_only::RULE,
    &migration::core_tasks::RULE,
    &migration::revision_not_served::RULE,
];

/// The rule with this id or name.
#[must_use]
pub fn find(word: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .find(|rule| rule.id.eq_ignore_ascii_case(word) || rule.name == word)
        .copied()
}

/// The family of a rule: the folder it lives in.
#[must_use]
pub fn family(id: &str) -> &'static str {
    match id.trim_start_matches("MCP").parse::<u16>() {
        Ok(0..=99) => "migration",
        Ok(100..=199) => "base",
        Ok(200..=249) => "http",
        Ok(250..=299) => "stdio",
        Ok(300..=399) => "patterns",
        Ok(400..=499) => "features",
        Ok(500..=599) => "auth",
        Ok(600..=699) => "extensions",
        Ok(700..=799) => "legacy",
        _ => "quality",
    }
}
