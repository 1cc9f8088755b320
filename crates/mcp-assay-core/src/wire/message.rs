//! The shape of one JSON-RPC message (basic, Messages; JSON-RPC 2.0).
//!
//! Classified by shape alone, before any id is looked up: a server that sends requests with the
//! ids of ours must not have them taken for answers.

use serde_json::{Map, Value};

/// What a JSON value is as a JSON-RPC message. Ids and params are given as they came.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message<'a> {
    /// Has `method` and `id`, even an `id` of null, which MCP forbids.
    Request {
        /// The id, of whatever type.
        id: &'a Value,
        /// The method.
        method: &'a str,
        /// The params, of whatever type.
        params: Option<&'a Value>,
    },
    /// Has `method` and no `id`.
    Notification {
        /// The method.
        method: &'a str,
        /// The params, of whatever type.
        params: Option<&'a Value>,
    },
    /// Has `result`.
    Success {
        /// The id; `None` where absent or null.
        id: Option<&'a Value>,
        /// The result, of whatever type.
        result: &'a Value,
    },
    /// Has `error`.
    Failure {
        /// The id; `None` where absent or null (an error to a request that could not be read).
        id: Option<&'a Value>,
        /// The error.
        error: RpcError<'a>,
    },
    /// None of these.
    Malformed {
        /// What is wrong with the shape.
        why: Malformation,
    },
}

/// The `error` member of a response; whatever is absent or of a wrong type is `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RpcError<'a> {
    /// `code`, if it is an integer.
    pub code: Option<i64>,
    /// `message`, if it is a string.
    pub message: Option<&'a str>,
    /// `data`, of whatever type.
    pub data: Option<&'a Value>,
    /// The member as it came, which need not be an object.
    pub raw: &'a Value,
}

/// Why a JSON value is no JSON-RPC message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformation {
    /// The value is `null`.
    #[error("null is no json-rpc message")]
    Null,
    /// A boolean, number or string.
    #[error("a bare {0} is no json-rpc message")]
    Scalar(&'static str),
    /// An array: a JSON-RPC batch, which this revision does not have.
    #[error("an array (a json-rpc batch) is no message")]
    Batch,
    /// `method` is there but no string.
    #[error("`method` is not a string")]
    MethodNotString,
    /// `method` together with `result` or `error`.
    #[error("has `method` and also `result` or `error`")]
    MethodAndResponse,
    /// Both `result` and `error`.
    #[error("has both `result` and `error`")]
    ResultAndError,
    /// `error` without `jsonrpc` and without `id`.
    #[error("has an `error` but neither `jsonrpc` nor `id`")]
    PlainError,
    /// `id` without `method`, `result` or `error`.
    #[error("has an `id` but neither `method`, `result` nor `error`")]
    IdOnly,
    /// No member that a message needs.
    #[error("has neither `id`, `method`, `result` nor `error`")]
    NoMember,
}

/// Classifies a JSON value by its shape. The `jsonrpc` member has no say; see
/// [`version_member_ok`].
#[must_use]
pub fn classify(value: &Value) -> Message<'_> {
    match value {
        Value::Object(object) => classify_object(object),
        Value::Null => malformed(Malformation::Null),
        Value::Array(_) => malformed(Malformation::Batch),
        Value::Bool(_) => malformed(Malformation::Scalar("boolean")),
        Value::Number(_) => malformed(Malformation::Scalar("number")),
        Value::String(_) => malformed(Malformation::Scalar("string")),
    }
}

/// Whether the value is an object whose `jsonrpc` member is the string `2.0`.
#[must_use]
pub fn version_member_ok(value: &Value) -> bool {
    value.get("jsonrpc").is_some_and(|version| version == "2.0")
}

fn malformed(why: Malformation) -> Message<'static> {
    Message::Malformed { why }
}

fn classify_object(object: &Map<String, Value>) -> Message<'_> {
    let id = object.get("id");
    let result = object.get("result");
    let error = object.get("error");
    if let Some(method) = object.get("method") {
        return match method.as_str() {
            None => malformed(Malformation::MethodNotString),
            Some(_) if result.is_some() || error.is_some() => {
                malformed(Malformation::MethodAndResponse)
            }
            Some(method) => {
                let params = object.get("params");
                match id {
                    Some(id) => Message::Request { id, method, params },
                    None => Message::Notification { method, params },
                }
            }
        };
    }
    let answered = id.filter(|id| !id.is_null());
    match (result, error) {
        (Some(_), Some(_)) => malformed(Malformation::ResultAndError),
        (Some(result), None) => Message::Success {
            id: answered,
            result,
        },
        // `{"error": "not_found"}` is how web servers and OAuth speak.
        (None, Some(_)) if !object.contains_key("jsonrpc") && !object.contains_key("id") => {
            malformed(Malformation::PlainError)
        }
        (None, Some(error)) => Message::Failure {
            id: answered,
            error: RpcError::read(error),
        },
        (None, None) if id.is_some() => malformed(Malformation::IdOnly),
        (None, None) => malformed(Malformation::NoMember),
    }
}

impl<'a> RpcError<'a> {
    fn read(raw: &'a Value) -> Self {
        Self {
            code: raw.get("code").and_then(Value::as_i64),
            message: raw.get("message").and_then(Value::as_str),
            data: raw.get("data"),
            raw,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn why(value: &Value) -> Malformation {
        match classify(value) {
            Message::Malformed { why } => why,
            other => panic!("{value} is {other:?}"),
        }
    }

    #[test]
    fn tells_the_four_kinds_apart() {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {}});
        assert!(matches!(
            classify(&request),
            Message::Request {
                method: "m",
                params: Some(_),
                ..
            }
        ));
        // A null id is still a request: by shape it asks for an answer.
        let null_id = json!({"id": null, "method": "m"});
        assert!(matches!(
            classify(&null_id),
            Message::Request {
                id: Value::Null,
                ..
            }
        ));
        let notification = json!({"method": "m"});
        assert_eq!(
            classify(&notification),
            Message::Notification {
                method: "m",
                params: None
            }
        );
        let success = json!({"id": "a", "result": null});
        assert_eq!(
            classify(&success),
            Message::Success {
                id: Some(&json!("a")),
                result: &Value::Null
            }
        );
        for anonymous in [json!({"result": {}}), json!({"id": null, "result": {}})] {
            assert!(matches!(
                classify(&anonymous),
                Message::Success { id: None, .. }
            ));
        }
    }

    #[test]
    fn reads_every_error_leniently() {
        let full = json!({"id": 7, "error": {"code": -32601, "message": "no", "data": [1]}});
        let Message::Failure {
            id: Some(id),
            error,
        } = classify(&full)
        else {
            panic!()
        };
        assert_eq!(
            (id, error.code, error.message),
            (&json!(7), Some(-32601), Some("no"))
        );
        assert_eq!(error.data, Some(&json!([1])));
        for odd in [
            json!({}),
            json!(null),
            json!("boom"),
            json!({"code": "x", "message": 1}),
            json!([]),
        ] {
            let value = json!({"id": null, "error": odd});
            let Message::Failure { id: None, error } = classify(&value) else {
                panic!("{value}")
            };
            assert_eq!((error.code, error.message, error.raw), (None, None, &odd));
        }
    }

    #[test]
    fn says_why_it_is_no_message() {
        assert_eq!(why(&json!(null)), Malformation::Null);
        assert_eq!(why(&json!([])), Malformation::Batch);
        assert_eq!(why(&json!("x")), Malformation::Scalar("string"));
        assert_eq!(why(&json!({})), Malformation::NoMember);
        assert_eq!(why(&json!({"id": 1})), Malformation::IdOnly);
        assert_eq!(
            why(&json!({"id": 1, "method": 2})),
            Malformation::MethodNotString
        );
        assert_eq!(
            why(&json!({"id": 1, "result": 1, "error": null})),
            Malformation::ResultAndError
        );
        assert_eq!(
            why(&json!({"method": "m", "result": 1})),
            Malformation::MethodAndResponse
        );
    }

    #[test]
    fn checks_the_version_member() {
        assert!(version_member_ok(&json!({"jsonrpc": "2.0"})));
        for wrong in [
            json!({}),
            json!({"jsonrpc": 2.0}),
            json!({"jsonrpc": "1.0"}),
            json!(["2.0"]),
        ] {
            assert!(!version_member_ok(&wrong));
        }
    }
}
