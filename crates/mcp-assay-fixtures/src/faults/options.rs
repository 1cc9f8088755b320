//! What servers may add, leave out or refuse: nothing may be reported for any of these.

use serde_json::{Value, json};

use super::{remove, set};
use crate::fault::Hook::{Answer, Door, Edit, Intercept, Setup};
use crate::fault::{Era, Fault, variant};
use crate::message::{Content, Reply, Request};
use crate::server::{Config, MODERN, server_info};

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    variant("capabilities-bare", "declares features without flags", &[Setup(|config| {
        for family in ["tools", "resources", "prompts"] { config.capabilities[family] = json!({}); }
    })]),
    variant("capabilities-extra", "declares capabilities nobody knows, experiments and extensions", &[Setup(|config| {
        config.capabilities["com.example/feature"] = json!({"level": 3});
        config.capabilities["experimental"] = json!({"com.example/trial": {}});
        config.capabilities["extensions"] = json!({"com.example/extension": {"version": "1"}});
        config.capabilities["tools"]["streaming"] = true.into();
    })]),
    variant("discover-without-instructions", "gives no instructions",
        &[Edit(|_, _, reply| remove(reply, "instructions"))]),
    variant("newer-version-listed", "serves 2027-01-01 too", &[Setup(|config| {
        config.versions = vec!["2027-01-01", MODERN];
        config.declared = vec!["2027-01-01", MODERN];
    })]),
    variant("server-info-whole", "identifies itself with title, description, website and icons",
        &[Edit(|_, _, reply| edit_meta(reply, |meta| {
            let mut info = server_info();
            info["title"] = "Fixture".into();
            info["description"] = "A server that keeps to the specification".into();
            info["websiteUrl"] = "http://127.0.0.1/".into();
            info["icons"] = json!([{"src": "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=", "mimeType": "image/gif", "sizes": ["1x1"]}]);
            meta["io.modelcontextprotocol/serverInfo"] = info;
        }))]),
    variant("result-meta-extra", "adds metadata of its own to results",
        &[Edit(|_, _, reply| edit_meta(reply, |meta| meta["com.example/trace"] = json!({"id": "00-4bf9", "hops": [1, 2]})))]),
    variant("ttl-huge", "lets clients cache for 285,000 years",
        &[Setup(|config| config.ttl = json!(9_007_199_254_740_991_i64))]),
    variant("items-minimal", "lists items with their required members only", &[Setup(minimal)]),
    variant("one-tool", "has a single tool", &[Setup(|config| config.catalog.tools.truncate(1))]),
    variant("no-resources", "lists templates and no resources", &[Setup(|config| config.catalog.resources.clear())]),
    variant("no-templates", "answers resources/templates/list with -32601",
        &[Answer(|_, r| (r.method == "resources/templates/list").then(|| Reply::method_not_found(r)))]),
    variant("prompts-with-arguments", "has prompts with required arguments only",
        &[Setup(|config| { config.catalog.prompts.remove(0); })]),
    variant("prompt-arguments-refused", "refuses every argument a prompt is given", &[
        Setup(|config| { config.catalog.prompts.remove(0); }),
        Answer(|_, r| (r.method == "prompts/get").then(|| Reply::error(r, -32602, "Invalid params: unsuitable text"))),
    ]),
    variant("empty-cursor", "calls its second pages by an empty cursor",
        &[Setup(|config| { config.pages = 2; config.cursor = |_| String::new(); })]),
    variant("long-cursors", "has cursors of 4,000 bytes, not all ASCII", &[Setup(|config| {
        config.pages = 2;
        config.cursor = |index| format!("{}{index}\u{1f4c4}", "x".repeat(4000));
    })]),
    variant("error-data", "explains every error in its data", &[Edit(|_, _, reply| if let Some(error) = reply.error_mut() {
        let data = error.entry("data").or_insert_with(|| json!({}));
        data["hint"] = json!({"see": "http://127.0.0.1/errors", "retry": false});
    })]),
    variant("version-error-lists-legacy", "names legacy versions in its refusals of unknown versions", &[Edit(|_, _, reply| {
        if reply.error_code() == Some(-32022) && let Some(error) = reply.error_mut() {
            error["data"]["supported"] = json!([MODERN, "2025-11-25", "2025-06-18"]);
        }
    })]).on(Era::Dual),
    variant("elicitation-refused", "reads no resource for clients without elicitation",
        &[Answer(|_, r| (r.method == "resources/read").then(|| {
            Reply::error(r, -32021, "Missing required client capability").status(400)
                .data(json!({"requiredCapabilities": {"elicitation": {}}}))
        }))]),
    variant("read-input-required", "asks the client to come again before it reads a resource",
        &[Answer(|_, r| ask_again(r, "resources/read"))]),
    variant("prompt-input-required", "asks the client to come again before it gives a prompt",
        &[Answer(|_, r| ask_again(r, "prompts/get"))]),
    variant("ack-explicit-false", "acknowledges what it was not asked for as false", &[Edit(|_, _, reply| {
        if let Content::Stream(messages, _) = &mut reply.content && let Some(first) = messages.first_mut() {
            let agreed = &mut first["params"]["notifications"];
            for name in ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] {
                if agreed.get(name).is_none() { agreed[name] = false.into(); }
            }
            agreed["resourceSubscriptions"] = json!([]);
        }
    })]),
    variant("listen-notifies", "tells of a changed list as soon as it acknowledged a subscription", &[Edit(|_, r, reply| {
        if let Content::Stream(messages, _) = &mut reply.content {
            messages.push(json!({
                "jsonrpc": "2.0",
                "method": "notifications/tools/list_changed",
                "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": r.id}}
            }));
        }
    })]),
    variant("initialize-404-empty", "refuses initialize with HTTP 404 and no body",
        &[Intercept(|_, r| (r.method == "initialize").then(|| Reply::empty(404)))]).http_only(),
    variant("dual-older-legacy", "negotiates nothing newer than 2025-03-26 with legacy clients",
        &[Setup(|config| config.legacy_versions = &["2025-03-26", "2024-11-05"])]).on(Era::Dual),
    variant("dual-bare", "serves legacy requests without a handshake",
        &[Setup(|config| { config.bare = true; config.sessions = false; })]).on(Era::Dual),
    variant("dual-get-stream", "opens an event stream on every GET, for legacy clients",
        &[Door(|_, r| (r.method == "GET").then(|| Reply::new(200, Content::Stream(Vec::new(), None))))])
        .on(Era::Dual).http_only(),
    variant("dual-legacy-features", "declares logging and tasks to legacy clients only",
        &[Edit(|_, r, reply| if r.method == "initialize" && let Some(result) = reply.result_mut() {
            result["capabilities"]["logging"] = json!({});
            result["capabilities"]["tasks"] = json!({"list": {}});
        })]).on(Era::Dual),
    variant("get-401", "answers GET and DELETE with 401",
        &[Door(|_, r| (r.method != "POST").then(|| Reply::empty(401).header("WWW-Authenticate", "Bearer")))]).http_only(),
    variant("get-404", "answers GET and DELETE with 404",
        &[Door(|_, r| (r.method != "POST").then(|| Reply::bytes(404, "text/plain", "Cannot GET /mcp\n")))]).http_only(),
    variant("get-400", "answers GET and DELETE with 400",
        &[Door(|_, r| (r.method != "POST").then(|| Reply::json(400, &json!({
            "jsonrpc": "2.0", "error": {"code": -32000, "message": "Bad Request"}
        }))))]).http_only(),
    variant("get-406", "answers GET and DELETE with 406",
        &[Door(|_, r| (r.method != "POST").then(|| Reply::empty(406)))]).http_only(),
    variant("get-405-json", "explains its 405 to GET and DELETE in JSON",
        &[Door(|_, r| (r.method != "POST").then(|| Reply::json(405, &json!({
            "jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "Method not allowed."}
        })).header("Allow", "POST, OPTIONS")))]).http_only(),
];

fn edit_meta(reply: &mut Reply, edit: fn(&mut Value)) {
    if let Some(meta) = reply
        .result_mut()
        .and_then(|result| result.get_mut("_meta"))
    {
        edit(meta);
    }
}

fn minimal(config: &mut Config) {
    let catalog = &mut config.catalog;
    for items in [
        &mut catalog.tools,
        &mut catalog.resources,
        &mut catalog.templates,
        &mut catalog.prompts,
    ] {
        for item in items.iter_mut().filter_map(Value::as_object_mut) {
            item.retain(|name, _| {
                matches!(
                    name.as_str(),
                    "name" | "uri" | "uriTemplate" | "inputSchema" | "arguments"
                )
            });
        }
    }
    config.catalog.tools[2]["inputSchema"] = json!({"type": "object"});
}

/// A result that asks for the same request again, with the state it carries and no more.
fn ask_again(request: &Request, method: &str) -> Option<Reply> {
    let asked = request.method == method && request.param("requestState").is_none();
    asked.then(|| {
        let mut reply = Reply::result(request, json!({}));
        set(&mut reply, "resultType", "input_required");
        set(&mut reply, "requestState", "once-more");
        set(
            &mut reply,
            "_meta",
            json!({"io.modelcontextprotocol/serverInfo": server_info()}),
        );
        reply
    })
}
