//! Freedoms a server of this revision has: nothing may be reported for any of these.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::fault::Hook::{Door, Edit, Intercept, Setup};
use crate::fault::{Era, Fault, variant};
use crate::message::{Content, Reply, Request};
use crate::server::{LEGACY, MODERN, Server};

#[rustfmt::skip] // A table: one entry after the other.
pub(super) static FAULTS: &[Fault] = &[
    variant("no-tools", "has no tools", &[Setup(|config| {
        if let Some(capabilities) = config.capabilities.as_object_mut() { capabilities.remove("tools"); }
    })]),
    variant("capabilities-null", "declares null and false instead of leaving capabilities out", &[Setup(|config| {
        config.capabilities["logging"] = json!(null);
        config.capabilities["tasks"] = json!(false);
    })]),
    variant("no-features", "declares no capabilities at all", &[Setup(|config| config.capabilities = json!({}))]),
    variant("empty-lists", "declares everything and lists nothing", &[Setup(|config| {
        config.catalog.tools.clear();
        config.catalog.resources.clear();
        config.catalog.templates.clear();
        config.catalog.prompts.clear();
    })]),
    variant("pages", "splits its lists into two pages", &[Setup(|config| config.pages = 2)]),
    variant("many-tools", "lists 200 tools", &[Setup(|config| {
        config.catalog.tools.extend((4..=200).map(|number| tool(&format!("tool-{number}"))));
    })]),
    variant("changing-tools", "really has another set of tools each time it is asked", &[Setup(|config| {
        config.tools = |server| {
            let mut tools = server.config.catalog.tools.clone();
            tools.push(tool(&format!("tool-{}", server.tool_lists.load(Ordering::SeqCst))));
            tools
        };
    })]),
    variant("non-ascii-names", "has prompts whose names are not ASCII, or look like an encoded header", &[Setup(|config| {
        for (prompt, name) in config.catalog.prompts.iter_mut().zip(["自己紹介", "=?base64?cmV2aWV3?="]) {
            prompt["name"] = name.into();
        }
    })]),
    variant("extra-fields", "adds members nobody knows to results and items", &[Edit(|_, _, reply| add_fields(reply))]),
    variant("legacy-versions-listed", "names its legacy versions in supportedVersions too",
        &[Setup(|config| config.declared = [&[MODERN], LEGACY].concat())]).on(Era::Dual),
    variant("ttl-zero", "forbids caching", &[Setup(|config| config.ttl = json!(0))]),
    variant("ttl-decimal-point", "writes the integer ttlMs as 1000.0", &[Setup(|config| config.ttl = json!(1000.0))]),
    variant("private-scope", "has private results only", &[Setup(|config| config.scope = json!("private"))]),
    variant("list-changed-false", "declares every change notification as false", &[Setup(|config| {
        for family in ["tools", "resources", "prompts"] { config.capabilities[family]["listChanged"] = false.into(); }
        config.capabilities["resources"]["subscribe"] = false.into();
    })]),
    variant("ack-empty", "acknowledges a subscription to nothing", &[Edit(|_, _, reply| {
        if let Content::Stream(messages, _) = &mut reply.content
            && let Some(first) = messages.first_mut() { first["params"]["notifications"] = json!({}); }
    })]),
    variant("listen-closes-after-ack", "ends a subscription as soon as it is acknowledged", &[Edit(close_at_once)]),
    variant("slow", "takes 100 ms for each answer", &[Edit(|_, _, _| thread::sleep(Duration::from_millis(100)))]),
    variant("stderr-noise", "logs errors to stderr while all is well", &[Edit(|_, r, _| {
        // Logging must not fail a request.
        drop(writeln!(std::io::stderr(), "ERROR: all is well after {}", r.method));
    })]).stdio_only(),
    variant("initialize-refused-32020", "refuses initialize with -32020",
        &[Intercept(|_, r| refuse_initialize(r, 400, -32020, "Header mismatch"))]),
    variant("initialize-refused-32601", "refuses initialize with -32601",
        &[Intercept(|_, r| refuse_initialize(r, 404, -32601, "Method not found"))]),
    variant("initialize-refused-32602", "refuses initialize with -32602",
        &[Intercept(|_, r| refuse_initialize(r, 400, -32602, "Invalid params: _meta is missing"))]),
    variant("initialize-400-plain", "refuses initialize with a plain text",
        &[Intercept(|_, r| is_initialize(r).then(|| Reply::bytes(400, "text/plain", "no such version\n")))]).http_only(),
    variant("unknown-tool-400", "answers tools/call of an unknown tool with HTTP 400",
        &[Edit(|_, r, reply| refuse_with(400, "tools/call", r, reply))]).http_only(),
    variant("resource-not-found-400", "answers resources/read of an unknown resource with HTTP 400",
        &[Edit(|_, r, reply| refuse_with(400, "resources/read", r, reply))]).http_only(),
    variant("resource-not-found-404", "answers resources/read of an unknown resource with HTTP 404",
        &[Edit(|_, r, reply| refuse_with(404, "resources/read", r, reply))]).http_only(),
    variant("sse-answers", "answers every request with an event stream",
        &[Edit(|_, _, reply| reply.sse = true)]).http_only(),
    variant("chunked", "sends its bodies in chunks", &[Setup(|config| config.http.chunked = true)]).http_only(),
    variant("http10", "answers in HTTP/1.0, without lengths", &[Setup(|config| config.http.http10 = true)]).http_only(),
    variant("header-case", "writes header names in capitals", &[Setup(|config| config.http.shouting = true)]).http_only(),
    variant("content-type-parameter", "names a charset with its content type", &[Edit(|_, _, reply| {
        if let Content::Message(message) = &reply.content {
            reply.content = Content::Bytes("application/json; charset=utf-8", message.to_string().into_bytes());
        }
    })]).http_only(),
    variant("get-405-without-allow", "answers GET and DELETE with 405 and no Allow header",
        &[Door(|_, r| (r.method != "POST").then(|| Reply::empty(405)))]).http_only(),
    variant("redirect-307-same-origin", "redirects to /mcp/ with 307", &[
        Setup(|config| config.path = "/mcp/"),
        Door(|_, r| (r.path() == "/mcp").then(|| Reply::empty(307).header("Location", "/mcp/"))),
    ]).http_only(),
];

/// Gives an error of `method` another HTTP status, where the specification leaves it open.
fn refuse_with(status: u16, method: &str, request: &Request, reply: &mut Reply) {
    if request.method == method && reply.status == 200 && reply.error_mut().is_some() {
        reply.status = status;
    }
}

/// A tool without parameters.
fn tool(name: &str) -> Value {
    json!({"name": name, "description": "Does nothing", "inputSchema": {"type": "object", "additionalProperties": false}})
}

fn add_fields(reply: &mut Reply) {
    let Some(result) = reply.result_mut() else {
        return;
    };
    result.insert(
        "com.example/extra".to_owned(),
        json!({"any": ["thing", null]}),
    );
    for key in [
        "tools",
        "resources",
        "resourceTemplates",
        "prompts",
        "contents",
        "content",
        "messages",
    ] {
        for item in result
            .get_mut(key)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            item["com.example/extra"] = json!(1);
        }
    }
}

fn close_at_once(server: &Server, request: &Request, reply: &mut Reply) {
    if let Content::Stream(messages, Some(closing)) = &reply.content {
        let mut done = Reply::message(closing.clone());
        done.before.clone_from(messages);
        server
            .state()
            .subscriptions
            .retain(|id| Some(id) != request.id.as_ref());
        *reply = done;
    }
}

fn is_initialize(request: &Request) -> bool {
    request.method == "initialize"
}

fn refuse_initialize(request: &Request, status: u16, code: i64, message: &str) -> Option<Reply> {
    is_initialize(request).then(|| {
        Reply::error(request, code, message)
            .status(status)
            .data(json!({"supported": [MODERN]}))
    })
}
