//! Every question the default run can ask.

use serde_json::{Value, json};

use super::{Base, Deviation, Probe};
use crate::protocol::{UNKNOWN_REVISION, header, meta, method};

macro_rules! probes {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $about:literal, $base:expr, $deviation:expr;)*) => {
        $($(#[$doc])* pub static $name: Probe =
            Probe { id: $id, about: $about, base: $base, deviation: $deviation };)*
        /// All probes, in the order they are listed in docs and plans.
        pub static PROBES: &[&Probe] = &[$(&$name),*];
    };
}

const NO_META: Deviation = Deviation::Intent {
    changes: &["/params/_meta"],
    edit: |message| {
        if let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) {
            params.remove("_meta");
        }
    },
};

const NO_ROUTING_HEADERS: Deviation = Deviation::Header {
    changes: &[header::METHOD, header::NAME],
    edit: |headers| {
        headers.retain(|(name, _)| name != header::METHOD && name != header::NAME);
    },
};

const NO_NAME_HEADER: Deviation = Deviation::Header {
    changes: &[header::NAME],
    edit: |headers| headers.retain(|(name, _)| name != header::NAME),
};

const UNKNOWN_VERSION_IN_META: Deviation = Deviation::Intent {
    changes: &["/params/_meta/io.modelcontextprotocol~1protocolVersion"],
    edit: |message| message["params"]["_meta"][meta::PROTOCOL_VERSION] = json!(UNKNOWN_REVISION),
};

const OTHER_METHOD_HEADER: Deviation = Deviation::Header {
    changes: &[header::METHOD],
    edit: |headers| {
        for (name, value) in headers {
            if name == header::METHOD {
                *value = method::TOOLS_LIST.to_owned();
            }
        }
    },
};

const SESSION_HEADER: Deviation = Deviation::Header {
    changes: &[header::SESSION_ID],
    edit: |headers| headers.push((header::SESSION_ID.to_owned(), PROBE_SESSION.to_owned())),
};

/// The session id that no server issued, sent to see whether it is ignored.
pub const PROBE_SESSION: &str = "mcp-assay-no-such-session";

probes! {
    /// What the server is and speaks.
    DISCOVER = "discover", "ask what the server speaks", Base::Modern(method::DISCOVER), Deviation::None;
    /// Control for a refused `_meta`.
    DISCOVER_NO_META = "discover-without-meta", "the same without `_meta`", Base::Modern(method::DISCOVER), NO_META;
    /// Control for refused routing headers.
    DISCOVER_NO_ROUTING = "discover-without-routing-headers", "the same without `Mcp-Method`", Base::Modern(method::DISCOVER), NO_ROUTING_HEADERS;
    /// A version nobody implements.
    UNKNOWN_VERSION = "unknown-version", "ask in protocol version 2099-01-01", Base::Modern(method::DISCOVER), UNKNOWN_VERSION_IN_META;
    /// Header and body name different methods.
    METHOD_MISMATCH = "method-header-mismatch", "`Mcp-Method` names another method than the body", Base::Modern(method::DISCOVER), OTHER_METHOD_HEADER;
    /// A session id that no server issued.
    SESSION_SENT = "session-id-sent", "a modern request that carries `Mcp-Session-Id`", Base::Modern(method::DISCOVER), SESSION_HEADER;
    /// The tools.
    TOOLS_LIST = "tools-list", "list the tools", Base::Modern(method::TOOLS_LIST), Deviation::None;
    /// The prompts.
    PROMPTS_LIST = "prompts-list", "list the prompts", Base::Modern(method::PROMPTS_LIST), Deviation::None;
    /// The resources.
    RESOURCES_LIST = "resources-list", "list the resources", Base::Modern(method::RESOURCES_LIST), Deviation::None;
    /// The resource templates.
    TEMPLATES_LIST = "templates-list", "list the resource templates", Base::Modern(method::TEMPLATES_LIST), Deviation::None;
    /// Control for a refused `_meta`.
    TOOLS_LIST_NO_META = "tools-list-without-meta", "list the tools without `_meta`", Base::Modern(method::TOOLS_LIST), NO_META;
    /// Control for a refused `_meta`.
    PROMPTS_LIST_NO_META = "prompts-list-without-meta", "list the prompts without `_meta`", Base::Modern(method::PROMPTS_LIST), NO_META;
    /// Control for a refused `_meta`.
    RESOURCES_LIST_NO_META = "resources-list-without-meta", "list the resources without `_meta`", Base::Modern(method::RESOURCES_LIST), NO_META;
    /// Control for a refused `_meta`.
    READ_NO_META = "resource-read-without-meta", "read it without `_meta`", Base::Modern(method::RESOURCES_READ), NO_META;
    /// Control for a refused `_meta`.
    PROMPT_NO_META = "prompt-get-without-meta", "get it without `_meta`", Base::Modern(method::PROMPTS_GET), NO_META;
    /// Control for a refused `Mcp-Name`.
    READ_NO_NAME = "resource-read-without-name-header", "read it without `Mcp-Name`", Base::Modern(method::RESOURCES_READ), NO_NAME_HEADER;
    /// Control for a refused `Mcp-Name`.
    PROMPT_NO_NAME = "prompt-get-without-name-header", "get it without `Mcp-Name`", Base::Modern(method::PROMPTS_GET), NO_NAME_HEADER;
    /// Control for a refused `Mcp-Name`.
    CALL_NO_NAME = "tool-unknown-without-name-header", "call it without `Mcp-Name`", Base::Modern(method::TOOLS_CALL), NO_NAME_HEADER;
    /// A listed resource.
    READ = "resource-read", "read a listed resource", Base::Modern(method::RESOURCES_READ), Deviation::None;
    /// Control for a refused `Mcp-Name`.
    READ_NO_ROUTING = "resource-read-without-routing-headers", "the same without `Mcp-Method` and `Mcp-Name`", Base::Modern(method::RESOURCES_READ), NO_ROUTING_HEADERS;
    /// A resource that does not exist.
    READ_UNKNOWN = "resource-unknown", "read a resource that does not exist", Base::Modern(method::RESOURCES_READ), Deviation::None;
    /// A listed prompt.
    PROMPT_GET = "prompt-get", "get a listed prompt", Base::Modern(method::PROMPTS_GET), Deviation::None;
    /// A tool that does not exist: the call path without side effects.
    CALL_UNKNOWN = "tool-unknown", "call a tool that does not exist", Base::Modern(method::TOOLS_CALL), Deviation::None;
    /// Control for a refused `Mcp-Name`.
    CALL_NO_ROUTING = "tool-unknown-without-routing-headers", "the same without `Mcp-Method` and `Mcp-Name`", Base::Modern(method::TOOLS_CALL), NO_ROUTING_HEADERS;
    /// Change notifications.
    LISTEN = "listen", "open a subscription to what is advertised", Base::Modern(method::LISTEN), Deviation::None;
    /// Ends the subscription; stdio only, on HTTP the stream is closed.
    CANCEL_LISTEN = "listen-cancelled", "cancel the subscription", Base::Notification(method::CANCELLED), Deviation::None;
    /// Removed.
    PING = "ping", "the removed `ping`", Base::Modern(method::PING), Deviation::None;
    /// Removed.
    SET_LEVEL = "set-level", "the removed `logging/setLevel`", Base::Modern(method::SET_LEVEL), Deviation::None;
    /// Removed.
    SUBSCRIBE = "subscribe", "the removed `resources/subscribe`", Base::Modern(method::SUBSCRIBE), Deviation::None;
    /// Removed.
    UNSUBSCRIBE = "unsubscribe", "the removed `resources/unsubscribe`", Base::Modern(method::UNSUBSCRIBE), Deviation::None;
    /// Removed.
    TASKS_LIST = "tasks-list", "the removed `tasks/list`", Base::Modern(method::TASKS_LIST), Deviation::None;
    /// Removed.
    TASKS_RESULT = "tasks-result", "the removed `tasks/result`", Base::Modern(method::TASKS_RESULT), Deviation::None;
    /// The removed GET stream.
    GET = "get", "GET on the endpoint", Base::Raw("GET"), Deviation::None;
    /// The removed end of a session.
    DELETE = "delete", "DELETE on the endpoint", Base::Raw("DELETE"), Deviation::None;
    /// The handshake of the legacy revisions.
    INITIALIZE = "initialize", "the legacy handshake", Base::Legacy(method::INITIALIZE), Deviation::None;
    /// End of the handshake.
    INITIALIZED = "initialized", "the end of the legacy handshake", Base::LegacyNotification(method::INITIALIZED), Deviation::None;
    /// The tools, as a legacy client asks.
    LEGACY_TOOLS_LIST = "legacy-tools-list", "list the tools in legacy form", Base::Legacy(method::TOOLS_LIST), Deviation::None;
    /// The prompts, as a legacy client asks.
    LEGACY_PROMPTS_LIST = "legacy-prompts-list", "list the prompts in legacy form", Base::Legacy(method::PROMPTS_LIST), Deviation::None;
    /// The resources, as a legacy client asks.
    LEGACY_RESOURCES_LIST = "legacy-resources-list", "list the resources in legacy form", Base::Legacy(method::RESOURCES_LIST), Deviation::None;
    /// RFC 9728 metadata of the protected resource.
    RESOURCE_METADATA = "resource-metadata", "read the protected-resource metadata", Base::Raw("GET"), Deviation::None;
    /// RFC 8414 or OpenID metadata of the authorization server.
    SERVER_METADATA = "authorization-server-metadata", "read the authorization-server metadata", Base::Raw("GET"), Deviation::None;
    /// A legacy session, ended.
    END_SESSION = "end-session", "end a legacy session", Base::Raw("DELETE"), Deviation::None;
}

/// The probe with this id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Probe> {
    PROBES.iter().find(|probe| probe.id == id).copied()
}

/// The four lists with their probes, in the order they are asked.
pub static LISTS: [&Probe; 4] = [&TOOLS_LIST, &PROMPTS_LIST, &RESOURCES_LIST, &TEMPLATES_LIST];
