//! How legacy servers in the field differ from the correct one. None serves 2026-07-28.

use serde_json::{Value, json};

use crate::fault::Hook::{Intercept, Setup};
use crate::fault::{Fault, legacy};
use crate::message::{Reply, Request};
use crate::server::Config;

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    legacy("legacy-sessionless", "serves requests without a handshake", &[Setup(|config| config.bare = true)]).stdio_only(),
    legacy("legacy-http-stateless", "has no sessions and reads no version header",
        &[Setup(|config| { stateless(config); config.version_header = false; })]).http_only(),
    legacy("legacy-http-unsupported-version", "has no sessions and refuses the version header 2026-07-28",
        &[Setup(stateless)]).http_only(),
    legacy("legacy-2025-03-26", "knows no revision after 2025-03-26",
        &[Setup(|config| config.legacy_versions = &["2025-03-26", "2024-11-05"])]),
    legacy("legacy-2024-11-05", "knows revision 2024-11-05 only",
        &[Setup(|config| config.legacy_versions = &["2024-11-05"])]),
    legacy("legacy-discover-32602", "answers server/discover with -32602",
        &[Intercept(|_, r| discover(r, |r| Reply::error(r, -32602, "Invalid request parameters").status(400)))]),
    legacy("legacy-discover-silent", "never answers server/discover",
        &[Intercept(|_, r| discover(r, |_| Reply::silence()))]),
    legacy("legacy-discover-exits", "exits when the first request is not initialize",
        &[Intercept(|s, r| (r.method != "initialize" && !s.state().initialized).then(|| Reply::exit(1)))]).stdio_only(),
    legacy("legacy-discover-null-id", "answers server/discover with an error whose id is null",
        &[Intercept(|_, r| discover(r, |_| Reply::message(json!({
            "jsonrpc": "2.0", "id": Value::Null, "error": {"code": -32600, "message": "Invalid Request"}
        })).status(400)))]),
    legacy("legacy-discover-plain-text", "answers server/discover with a line of text",
        &[Intercept(|_, r| discover(r, |_| Reply::bytes(400, "text/plain", "unknown method: server/discover")))]),
    legacy("legacy-discover-500", "answers server/discover with HTTP 500",
        &[Intercept(|_, r| discover(r, |_| Reply::bytes(500, "text/plain", "Internal Server Error\n")))]).http_only(),
];

fn stateless(config: &mut Config) {
    config.sessions = false;
    config.bare = true;
}

fn discover(request: &Request, reply: fn(&Request) -> Reply) -> Option<Reply> {
    (request.method == "server/discover").then(|| reply(request))
}
