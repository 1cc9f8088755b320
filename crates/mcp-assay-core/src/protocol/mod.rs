//! Every constant that belongs to a protocol revision: versions, methods, codes, `_meta` keys, headers.

/// The revision this tool judges against.
pub const TARGET_REVISION: &str = "2026-07-28";

/// The newest revision that opens with an `initialize` handshake; the one asked for in a handshake.
pub const NEWEST_LEGACY_REVISION: &str = "2025-11-25";

/// The handshake revisions, newest first.
pub const LEGACY_REVISIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// A version no server implements. Not the specification's own example of 1900: servers that look at
/// the date take that one for a handshake revision (the Go SDK does).
pub const UNKNOWN_REVISION: &str = "2099-01-01";

/// True for a version name that conveys its metadata per request: the ISO dates from 2026-07-28 on.
#[must_use]
pub fn is_modern_revision(version: &str) -> bool {
    is_date(version) && version >= TARGET_REVISION
}

/// True for the revisions that open with a handshake.
#[must_use]
pub fn is_legacy_revision(version: &str) -> bool {
    LEGACY_REVISIONS.contains(&version)
}

fn is_date(version: &str) -> bool {
    version.len() == 10
        && version.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Keys under `params._meta` and `result._meta` (basic/index, "`_meta`").
pub mod meta {
    /// The protocol version of a request; required.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// What the client can do; required.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// Name and version of the client.
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// Name and version of the server, on results.
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// Which `subscriptions/listen` request a notification belongs to.
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
}

/// Header names of Streamable HTTP, in the spelling of the specification.
pub mod header {
    /// Mirrors `_meta` protocolVersion.
    pub const PROTOCOL_VERSION: &str = "MCP-Protocol-Version";
    /// Mirrors `method`.
    pub const METHOD: &str = "Mcp-Method";
    /// Mirrors `params.name` or `params.uri`.
    pub const NAME: &str = "Mcp-Name";
    /// The session of a legacy server.
    pub const SESSION_ID: &str = "Mcp-Session-Id";
}

/// JSON-RPC error codes (basic/index, "Error Codes").
pub mod code {
    /// The text was no JSON.
    pub const PARSE: i64 = -32700;
    /// No JSON-RPC request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method is unknown.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are wrong.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The server failed.
    pub const INTERNAL: i64 = -32603;
    /// Headers and body differ, or a header is missing.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request lacks a client capability.
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// The version is not implemented.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
    /// Resource not found, up to 2025-11-25; forbidden now.
    pub const OLD_RESOURCE_NOT_FOUND: i64 = -32002;
    /// URL elicitation required, 2025-11-25 only; forbidden now.
    pub const OLD_URL_ELICITATION: i64 = -32042;
}

/// Method names.
pub mod method {
    #![expect(missing_docs, reason = "each constant is the method's own name")]
    pub const DISCOVER: &str = "server/discover";
    pub const TOOLS_LIST: &str = "tools/list";
    pub const TOOLS_CALL: &str = "tools/call";
    pub const PROMPTS_LIST: &str = "prompts/list";
    pub const PROMPTS_GET: &str = "prompts/get";
    pub const RESOURCES_LIST: &str = "resources/list";
    pub const TEMPLATES_LIST: &str = "resources/templates/list";
    pub const RESOURCES_READ: &str = "resources/read";
    pub const LISTEN: &str = "subscriptions/listen";
    pub const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
    pub const CANCELLED: &str = "notifications/cancelled";
    pub const INITIALIZE: &str = "initialize";
    pub const INITIALIZED: &str = "notifications/initialized";
    pub const PING: &str = "ping";
    pub const SET_LEVEL: &str = "logging/setLevel";
    pub const SUBSCRIBE: &str = "resources/subscribe";
    pub const UNSUBSCRIBE: &str = "resources/unsubscribe";
    pub const TASKS_LIST: &str = "tasks/list";
    pub const TASKS_RESULT: &str = "tasks/result";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modern_and_legacy_versions_are_told_apart() {
        assert!(is_modern_revision(TARGET_REVISION));
        assert!(is_modern_revision("2027-01-01"));
        for version in LEGACY_REVISIONS {
            assert!(is_legacy_revision(version));
            assert!(!is_modern_revision(version));
        }
        for odd in ["", "draft", "2026-07-2x", "DRAFT-2026", "2026-7-28"] {
            assert!(!is_modern_revision(odd), "{odd}");
        }
    }
}
