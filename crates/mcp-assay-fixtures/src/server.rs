//! One server: its configuration, its state, and how a request finds its answer.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::catalog::Catalog;
use crate::fault::{Era, Fault, Hook};
use crate::http::event;
use crate::message::{Reply, Request};
use crate::{legacy, modern};

/// The revision the modern servers implement.
pub(crate) const MODERN: &str = "2026-07-28";
/// The revisions the legacy servers negotiate, newest first.
pub(crate) const LEGACY: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Which server to run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The era of the correct server. Ignored when there is a fault: each is built on an era
    /// of its own.
    pub era: Era,
    /// The deviation from it, if any.
    pub fault: Option<&'static Fault>,
}

/// What a server of this crate can be set up to do differently while its logic stays the same.
pub(crate) struct Config {
    pub(crate) era: Era,
    /// Versions served to modern requests.
    pub(crate) versions: Vec<&'static str>,
    /// Versions named in the DiscoverResult and in refusals.
    pub(crate) declared: Vec<&'static str>,
    /// Versions negotiated by `initialize`, newest first.
    pub(crate) legacy_versions: &'static [&'static str],
    /// Mint `Mcp-Session-Id` on `initialize` and demand it afterwards.
    pub(crate) sessions: bool,
    /// Serve legacy requests without a handshake.
    pub(crate) bare: bool,
    /// Refuse legacy requests over HTTP that name another version in their header.
    pub(crate) version_header: bool,
    /// Refuse modern requests over HTTP that lack routing headers.
    pub(crate) routing_headers: bool,
    pub(crate) capabilities: Value,
    pub(crate) catalog: Catalog,
    /// The tools listed right now.
    pub(crate) tools: fn(&Server) -> Vec<Value>,
    /// How many pages each list is split into, as far as it has items.
    pub(crate) pages: usize,
    /// The cursor of each page after the first, by its index.
    pub(crate) cursor: fn(usize) -> String,
    pub(crate) ttl: Value,
    pub(crate) scope: Value,
    pub(crate) http: HttpStyle,
    /// Path of the MCP endpoint.
    pub(crate) path: &'static str,
}

/// Legal ways to write the same HTTP response.
#[derive(Clone, Copy)]
pub(crate) struct HttpStyle {
    pub(crate) chunked: bool,
    pub(crate) http10: bool,
    pub(crate) shouting: bool,
    pub(crate) whispering: bool,
    /// End every connection after one response.
    pub(crate) close: bool,
    /// Send an informational response first.
    pub(crate) early_hints: bool,
    /// Leave the reason phrase empty.
    pub(crate) no_reason: bool,
    /// Header fields that every response carries.
    pub(crate) fields: &'static [(&'static str, &'static str)],
    /// Writes one server-sent event.
    pub(crate) event: fn(&str) -> String,
}

impl Default for HttpStyle {
    fn default() -> Self {
        HttpStyle {
            chunked: false,
            http10: false,
            shouting: false,
            whispering: false,
            close: false,
            early_hints: false,
            no_reason: false,
            fields: &[],
            event,
        }
    }
}

/// A running server, shared by its connections.
pub(crate) struct Server {
    pub(crate) config: Config,
    hooks: &'static [Hook],
    requests: AtomicU64,
    /// How often `tools/list` was answered.
    pub(crate) tool_lists: AtomicU64,
    /// `http://127.0.0.1:PORT`, empty on stdio.
    pub(crate) origin: String,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    /// The handshake of this process took place (stdio).
    pub(crate) initialized: bool,
    /// Session ids handed out (HTTP).
    pub(crate) sessions: Vec<String>,
    /// Ids of the open `subscriptions/listen` requests (stdio).
    pub(crate) subscriptions: Vec<Value>,
    /// Event streams other connections write to, by session id.
    pub(crate) streams: BTreeMap<String, TcpStream>,
}

impl Server {
    pub(crate) fn new(options: &Options, origin: String) -> Self {
        let hooks = options.fault.map(|fault| fault.hooks).unwrap_or_default();
        let mut config = Config {
            era: options.fault.map_or(options.era, |fault| fault.era),
            versions: vec![MODERN],
            declared: vec![MODERN],
            legacy_versions: LEGACY,
            sessions: true,
            bare: false,
            version_header: true,
            routing_headers: true,
            capabilities: json!({
                "tools": {"listChanged": true},
                "resources": {"listChanged": true, "subscribe": true},
                "prompts": {"listChanged": true},
                "completions": {}
            }),
            catalog: Catalog::new(),
            tools: |server| server.config.catalog.tools.clone(),
            pages: 1,
            cursor: |index| format!("page-{}", index + 1),
            ttl: 60_000.into(),
            scope: "public".into(),
            http: HttpStyle::default(),
            path: "/mcp",
        };
        for hook in hooks {
            if let Hook::Setup(setup) = hook {
                setup(&mut config);
            }
        }
        Server {
            config,
            hooks,
            requests: AtomicU64::new(0),
            tool_lists: AtomicU64::new(0),
            origin,
            state: Mutex::default(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn hooks(&self) -> impl Iterator<Item = &'static Hook> {
        self.hooks.iter()
    }

    /// The answer to a request, with the deviations of the fault.
    pub(crate) fn answer(&self, mut request: Request) -> Reply {
        request.number = self.requests.fetch_add(1, Ordering::SeqCst) + 1;
        if request.method == "tools/list" {
            self.tool_lists.fetch_add(1, Ordering::SeqCst);
        }
        let intercepted = self.hooks().find_map(|hook| match hook {
            Hook::Intercept(intercept) => intercept(self, &mut request),
            _ => None,
        });
        let mut reply = intercepted.unwrap_or_else(|| self.route(&request));
        for hook in self.hooks() {
            if let Hook::Edit(edit) = hook {
                edit(self, &request, &mut reply);
            }
        }
        reply
    }

    /// The correct answer.
    fn route(&self, request: &Request) -> Reply {
        match self.config.era {
            Era::Modern => modern::answer(self, request),
            Era::Legacy => legacy::answer(self, request),
            Era::Dual if self.is_modern(request) => modern::answer(self, request),
            Era::Dual => legacy::answer(self, request),
        }
    }

    /// Which semantics a dual-era server applies. On stdio `initialize` settles it for the
    /// process; otherwise modern metadata, a modern version header, or a method that no legacy
    /// revision has.
    fn is_modern(&self, request: &Request) -> bool {
        if !request.is_http() && self.state().initialized {
            return false;
        }
        let named = |name| request.meta(name).is_some();
        let versioned = |version| !self.config.legacy_versions.contains(&version);
        named("protocolVersion")
            || named("clientCapabilities")
            || named("clientInfo")
            || request
                .header("mcp-protocol-version")
                .is_some_and(versioned)
            || matches!(
                request.method.as_str(),
                "server/discover" | "subscriptions/listen"
            )
    }

    /// Takes note of a notification.
    pub(crate) fn notified(&self, notification: &Request) {
        if notification.method == "notifications/cancelled"
            && let Some(cancelled) = notification.param("requestId")
        {
            self.state().subscriptions.retain(|id| id != cancelled);
        }
    }

    /// A new session id.
    pub(crate) fn mint_session(&self) -> String {
        let random = || {
            std::collections::hash_map::RandomState::new()
                .build_hasher()
                .finish()
        };
        let id = format!("{:016x}{:016x}", random(), random());
        self.state().sessions.push(id.clone());
        id
    }
}

/// Who the server says it is.
pub(crate) fn server_info() -> Value {
    json!({"name": "mcp-assay-fixture", "version": env!("CARGO_PKG_VERSION")})
}
