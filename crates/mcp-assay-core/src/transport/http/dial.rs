//! Opens connections: name, TCP, proxy, TLS.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use http_body_util::{Empty, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use super::failure::{Failure, chain};
use super::tls::Tls;
use super::{SetupError, address};
use crate::transcript::Stage;

/// How long one address may keep the next one waiting (RFC 8305).
const STAGGER: Duration = Duration::from_millis(250);

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) https: bool,
    pub(super) host: Host<String>,
    pub(super) port: u16,
}

impl Origin {
    pub(super) fn of(url: &Url) -> Result<Self, SetupError> {
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            other => return Err(SetupError::Scheme(other.to_owned())),
        };
        // URLs of these schemes have a host.
        let host = url.host().ok_or(SetupError::Host)?.to_owned();
        let port = url.port().unwrap_or(if https { 443 } else { 80 });
        Ok(Self { https, host, port })
    }

    /// True where the host can only be this machine: a loopback address, or `localhost`.
    pub(super) fn is_loopback(&self) -> bool {
        match &self.host {
            Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                name == "localhost" || name.ends_with(".localhost")
            }
            Host::Ipv4(ip) => address::kind(IpAddr::V4(*ip)) == address::Kind::Loopback,
            Host::Ipv6(ip) => address::kind(IpAddr::V6(*ip)) == address::Kind::Loopback,
        }
    }

    /// `host:port`.
    pub(super) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The addresses of the host.
    pub(super) async fn resolve(&self) -> Result<Vec<SocketAddr>, Failure> {
        let name = match &self.host {
            Host::Ipv4(ip) => return Ok(vec![SocketAddr::from((*ip, self.port))]),
            Host::Ipv6(ip) => return Ok(vec![SocketAddr::from((*ip, self.port))]),
            Host::Domain(name) => name,
        };
        let failed = |cause: &str| Failure::new(Stage::Resolve, format!("look up {name}: {cause}"));
        let found: Vec<_> = tokio::net::lookup_host((name.as_str(), self.port))
            .await
            .map_err(|error| failed(&error.to_string()))?
            .collect();
        if found.is_empty() {
            return Err(failed("it has no address"));
        }
        Ok(found)
    }
}

/// How the endpoint is reached.
#[derive(Debug, Clone)]
pub(super) enum Route {
    /// Without a proxy.
    Direct,
    /// An `http` target: the proxy is sent the whole URL.
    Forward(Proxy),
    /// An `https` target: the proxy opens a tunnel.
    Tunnel(Proxy),
}

/// A proxy the environment names.
#[derive(Debug, Clone)]
pub(super) struct Proxy {
    origin: Origin,
    /// `Proxy-Authorization`, from the userinfo of its URL.
    pub(super) authorization: Option<HeaderValue>,
}

impl Route {
    /// The route to an origin. Loopback targets are reached directly whatever the environment
    /// says: a proxy elsewhere would reach another machine.
    pub(super) fn to(origin: &Origin, proxies: &Matcher) -> Result<Self, SetupError> {
        if origin.is_loopback() {
            return Ok(Self::Direct);
        }
        let scheme = if origin.https { "https" } else { "http" };
        let Ok(uri) = format!("{scheme}://{}/", origin.authority()).parse() else {
            return Ok(Self::Direct);
        };
        let Some(intercept) = proxies.intercept(&uri) else {
            return Ok(Self::Direct);
        };
        let proxy = Proxy::new(&intercept)?;
        Ok(if origin.https {
            Self::Tunnel(proxy)
        } else {
            Self::Forward(proxy)
        })
    }
}

impl Proxy {
    fn new(intercept: &Intercept) -> Result<Self, SetupError> {
        let uri = intercept.uri();
        let scheme = uri.scheme_str().unwrap_or_default().to_owned();
        let unusable = || SetupError::Proxy(scheme.clone());
        let https = match scheme.as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(unusable()),
        };
        Ok(Self {
            origin: Origin {
                https,
                host: Host::parse(uri.host().unwrap_or_default()).map_err(|_| unusable())?,
                port: uri.port_u16().unwrap_or(if https { 443 } else { 80 }),
            },
            authorization: intercept.basic_auth().cloned(),
        })
    }
}

/// One open connection. Dropping it closes it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) sender: SendRequest<Full<Bytes>>,
    pub(super) idle_since: Instant,
    _task: AbortOnDrop,
}

#[derive(Debug)]
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Opens a connection by the route.
pub(super) async fn open(origin: &Origin, route: &Route, tls: &Tls) -> Result<Connection, Failure> {
    match route {
        Route::Direct => open_at(origin, &origin.resolve().await?, tls).await,
        Route::Forward(proxy) => shake_hands(reach(&proxy.origin, tls).await?).await,
        Route::Tunnel(proxy) => {
            let stream = tunnel(reach(&proxy.origin, tls).await?, proxy, origin).await?;
            shake_hands(encrypt(stream, origin, tls).await?).await
        }
    }
}

/// Opens a connection to one of these addresses of the origin, without a proxy.
pub(super) async fn open_at(
    origin: &Origin,
    addresses: &[SocketAddr],
    tls: &Tls,
) -> Result<Connection, Failure> {
    shake_hands(reach_at(origin, addresses, tls).await?).await
}

async fn reach(origin: &Origin, tls: &Tls) -> Result<Box<dyn Stream>, Failure> {
    reach_at(origin, &origin.resolve().await?, tls).await
}

async fn reach_at(
    origin: &Origin,
    addresses: &[SocketAddr],
    tls: &Tls,
) -> Result<Box<dyn Stream>, Failure> {
    let stream = Box::new(connect(origin, addresses).await?);
    if origin.https {
        encrypt(stream, origin, tls).await
    } else {
        Ok(stream)
    }
}

/// The first address that accepts; the next one is tried when one fails or takes its time.
async fn connect(origin: &Origin, addresses: &[SocketAddr]) -> Result<TcpStream, Failure> {
    let mut attempts = JoinSet::new();
    let mut left = addresses.iter().copied();
    let mut last: Option<io::Error> = None;
    loop {
        if let Some(address) = left.next() {
            attempts.spawn(TcpStream::connect(address));
        }
        let ended = if left.len() == 0 {
            attempts.join_next().await
        } else {
            match tokio::time::timeout(STAGGER, attempts.join_next()).await {
                Ok(ended) => ended,
                Err(_) => continue,
            }
        };
        match ended {
            Some(Ok(Ok(stream))) => {
                // Requests are written in one piece; waiting for more only costs time.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Some(Ok(Err(error))) => last = Some(error),
            Some(Err(panicked)) => last = Some(io::Error::other(panicked)),
            None => {}
        }
        if attempts.is_empty() && left.len() == 0 {
            let tried: Vec<_> = addresses.iter().map(SocketAddr::to_string).collect();
            let seen = last.map_or_else(|| "no address".to_owned(), |error| error.to_string());
            return Err(Failure::new(
                Stage::Connect,
                format!(
                    "connect to {} (tried {}): {seen}",
                    origin.authority(),
                    tried.join(", ")
                ),
            ));
        }
    }
}

async fn encrypt(
    stream: Box<dyn Stream>,
    origin: &Origin,
    tls: &Tls,
) -> Result<Box<dyn Stream>, Failure> {
    let failed = |seen: &str| {
        Failure::new(
            Stage::Tls,
            format!("open tls to {}: {seen}", origin.authority()),
        )
    };
    let config = tls.config().map_err(|error| failed(&error))?;
    let name = match &origin.host {
        Host::Domain(name) => ServerName::try_from(name.clone())
            .map_err(|error| failed(&format!("the name cannot be verified: {error}")))?,
        Host::Ipv4(ip) => ServerName::from(IpAddr::V4(*ip)),
        Host::Ipv6(ip) => ServerName::from(IpAddr::V6(*ip)),
    };
    match TlsConnector::from(config).connect(name, stream).await {
        Ok(stream) => Ok(Box::new(stream)),
        Err(error) => Err(failed(&format!("{}{}", chain(&error), advice(&error)))),
    }
}

/// What to do next, where the error tells.
fn advice(error: &io::Error) -> &'static str {
    let cause = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer)) => {
            "; if a private authority issued it, name its certificate with --ca-cert"
        }
        Some(rustls::Error::InvalidMessage(_)) => "; the port may speak plain http",
        _ => "",
    }
}

/// Asks the proxy for a tunnel to the target.
async fn tunnel(
    stream: Box<dyn Stream>,
    proxy: &Proxy,
    target: &Origin,
) -> Result<Box<dyn Stream>, Failure> {
    let failed = |seen: &str| {
        Failure::new(
            Stage::Connect,
            format!(
                "ask the proxy {} for a tunnel to {}: {seen}",
                proxy.origin.authority(),
                target.authority()
            ),
        )
    };
    let mut request = Request::connect(target.authority()).header(HOST, target.authority());
    if let Some(authorization) = &proxy.authorization {
        request = request.header(PROXY_AUTHORIZATION, authorization);
    }
    let request = request
        .body(Empty::<Bytes>::new())
        .map_err(|error| failed(&error.to_string()))?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| failed(&chain(&error)))?;
    let _task = AbortOnDrop(tokio::spawn(async move {
        let _ = connection.with_upgrades().await;
    }));
    let response = sender
        .send_request(request)
        .await
        .map_err(|error| failed(&chain(&error)))?;
    if !response.status().is_success() {
        return Err(failed(&format!("it answered {}", response.status())));
    }
    let upgraded = hyper::upgrade::on(response)
        .await
        .map_err(|error| failed(&chain(&error)))?;
    Ok(Box::new(TokioIo::new(upgraded)))
}

async fn shake_hands(stream: Box<dyn Stream>) -> Result<Connection, Failure> {
    let (sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| Failure::new(Stage::Connect, chain(&error)))?;
    // Its error also reaches whoever waits for the answer.
    let task = tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(Connection {
        sender,
        idle_since: Instant::now(),
        _task: AbortOnDrop(task),
    })
}
