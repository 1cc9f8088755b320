//! Requirements of revision 2026-07-28, in our own words.

use super::Requirement;
use crate::report::Level;

const fn row(
    id: &'static str,
    level: Level,
    page: &'static str,
    statement: &'static str,
) -> Requirement {
    Requirement {
        id,
        level,
        page,
        statement,
    }
}

/// In the order of the specification's pages.
#[rustfmt::skip]
pub(super) static REQUIREMENTS: &[Requirement] = &[
    row("assay.revision-served", Level::Advice, "basic/versioning#protocol-version-negotiation", "The server serves 2026-07-28. No sentence obliges it to; this is the question the tool answers."),
    row("assay.routing-headers-accepted", Level::Shape, "basic/transports/streamable-http#standard-request-headers", "A request with correct Mcp-Method and Mcp-Name is served; clients must send both."),
    row("base.result.result-type-present", Level::Must, "basic/index#result-responses", "Every result has a string `resultType`."),
    row("base.result.result-type-known", Level::Must, "basic/index#resulttype", "`resultType` is `complete`, `input_required`, or a value of an advertised extension."),
    row("base.error.no-32002", Level::MustNot, "basic/index#error-codes", "-32002, the old \"resource not found\", is not used."),
    row("base.error.no-32042", Level::MustNot, "basic/index#error-codes", "-32042, the old \"URL elicitation required\", is not used."),
    row("base.error.no-undefined-reserved-code", Level::MustNot, "basic/index#error-codes", "No code from -32020 to -32099 is used but -32020, -32021 and -32022."),
    row("base.meta.no-prior-request-needed", Level::MustNot, "basic/index#statelessness", "No request needs another request before it."),
    row("base.meta.server-info-present", Level::Should, "basic/index#meta", "Each result names the server in its `_meta`."),
    row("base.meta.server-info-shape", Level::Shape, "schema#implementation", "The server's identity has a string name and a string version."),
    row("base.capability.missing-client-capability", Level::Must, "basic/index#meta", "A request that lacks a needed client capability is refused with -32021."),
    row("version.discover-implemented", Level::Must, "server/discover", "`server/discover` is implemented."),
    row("version.unsupported-error", Level::Must, "basic/versioning#protocol-version-negotiation", "A version that is not implemented is refused with -32022."),
    row("version.dual-era-modern-stateless", Level::Shape, "basic/versioning#backward-compatibility-with-initialization-based-versions", "A request that carries modern `_meta` is served by this revision."),
    row("version.removed-methods", Level::Shape, "changelog#major-changes", "Methods that the revision removed are unknown methods."),
    row("transport.http.session-id-not-minted", Level::Should, "basic/transports/streamable-http#earlier-streamable-http-revisions", "No session id is issued or echoed."),
    row("transport.http.session-id-ignored", Level::Should, "basic/transports/streamable-http#earlier-streamable-http-revisions", "A session id on a request is ignored."),
    row("transport.http.post-only", Level::Should, "basic/transports/streamable-http#earlier-streamable-http-revisions", "A server of this revision alone answers GET with 405."),
    row("transport.http.delete-405", Level::Should, "basic/transports/streamable-http#earlier-streamable-http-revisions", "A server of this revision alone answers DELETE with 405."),
    row("transport.http.header.method-mismatch", Level::Must, "basic/transports/streamable-http#server-validation", "A request whose Mcp-Method contradicts its body is refused with 400 and -32020."),
    row("deprecated.http-sse", Level::ShouldNot, "basic/transports/streamable-http#backward-compatibility", "The HTTP+SSE transport of 2024-11-05 is not offered."),
    row("subs.supported", Level::Must, "basic/index", "A server that advertises change notifications supports `subscriptions/listen`."),
    row("mrtr.only-supported-methods", Level::MustNot, "basic/patterns/mrtr#supported-requests", "`input_required` occurs only on prompts/get, resources/read and tools/call."),
    row("discover.supported-versions", Level::Shape, "schema#discoverresult", "`supportedVersions` is an array of strings."),
    row("discover.capabilities", Level::Shape, "schema#discoverresult", "`capabilities` is an object."),
    row("tools.list-deterministic-order", Level::Should, "server/tools#capabilities", "The order of tools is stable while the set is unchanged."),
    row("caching.ttl-present", Level::Must, "server/utilities/caching#cacheable-results", "`ttlMs` is present on cacheable results."),
    row("caching.ttl-type", Level::Shape, "server/utilities/caching#cacheable-model", "`ttlMs` is a whole number of milliseconds."),
    row("caching.ttl-nonnegative", Level::Must, "server/utilities/caching#time-to-live-ttl-field", "`ttlMs` is at least 0."),
    row("caching.scope-present", Level::Must, "server/utilities/caching#cacheable-results", "`cacheScope` is present on cacheable results."),
    row("caching.scope-enum", Level::Shape, "server/utilities/caching#cache-scope-field", "`cacheScope` is `public` or `private`."),
    row("caching.scope-same-across-pages", Level::Must, "server/utilities/caching#interaction-with-pagination", "All pages of one list have the same `cacheScope`."),
    row("logging.deprecated", Level::ShouldNot, "server/utilities/logging", "Logging is deprecated and not adopted anew."),
    row("sampling.deprecated", Level::ShouldNot, "client/sampling", "Sampling is deprecated and not used anew."),
    row("roots.deprecated", Level::ShouldNot, "client/roots", "Roots are deprecated and not used anew."),
    row("deprecated.features", Level::ShouldNot, "deprecated#deprecated", "Deprecated values such as `includeContext` are not used."),
    row("auth.as.iss-param", Level::Should, "basic/authorization#authorization-response-validation", "The authorization server sends `iss` and announces it."),
    row("auth.as.cimd", Level::Should, "basic/authorization/client-registration#client-id-metadata-documents", "The authorization server supports Client ID Metadata Documents."),
    row("tasks.no-legacy-capability", Level::MustNot, "sep:2663-tasks-extension", "The tasks capability of 2025-11-25 is not advertised."),
    row("tasks.result-removed", Level::Must, "sep:2663-tasks-extension", "`tasks/list` and `tasks/result` are unknown methods."),
];
