//! What the correct servers offer.

use serde_json::{Value, json};

/// The items a server lists, in order.
#[derive(Clone, Debug)]
pub(crate) struct Catalog {
    pub(crate) tools: Vec<Value>,
    pub(crate) resources: Vec<Value>,
    pub(crate) templates: Vec<Value>,
    pub(crate) prompts: Vec<Value>,
}

impl Catalog {
    pub(crate) fn new() -> Self {
        let array = |value: Value| match value {
            Value::Array(items) => items,
            _ => Vec::new(),
        };
        Catalog {
            tools: array(json!([
                {
                    "name": "echo",
                    "title": "Echo",
                    "description": "Returns the message it was given",
                    "inputSchema": {
                        "type": "object",
                        "properties": {"message": {"type": "string", "description": "The text to return"}},
                        "required": ["message"]
                    },
                    "annotations": {"readOnlyHint": true}
                },
                {
                    "name": "add",
                    "title": "Add",
                    "description": "Adds two numbers",
                    "inputSchema": {
                        "type": "object",
                        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
                        "required": ["a", "b"]
                    },
                    "outputSchema": {
                        "type": "object",
                        "properties": {"sum": {"type": "number"}},
                        "required": ["sum"]
                    },
                    "annotations": {"readOnlyHint": true}
                },
                {
                    "name": "status",
                    "title": "Status",
                    "description": "Tells that the server is well",
                    "inputSchema": {"type": "object", "additionalProperties": false},
                    "annotations": {"readOnlyHint": true}
                }
            ])),
            resources: array(json!([
                {
                    "uri": "fixture://readme",
                    "name": "readme",
                    "title": "Read me",
                    "description": "A short text",
                    "mimeType": "text/plain"
                },
                {
                    "uri": "fixture://pixel",
                    "name": "pixel",
                    "title": "Pixel",
                    "description": "An image of one pixel",
                    "mimeType": "image/gif"
                }
            ])),
            templates: array(json!([
                {
                    "uriTemplate": "fixture://greeting/{name}",
                    "name": "greeting",
                    "title": "Greeting",
                    "description": "A greeting for someone",
                    "mimeType": "text/plain"
                }
            ])),
            prompts: array(json!([
                {
                    "name": "introduce",
                    "title": "Introduce",
                    "description": "Asks the model to introduce itself"
                },
                {
                    "name": "review",
                    "title": "Review",
                    "description": "Asks for a review of a text",
                    "arguments": [
                        {"name": "text", "description": "The text to review", "required": true},
                        {"name": "style", "description": "How to write the review", "required": false}
                    ]
                }
            ])),
        }
    }
}

/// The contents of the resource `uri`, or `None` when there is no such resource.
pub(crate) fn contents(uri: &str) -> Option<Value> {
    Some(match uri {
        "fixture://readme" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "A server that keeps to the specification.\n"})
        }
        "fixture://pixel" => json!({
            "uri": uri,
            "mimeType": "image/gif",
            "blob": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
        }),
        _ => {
            let name = uri
                .strip_prefix("fixture://greeting/")
                .filter(|name| !name.is_empty() && !name.contains('/'))?;
            json!({"uri": uri, "mimeType": "text/plain", "text": format!("Hello, {name}!")})
        }
    })
}
