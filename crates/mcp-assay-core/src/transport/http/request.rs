//! The head of a request: which headers are sent, in which order.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request};
use percent_encoding::percent_decode_str;
use url::Url;

use super::dial::Route;
use crate::transcript::RequestHead;

/// What the transport itself decides: another value would contradict the bytes that follow.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

/// Why a header cannot be sent. Says nothing about its value, which may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The name is no token.
    #[error("{0:?} is no header name; give it as 'Name: value'")]
    Name(String),
    /// The value holds a control character.
    #[error("the value of {0} holds a control character; remove it")]
    Value(String),
    /// The header frames the message.
    #[error("{0} follows from the body and cannot be set")]
    Framing(String),
}

pub(super) fn check(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), HeaderError> {
    let parsed =
        HeaderName::from_bytes(name.as_bytes()).map_err(|_| HeaderError::Name(name.to_owned()))?;
    if FRAMING.contains(&parsed.as_str()) {
        return Err(HeaderError::Framing(name.to_owned()));
    }
    let value = HeaderValue::from_bytes(value.as_bytes())
        .map_err(|_| HeaderError::Value(name.to_owned()))?;
    Ok((parsed, value))
}

/// The `Authorization` a client derives from `user:password@` in a URL.
pub(super) fn basic(url: &Url) -> Option<(String, String)> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut plain: Vec<u8> = percent_decode_str(url.username()).collect();
    plain.push(b':');
    plain.extend(percent_decode_str(url.password().unwrap_or_default()));
    let value = format!("Basic {}", STANDARD.encode(plain));
    Some(("Authorization".to_owned(), value))
}

/// The URL as it is requested and recorded: without userinfo and fragment.
pub(super) fn clean(mut url: Url) -> Url {
    // Fails only for URLs without a host, which have no userinfo either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    url
}

/// A request in the library's type.
pub(super) type Message = Request<Full<Bytes>>;

/// A request that can be sent, and how it is recorded.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) head: RequestHead,
    pub(super) request: Message,
}

/// Puts a request together. A header of a later layer replaces those of earlier layers with its
/// name; within a layer a name may occur more than once.
pub(super) fn prepare<'a>(
    method: &str,
    url: &Url,
    route: &Route,
    layers: impl IntoIterator<Item = &'a [(String, String)]>,
    body: Vec<u8>,
) -> Result<Prepared, String> {
    let mut headers = vec![("Host".to_owned(), host(url))];
    let mut values = vec![check("Host", &headers[0].1).map_err(|error| error.to_string())?];
    for layer in layers {
        let checked = layer
            .iter()
            .map(|(name, value)| check(name, value))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())?;
        let replaced = |name: &str| {
            checked
                .iter()
                .any(|(other, _)| other.as_str().eq_ignore_ascii_case(name))
        };
        headers.retain(|(name, _)| !replaced(name));
        values.retain(|(name, _)| !replaced(name.as_str()));
        headers.extend_from_slice(layer);
        values.extend(checked);
    }
    if let Route::Forward(proxy) = route
        && let Some(value) = &proxy.authorization
    {
        let name = "Proxy-Authorization";
        headers.push((name.to_owned(), latin1(value)));
        values.push((hyper::header::PROXY_AUTHORIZATION, value.clone()));
    }
    if !body.is_empty() || method == Method::POST.as_str() {
        headers.push(("Content-Length".to_owned(), body.len().to_string()));
        values.push((hyper::header::CONTENT_LENGTH, HeaderValue::from(body.len())));
    }

    let target = match route {
        Route::Forward(_) => url.as_str(),
        Route::Direct | Route::Tunnel(_) => &url[url::Position::BeforePath..],
    };
    let mut request = Request::builder()
        .method(method)
        .uri(target)
        .body(Full::from(body))
        .map_err(|error| format!("encode the request: {error}"))?;
    for (name, value) in values {
        request.headers_mut().append(name, value);
    }
    Ok(Prepared {
        head: RequestHead {
            method: method.to_owned(),
            url: url.to_string(),
            headers,
        },
        request,
    })
}

/// One char per byte, so that no byte of a header is lost.
pub(super) fn latin1(value: &HeaderValue) -> String {
    value
        .as_bytes()
        .iter()
        .map(|byte| char::from(*byte))
        .collect()
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn later_headers_replace_earlier_ones_whatever_their_case() {
        let ours = [
            pair("Accept", "application/json"),
            pair("X-Two", "1"),
            pair("x-two", "2"),
        ];
        let users = [
            pair("ACCEPT", "text/plain"),
            pair("host", "other"),
            pair("X-New", "3"),
        ];
        let url: Url = "http://example.com:8080/mcp?q=1".parse().unwrap();
        let made = prepare(
            "POST",
            &url,
            &Route::Direct,
            [&ours[..], &users],
            b"{}".to_vec(),
        )
        .unwrap();
        assert_eq!(
            made.head.headers,
            [
                pair("X-Two", "1"),
                pair("x-two", "2"),
                pair("ACCEPT", "text/plain"),
                pair("host", "other"),
                pair("X-New", "3"),
                pair("Content-Length", "2"),
            ]
        );
        assert_eq!(made.request.headers().get_all("x-two").iter().count(), 2);
        assert_eq!(made.request.headers()["host"], "other");
        assert_eq!(made.request.uri(), "/mcp?q=1");
    }

    #[test]
    fn what_cannot_be_sent_is_named_without_its_value() {
        for (name, value, error) in [
            ("a b", "x", HeaderError::Name("a b".into())),
            (
                "X-Token",
                "hidden\r\nX: y",
                HeaderError::Value("X-Token".into()),
            ),
            (
                "Content-length",
                "5",
                HeaderError::Framing("Content-length".into()),
            ),
        ] {
            assert_eq!(check(name, value).unwrap_err(), error);
            assert!(!error.to_string().contains("hidden"));
        }
    }

    #[test]
    fn userinfo_becomes_basic_and_leaves_the_url() {
        let url: Url = "https://me%40home:p%3Ass@example.com/mcp#part"
            .parse()
            .unwrap();
        let (_, value) = basic(&url).unwrap();
        assert_eq!(value, format!("Basic {}", STANDARD.encode("me@home:p:ss")));
        assert_eq!(clean(url).as_str(), "https://example.com/mcp");
        assert_eq!(basic(&"https://example.com/".parse().unwrap()), None);
    }
}
