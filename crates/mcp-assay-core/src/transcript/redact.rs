//! Secrets become stable placeholders before anything is judged or recorded.

use super::event::{Data, Event};

/// Shorter values are not replaced: they would tear holes into ordinary text.
const SHORTEST: usize = 6;

/// Words of the protocol. A value that is one of them is no secret, and replacing it would change
/// what the server said: `--env MODE=complete` must not cost every result its `resultType`.
const VOCABULARY: &str = "jsonrpc method params result error message resultType complete \
    input_required supportedVersions capabilities protocolVersion clientInfo clientCapabilities \
    serverInfo cacheScope public private nextCursor instructions extensions listChanged subscribe \
    resources templates contents prompts messages arguments required inputSchema description \
    requiredCapabilities supported requested notifications subscriptions acknowledged tools/list \
    prompts/list prompts/get resources/list resources/read resources/templates/list tools/call \
    server/discover subscriptions/listen initialize initialized authorization_servers issuer \
    registration_endpoint 2026-07-28 2025-11-25 2025-06-18 2025-03-26 2024-11-05 2099-01-01 \
    application/json text/event-stream modelcontextprotocol io.modelcontextprotocol mcp-assay";

/// Headers whose whole value is a credential, in either direction.
const CREDENTIAL_HEADERS: [&str; 8] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
    "x-auth-token",
    "x-amz-security-token",
];

/// Knows the run's secrets and replaces them wherever they turn up.
#[derive(Debug, Default, Clone)]
pub struct Redactor {
    /// Value and placeholder, longest value first, so that a secret inside another is not torn.
    secrets: Vec<(String, String)>,
}

impl Redactor {
    /// `secrets` are pairs of a name (shown) and a value (hidden). Values under six bytes are left.
    #[must_use]
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut known: Vec<(String, String)> = Vec::new();
        for (name, value) in secrets {
            if value.len() < SHORTEST || VOCABULARY.split_whitespace().any(|word| word == value) {
                continue;
            }
            let placeholder = format!("{{{{secret:{name}}}}}");
            for form in [value.to_owned(), json_inner(value)] {
                if !known.iter().any(|(seen, _)| *seen == form) {
                    known.push((form, placeholder.clone()));
                }
            }
        }
        known.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Self { secrets: known }
    }

    /// The text without secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        for (value, placeholder) in &self.secrets {
            if clean.contains(value.as_str()) {
                clean = clean.replace(value.as_str(), placeholder);
            }
        }
        clean
    }

    pub(crate) fn event(&self, event: Event) -> Event {
        match event {
            Event::Opened(words) => {
                Event::Opened(words.iter().map(|word| self.text(word)).collect())
            }
            Event::Sent { head, data } => Event::Sent {
                head: head.map(|mut head| {
                    head.url = self.text(&head.url);
                    head.headers = self.headers(head.headers);
                    head
                }),
                data: self.data(data),
            },
            Event::Head { status, headers } => Event::Head {
                status,
                headers: self.headers(headers),
            },
            Event::Received {
                framing,
                name,
                data,
            } => Event::Received {
                framing,
                name: name.map(|name| self.text(&name)),
                data: self.data(data),
            },
            Event::Stderr(data) => Event::Stderr(self.data(data)),
            Event::Failed { stage, message } => Event::Failed {
                stage,
                message: self.text(&message),
            },
            other => other,
        }
    }

    fn headers(&self, headers: Vec<(String, String)>) -> Vec<(String, String)> {
        headers
            .into_iter()
            .map(|(name, value)| {
                let lower = name.to_ascii_lowercase();
                let value = if CREDENTIAL_HEADERS.contains(&lower.as_str()) {
                    format!("{{{{secret:{lower}}}}}")
                } else {
                    self.text(&value)
                };
                (name, value)
            })
            .collect()
    }

    fn data(&self, mut data: Data) -> Data {
        for (value, placeholder) in &self.secrets {
            if let Some(clean) = replaced(&data.bytes, value.as_bytes(), placeholder.as_bytes()) {
                let cut = data.length - data.bytes.len() as u64;
                data.length = clean.len() as u64 + cut;
                data.bytes = clean;
            }
        }
        data
    }
}

/// How the value looks inside a JSON string.
fn json_inner(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn replaced(bytes: &[u8], value: &[u8], placeholder: &[u8]) -> Option<Vec<u8>> {
    let mut at = find(bytes, value, 0)?;
    let mut clean = Vec::with_capacity(bytes.len());
    let mut from = 0;
    loop {
        clean.extend_from_slice(&bytes[from..at]);
        clean.extend_from_slice(placeholder);
        from = at + value.len();
        match find(bytes, value, from) {
            Some(next) => at = next,
            None => break,
        }
    }
    clean.extend_from_slice(&bytes[from..]);
    Some(clean)
}

fn find(bytes: &[u8], value: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(&bytes[from..], value).map(|at| at + from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_replaced_in_bodies_headers_and_messages() {
        let redactor = Redactor::new([("TOKEN", "s3cr\"et-value")]);
        let Event::Received { data, .. } = redactor.event(Event::Received {
            framing: super::super::event::Framing::Body,
            name: None,
            data: Data::whole(br#"{"echo":"s3cr\"et-value s3cr\"et-value"}"#.to_vec()),
        }) else {
            panic!("the kind of event changed")
        };
        assert_eq!(
            String::from_utf8_lossy(&data.bytes),
            r#"{"echo":"{{secret:TOKEN}} {{secret:TOKEN}}"}"#
        );
        assert!(!data.is_cut());
        assert_eq!(redactor.text("x s3cr\"et-value"), "x {{secret:TOKEN}}");
    }

    #[test]
    fn a_word_of_the_protocol_is_no_secret() {
        let redactor = Redactor::new([("MODE", "complete"), ("KIND", "completely-else")]);
        assert_eq!(redactor.text("complete"), "complete");
        assert_eq!(redactor.text("completely-else"), "{{secret:KIND}}");
    }

    #[test]
    fn credential_headers_lose_their_value_whatever_it_is() {
        let Event::Head { headers, .. } = Redactor::default().event(Event::Head {
            status: 200,
            headers: vec![
                ("Set-Cookie".into(), "id=abc".into()),
                ("Date".into(), "now".into()),
            ],
        }) else {
            panic!("the kind of event changed")
        };
        assert_eq!(headers[0].1, "{{secret:set-cookie}}");
        assert_eq!(headers[1].1, "now");
    }
}
