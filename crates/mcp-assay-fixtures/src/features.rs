//! What both eras serve alike: lists, reads, prompts, tool calls, completions.
//!
//! Results are in the shape all revisions share; the modern server adds `resultType`, caching
//! hints and `serverInfo`.

use serde_json::{Value, json};

use crate::catalog::contents;
use crate::message::Request;
use crate::server::Server;

/// Why a feature method failed.
pub(crate) enum Failure {
    MethodNotFound,
    InvalidParams(&'static str),
    ResourceNotFound(String),
}

/// Answers a feature method.
pub(crate) fn call(server: &Server, request: &Request) -> Result<Value, Failure> {
    let capability = match request.method.split_once('/') {
        Some(("completion", _)) => "completions",
        Some((family, _)) => family,
        None => return Err(Failure::MethodNotFound),
    };
    if server.config.capabilities.get(capability).is_none() {
        return Err(Failure::MethodNotFound);
    }
    match request.method.as_str() {
        "tools/list" => {
            let tools = (server.config.tools)(server);
            page(server, request, "tools", &tools)
        }
        "resources/list" => page(
            server,
            request,
            "resources",
            &server.config.catalog.resources,
        ),
        "resources/templates/list" => page(
            server,
            request,
            "resourceTemplates",
            &server.config.catalog.templates,
        ),
        "prompts/list" => page(server, request, "prompts", &server.config.catalog.prompts),
        "tools/call" => call_tool(server, request),
        "resources/read" => read(request),
        "prompts/get" => get_prompt(server, request),
        "completion/complete" => complete(server, request),
        _ => Err(Failure::MethodNotFound),
    }
}

/// One page of `items`.
fn page(server: &Server, request: &Request, key: &str, items: &[Value]) -> Result<Value, Failure> {
    let pages = server.config.pages.min(items.len()).max(1);
    let size = items.len().div_ceil(pages);
    let index = match request.param("cursor") {
        None => 0,
        Some(cursor) => (1..pages)
            .find(|index| cursor.as_str() == Some(&(server.config.cursor)(*index)))
            .ok_or(Failure::InvalidParams("Invalid params: unknown cursor"))?,
    };
    let last = items.len().min((index + 1) * size);
    let mut result = json!({ key: &items[index * size..last] });
    if index + 1 < pages {
        result["nextCursor"] = (server.config.cursor)(index + 1).into();
    }
    Ok(result)
}

fn call_tool(server: &Server, request: &Request) -> Result<Value, Failure> {
    let name = request
        .text("name")
        .ok_or(Failure::InvalidParams("Invalid params: name is missing"))?;
    if !(server.config.tools)(server)
        .iter()
        .any(|tool| tool["name"] == name)
    {
        return Err(Failure::InvalidParams("Unknown tool"));
    }
    let arguments = request
        .param("arguments")
        .cloned()
        .unwrap_or_else(|| json!({}));
    if !arguments.is_object() {
        return Err(Failure::InvalidParams(
            "Invalid params: arguments must be an object",
        ));
    }
    let failed = |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": true});
    Ok(match name {
        "echo" => match arguments["message"].as_str() {
            Some(message) => json!({"content": [{"type": "text", "text": message}]}),
            None => failed("message must be a string"),
        },
        "add" => match (arguments["a"].as_f64(), arguments["b"].as_f64()) {
            (Some(a), Some(b)) => {
                let sum = json!({"sum": a + b});
                json!({"content": [{"type": "text", "text": sum.to_string()}], "structuredContent": sum})
            }
            _ => failed("a and b must be numbers"),
        },
        _ => json!({"content": [{"type": "text", "text": "well"}]}),
    })
}

fn read(request: &Request) -> Result<Value, Failure> {
    let uri = request
        .text("uri")
        .ok_or(Failure::InvalidParams("Invalid params: uri is missing"))?;
    let contents = contents(uri).ok_or_else(|| Failure::ResourceNotFound(uri.to_owned()))?;
    Ok(json!({"contents": [contents]}))
}

fn get_prompt(server: &Server, request: &Request) -> Result<Value, Failure> {
    let name = request
        .text("name")
        .ok_or(Failure::InvalidParams("Invalid params: name is missing"))?;
    let prompt = server
        .config
        .catalog
        .prompts
        .iter()
        .find(|prompt| prompt["name"] == name)
        .ok_or(Failure::InvalidParams("Unknown prompt"))?;
    let given = request.param("arguments");
    let wanted = prompt["arguments"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let missing = |argument: &Value| {
        let name = argument["name"].as_str().unwrap_or_default();
        argument["required"] == true && !given.is_some_and(|given| given[name].is_string())
    };
    if wanted.iter().any(missing) {
        return Err(Failure::InvalidParams(
            "Invalid params: a required argument is missing",
        ));
    }
    let text = match given.and_then(|given| given["text"].as_str()) {
        Some(text) => format!("Please review this text: {text}"),
        None => "Please introduce yourself.".to_owned(),
    };
    Ok(json!({
        "description": prompt["description"],
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}]
    }))
}

fn complete(server: &Server, request: &Request) -> Result<Value, Failure> {
    let invalid = |message| Err(Failure::InvalidParams(message));
    let (Some(reference), Some(argument)) = (request.param("ref"), request.param("argument"))
    else {
        return invalid("Invalid params: ref or argument is missing");
    };
    let (Some(name), Some(typed)) = (argument["name"].as_str(), argument["value"].as_str()) else {
        return invalid("Invalid params: argument needs name and value");
    };
    let catalog = &server.config.catalog;
    let known: &[&str] = match reference["type"].as_str() {
        Some("ref/prompt")
            if catalog
                .prompts
                .iter()
                .any(|prompt| prompt["name"] == reference["name"]) =>
        {
            if name == "style" {
                &["brief", "detailed"]
            } else {
                &[]
            }
        }
        Some("ref/resource")
            if catalog
                .templates
                .iter()
                .any(|item| item["uriTemplate"] == reference["uri"]) =>
        {
            if name == "name" {
                &["Ada", "Grace"]
            } else {
                &[]
            }
        }
        _ => return invalid("Invalid params: unknown ref"),
    };
    let values: Vec<_> = known
        .iter()
        .filter(|value| value.starts_with(typed))
        .collect();
    Ok(json!({"completion": {"values": values, "total": values.len(), "hasMore": false}}))
}
