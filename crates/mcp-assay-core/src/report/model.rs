//! The report: plain data, and a public contract. Fields are only ever added.

use schemars::JsonSchema;
use serde::Serialize;

use crate::transcript::TransportKind;

/// The version of the report's shape.
pub const SCHEMA_VERSION: u32 = 1;

/// The answer of a run, one per run, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// Nothing answered.
    Unreachable,
    /// The server wants credentials first; only its challenge was judged.
    AuthRequired,
    /// Something answers, but not as an MCP server of any revision.
    NotMcp,
    /// At least one proven error: a 2026-07-28 client will not work with this server.
    NotReady,
    /// Too little could be measured for an answer.
    Incomplete,
    /// 2026-07-28 is served, every declared list was delivered, and there is no error.
    Ready,
}

/// Which generation of the protocol a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Era {
    /// Per-request metadata only.
    Modern,
    /// Both.
    Dual,
    /// The `initialize` handshake only.
    Legacy,
    /// Neither was proven.
    Unknown,
}

/// What a defect does to users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing; never gates.
    Note,
    /// Degraded, deprecated, or a requirement no client trips over.
    Warning,
    /// A 2026-07-28 client will not work with this server.
    Error,
}

/// The specification's own word for a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Level {
    /// MUST.
    Must,
    /// MUST NOT.
    MustNot,
    /// SHOULD.
    Should,
    /// SHOULD NOT.
    ShouldNot,
    /// MAY.
    May,
    /// A form the schema requires, or an indicative sentence.
    Shape,
    /// Our own opinion.
    Advice,
}

/// Who has to fix a defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Owner {
    /// The SDK the server is built on.
    Sdk,
    /// The author of the server.
    Application,
    /// A gateway, proxy, host or authorization server.
    Infrastructure,
}

/// How a rule or a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutcomeKind {
    /// There is positive evidence that the requirement held.
    Pass,
    /// There is evidence of a violation.
    Fail,
    /// The requirement does not concern this server.
    NotApplicable,
    /// It could concern it, and no usable answer came.
    NotMeasured,
    /// A bug in this tool.
    Crashed,
}

/// A whole report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What judged.
    pub tool: Tool,
    /// Command line or URL of the server, without secrets.
    pub target: String,
    /// How it was reached.
    pub transport: TransportKind,
    /// The revision it was judged against.
    pub target_revision: String,
    /// When the run began, RFC 3339, UTC.
    pub started_at: String,
    /// How long asking took, in milliseconds.
    pub duration_ms: u64,
    /// The answer.
    pub verdict: Verdict,
    /// Why, in one line; shown right after the verdict. With a partial selection of rules it begins
    /// with `selected rules`.
    pub verdict_reason: String,
    /// True only for the verdict `ready`.
    pub ready: bool,
    /// Present if nothing answered: launch-failed, silent, refused, tls, host-refused, redirect,
    /// rate-limited or server-error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<String>,
    /// Present if too little could be measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Incomplete>,
    /// Which generation the server speaks.
    pub era: Era,
    /// The era that the user forced, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced_era: Option<String>,
    /// Which revisions were declared and seen.
    pub revisions: Revisions,
    /// What the server calls itself; not verified, never used to judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Identity>,
    /// The SDK behind the server, where its behaviour gives it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk: Option<Sdk>,
    /// Counts.
    pub summary: Summary,
    /// The MUST and MUST NOT checks that apply; absent for a legacy server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conformance: Option<Conformance>,
    /// Proven defects, the gravest first; one defect, one finding.
    pub findings: Vec<FindingReport>,
    /// Every registered rule, in order of id.
    pub rules: Vec<RuleReport>,
    /// Ids of rules that crashed.
    pub crashed_rules: Vec<String>,
    /// What a reader may want to know about the run itself: stderr, exits, non-protocol output.
    pub diagnostics: Vec<String>,
    /// The traffic, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchanges: Option<Vec<ExchangeReport>>,
}

/// What judged.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Tool {
    /// `mcp-assay`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Why a run is incomplete.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Incomplete {
    /// How many questions were planned.
    pub probes: usize,
    /// How many of them got no usable answer.
    pub failed: usize,
    /// What that means.
    pub reason: String,
}

/// Protocol revisions.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Revisions {
    /// `supportedVersions`, or `data.supported` of a refusal.
    pub declared: Vec<String>,
    /// Modern revisions proven to be served.
    pub modern_served: Vec<String>,
    /// What `initialize` negotiated.
    pub legacy_negotiated: Option<String>,
}

/// A self-reported name and version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Identity {
    /// The name.
    pub name: String,
    /// The version; empty if none was given.
    pub version: String,
}

/// A recognised SDK.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sdk {
    /// Its package name.
    pub name: String,
    /// Which release line, as far as behaviour tells.
    pub line: String,
    /// What gave it away.
    pub signals: Vec<String>,
}

/// Counts of a report.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Checks that were judged (passed or failed).
    pub checks: usize,
    /// Findings of severity error.
    pub errors: usize,
    /// Findings of severity warning.
    pub warnings: usize,
    /// Findings of severity note.
    pub notes: usize,
    /// Rules that crashed.
    pub crashed: usize,
    /// Errors the SDK has to fix.
    pub sdk_errors: usize,
    /// Errors the author has to fix.
    pub application_errors: usize,
    /// Errors the infrastructure has to fix.
    pub infrastructure_errors: usize,
}

/// MUST and MUST NOT checks that apply to the server.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conformance {
    /// How many apply.
    pub applicable: usize,
    /// Of these, hold.
    pub hold: usize,
    /// Of these, are broken.
    pub broken: usize,
    /// Of these, were not measured.
    pub not_measured: usize,
}

/// One defect.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FindingReport {
    /// The rule's permanent id.
    pub rule_id: String,
    /// The rule's name, which states the defect.
    pub name: String,
    /// What it does to users.
    pub severity: Severity,
    /// The specification's word.
    pub level: Level,
    /// Id of the requirement it rests on.
    pub requirement: String,
    /// True where an attacker gains by it.
    pub security: bool,
    /// Who has to fix it.
    pub remediation: Owner,
    /// Why we think so.
    pub owner_reason: String,
    /// One line.
    pub title: String,
    /// What was seen: real values.
    pub observed: String,
    /// What the specification requires, in plain words.
    pub expected: String,
    /// The concrete change.
    pub fix: String,
    /// The page of the specification.
    pub spec_ref: String,
    /// The exchanges that prove it; never empty.
    pub evidence: Vec<EvidenceReport>,
    /// JSON Pointer into the offending message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A command that shows it again, secrets as placeholders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reproduce: Option<String>,
    /// Rules that failed for this same cause and have no finding of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub symptoms: Vec<String>,
}

/// One piece of evidence.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EvidenceReport {
    /// Line of the transcript (0 = the first entry after the header).
    pub entry: u32,
    /// The exchange in one line, such as `server/discover -> error -32601 "Method not found"`.
    pub summary: String,
    /// The bytes that prove it: what was sent. At most 2 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// What came back. At most 2 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
}

/// One rule's outcome.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleReport {
    /// Permanent id.
    pub id: String,
    /// Kebab-case name.
    pub name: String,
    /// What a correct server does.
    pub claim: String,
    /// The strongest level of its checks.
    pub level: Level,
    /// What breaking it does.
    pub severity: Severity,
    /// The worst of its checks.
    pub outcome: OutcomeKind,
    /// Why it is not applicable or not measured, or what crashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The rule whose failure explains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// One per requirement.
    pub checks: Vec<CheckReport>,
}

/// One check's outcome.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// Id of the requirement.
    pub requirement: String,
    /// The specification's word.
    pub level: Level,
    /// How it came out.
    pub outcome: OutcomeKind,
    /// Why, where it is neither pass nor fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Transcript lines that prove a pass or a failure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub evidence: Vec<u32>,
}

/// One question and what came of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeReport {
    /// Line of the transcript.
    pub entry: u32,
    /// Which connection.
    pub connection: u32,
    /// The scenario that asked.
    pub scenario: String,
    /// The probe.
    pub probe: String,
    /// When it was sent, in milliseconds after the start.
    pub at_ms: u64,
    /// The exchange in one line.
    pub summary: String,
    /// What was sent, HTTP head included.
    pub sent: String,
    /// What came back, message by message, HTTP head first.
    pub received: Vec<String>,
}
