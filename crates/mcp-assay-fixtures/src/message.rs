//! JSON-RPC messages in, answers out.

use serde_json::{Map, Value, json};

/// A request or notification that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The id, absent on a notification.
    pub(crate) id: Option<Value>,
    pub(crate) method: String,
    /// The parameters, `Null` when absent.
    pub(crate) params: Value,
    /// The header fields it came with; `None` on stdio.
    pub(crate) headers: Option<Vec<(String, String)>>,
    /// 1 for the first request that the server received.
    pub(crate) number: u64,
}

impl Request {
    /// Reads one message; the error is the answer to what is no request or notification.
    pub(crate) fn parse(
        text: &[u8],
        headers: Option<Vec<(String, String)>>,
    ) -> Result<Self, Reply> {
        let refuse = |code: i64, message: &str| {
            Err(Reply::message(
                json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}}),
            )
            .status(400))
        };
        let Ok(message) = serde_json::from_slice::<Value>(text) else {
            return refuse(-32700, "Parse error");
        };
        let id = match message.get("id") {
            None => None,
            Some(id) if id.is_string() || id.is_i64() || id.is_u64() => Some(id.clone()),
            Some(_) => return refuse(-32600, "Invalid request: id must be a string or an integer"),
        };
        let (Some("2.0"), Some(method)) = (
            message.get("jsonrpc").and_then(Value::as_str),
            message.get("method").and_then(Value::as_str),
        ) else {
            return refuse(-32600, "Invalid request");
        };
        let params = message.get("params").cloned().unwrap_or_default();
        Ok(Request {
            id,
            method: method.to_owned(),
            params,
            headers,
            number: 0,
        })
    }

    /// The member `name` of the parameters.
    pub(crate) fn param(&self, name: &str) -> Option<&Value> {
        self.params.get(name)
    }

    /// The member `name` of the parameters, when it is a string.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.param(name).and_then(Value::as_str)
    }

    /// The member `io.modelcontextprotocol/{name}` of `_meta`.
    pub(crate) fn meta(&self, name: &str) -> Option<&Value> {
        self.param("_meta")?
            .get(format!("io.modelcontextprotocol/{name}"))
    }

    /// The value of the HTTP header field `name`; `None` on stdio.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(self.headers.as_deref()?, name)
    }

    pub(crate) fn is_http(&self) -> bool {
        self.headers.is_some()
    }

    pub(crate) fn is_list(&self) -> bool {
        self.method.ends_with("/list")
    }
}

/// The first header field called `name`, in any case.
pub(crate) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// What a server sends for one request, on either transport.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// HTTP status; means nothing on stdio.
    pub(crate) status: u16,
    /// Additional HTTP header fields.
    pub(crate) headers: Vec<(String, String)>,
    /// Messages that go first. On HTTP they make the answer an event stream.
    pub(crate) before: Vec<Value>,
    pub(crate) content: Content,
    /// Send the answer as an event stream on HTTP.
    pub(crate) sse: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// One JSON-RPC message.
    Message(Value),
    /// An empty HTTP body; nothing on stdio.
    Empty,
    /// An HTTP body of the given content type; as it is on stdio.
    Bytes(&'static str, Vec<u8>),
    /// A JSON text with a filling of `x` of the given length, in bytes, between two parts.
    Padded(String, u64, String),
    /// An event stream that stays open after these messages. The last value, if any, is sent
    /// when the server ends the stream itself.
    Stream(Vec<Value>, Option<Value>),
    /// No answer, ever; the channel stays open.
    Silence,
    /// The process exits with this status; on HTTP the connection is dropped.
    Exit(i32),
}

impl Reply {
    pub(crate) fn new(status: u16, content: Content) -> Self {
        Reply {
            status,
            headers: Vec::new(),
            before: Vec::new(),
            content,
            sse: false,
        }
    }

    pub(crate) fn message(message: Value) -> Self {
        Reply::new(200, Content::Message(message))
    }

    pub(crate) fn result(request: &Request, result: Value) -> Self {
        Reply::message(json!({"jsonrpc": "2.0", "id": request.id, "result": result}))
    }

    /// A JSON-RPC error, with HTTP status 200 unless changed with [`Reply::status`].
    pub(crate) fn error(request: &Request, code: i64, message: &str) -> Self {
        Reply::message(
            json!({"jsonrpc": "2.0", "id": request.id, "error": {"code": code, "message": message}}),
        )
    }

    pub(crate) fn method_not_found(request: &Request) -> Self {
        Reply::error(request, -32601, "Method not found").status(404)
    }

    pub(crate) fn empty(status: u16) -> Self {
        Reply::new(status, Content::Empty)
    }

    pub(crate) fn bytes(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Reply::new(status, Content::Bytes(content_type, body.into()))
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Reply::bytes(status, "application/json", body.to_string())
    }

    pub(crate) fn silence() -> Self {
        Reply::new(200, Content::Silence)
    }

    pub(crate) fn exit(status: i32) -> Self {
        Reply::new(200, Content::Exit(status))
    }

    pub(crate) fn status(self, status: u16) -> Self {
        Reply { status, ..self }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn data(mut self, data: Value) -> Self {
        if let Some(error) = self.error_mut() {
            error.insert("data".to_owned(), data);
        }
        self
    }

    /// The members of `result`, when this is a result.
    pub(crate) fn result_mut(&mut self) -> Option<&mut Map<String, Value>> {
        self.member_mut("result")
    }

    /// The members of `error`, when this is an error.
    pub(crate) fn error_mut(&mut self) -> Option<&mut Map<String, Value>> {
        self.member_mut("error")
    }

    /// The code of the error, when this is an error.
    pub(crate) fn error_code(&mut self) -> Option<i64> {
        self.error_mut()?.get("code")?.as_i64()
    }

    fn member_mut(&mut self, name: &str) -> Option<&mut Map<String, Value>> {
        match &mut self.content {
            Content::Message(message) => message.get_mut(name)?.as_object_mut(),
            _ => None,
        }
    }

    /// Replaces the error code `from` by `to`.
    pub(crate) fn recode(&mut self, from: i64, to: i64) {
        if self.error_code() == Some(from)
            && let Some(error) = self.error_mut()
        {
            error.insert("code".to_owned(), to.into());
        }
    }
}
