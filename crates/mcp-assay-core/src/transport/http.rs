//! HTTP: one request, one answer, exactly as they were.
//!
//! HTTP/1.1 without redirects, cookies, decompression and retries. Header names are sent in lower
//! case. The head of an answer is bounded by the HTTP library: 100 header lines and 408 KiB.

mod address;
mod answer;
mod dial;
mod failure;
mod fetch;
mod request;
#[cfg(test)]
mod tests;
mod tls;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::http::response::Parts;
use hyper_util::client::proxy::matcher::Matcher;
use tokio::time::Instant;
use url::Url;

use self::answer::{End, Reading};
use self::dial::{Connection, Origin, Route};
use self::failure::Failure;
pub use self::request::HeaderError;
use self::request::Prepared;
use self::tls::Tls;
use super::{Arrival, Endpoint, Limits, Outgoing};
use crate::transcript::{Data, Event, Log, Stage};

/// An idle connection is not used again after this time: servers close theirs after 5 s and more,
/// and a request that crosses with the closing is lost.
const IDLE: Duration = Duration::from_secs(4);

/// Why a client cannot be set up. No request was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Not an HTTP URL.
    #[error("reach a {0:?} URL: only http and https are spoken")]
    Scheme(String),
    /// A URL without a host.
    #[error("reach a URL without a host; give it as http://host:port/path")]
    Host,
    /// One of the user's headers cannot be sent.
    #[error("add a header: {0}")]
    Header(#[from] HeaderError),
    /// The user's certificate authorities cannot be used.
    #[error("read the certificate authorities in {path}: {cause}")]
    CaCert {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// TLS cannot be set up.
    #[error("set up tls: {0}")]
    Tls(String),
    /// A proxy this client cannot speak to.
    #[error(
        "use the proxy the environment names: {0:?} proxies are not spoken to, http and https are"
    )]
    Proxy(String),
}

/// One logical client with connections of its own, which it keeps alive. Clones share them.
#[derive(Debug, Clone)]
pub struct Client {
    setup: Arc<Setup>,
    /// Without userinfo.
    url: Url,
    idle: Arc<Mutex<Vec<Connection>>>,
}

/// What siblings share.
#[derive(Debug)]
struct Setup {
    origin: Origin,
    route: Route,
    tls: Tls,
    /// From the userinfo of the URL.
    authorization: Vec<(String, String)>,
    /// The user's.
    headers: Vec<(String, String)>,
    limits: Limits,
}

/// What came of an exchange. The messages are in the log.
#[derive(Debug, Clone)]
pub struct Answer {
    /// [`Arrival::Answered`]: what was waited for came, or the answer ended, whatever it was.
    /// [`Arrival::Silent`]: the limit passed first. [`Arrival::Gone`]: the transport failed, or a
    /// bound was reached.
    pub arrival: Arrival,
    /// The status; none if no head came.
    pub status: Option<u16>,
    /// The headers in the order received, with secrets, one char per byte; names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Client {
    /// Sets up a client; nothing is sent yet. The proxy is the one that `HTTP_PROXY`,
    /// `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name; loopback targets never use one.
    ///
    /// # Errors
    /// If the URL is none of HTTP, a header cannot be sent, or the certificate authorities or the
    /// proxy cannot be used.
    pub fn new(endpoint: &Endpoint, limits: &Limits) -> Result<Self, SetupError> {
        Self::with_proxies(endpoint, limits, &Matcher::from_env())
    }

    fn with_proxies(
        endpoint: &Endpoint,
        limits: &Limits,
        proxies: &Matcher,
    ) -> Result<Self, SetupError> {
        let origin = Origin::of(&endpoint.url)?;
        let route = Route::to(&origin, proxies)?;
        for (name, value) in &endpoint.headers {
            request::check(name, value)?;
        }
        let tls = Tls::new(endpoint.ca_cert.as_deref())?;
        if origin.https {
            tls.config().map_err(SetupError::Tls)?;
        }
        let setup = Setup {
            origin,
            route,
            tls,
            authorization: request::basic(&endpoint.url).into_iter().collect(),
            headers: endpoint.headers.clone(),
            limits: limits.clone(),
        };
        Ok(Self {
            setup: Arc::new(setup),
            url: request::clean(endpoint.url.clone()),
            idle: Arc::default(),
        })
    }

    /// Another client for the same endpoint: it shares no connection with this one.
    #[must_use]
    pub fn sibling(&self) -> Self {
        Self {
            setup: Arc::clone(&self.setup),
            url: self.url.clone(),
            idle: Arc::default(),
        }
    }

    /// This client, its connections and its headers at another URL of the same origin (after a
    /// 307 or 308); none for another origin, which must not see them.
    #[must_use]
    pub fn with_url(&self, url: Url) -> Option<Self> {
        let origin = Origin::of(&url).ok()?;
        (origin == self.setup.origin).then(|| Self {
            setup: Arc::clone(&self.setup),
            url: request::clean(url),
            idle: Arc::clone(&self.idle),
        })
    }

    /// Where requests go, without userinfo.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// One exchange. Records, with the question's key, what was sent, the head of the answer, what
    /// was received, and how it ended: end of file, a bound, the limit, or a failure. An answer
    /// that is left early because what was waited for arrived has no such ending.
    ///
    /// `limit` covers everything from the look-up of the name to the end of the wait. Exchanges
    /// may overlap; give each a [`Log::fork`] then, and append them in the order of the plan.
    pub async fn exchange(&self, out: &Outgoing, limit: Duration, log: &Log) -> Answer {
        let setup = &*self.setup;
        let layers = [setup.authorization.as_slice(), &out.headers, &setup.headers];
        let prepared = request::prepare(
            out.http_method,
            &self.url,
            &setup.route,
            layers,
            out.body.clone(),
        );
        let reading = Reading {
            key: &out.key,
            log,
            limits: &setup.limits,
            until: out.until,
            id: out.id.as_ref(),
        };
        let mut answer = Answer::none();
        let ended = match prepared {
            Err(cause) => Ok(Err(Failure::new(Stage::Send, cause))),
            Ok(Prepared { head, request }) => {
                log.push(
                    Some(&out.key),
                    Event::Sent {
                        head: Some(head),
                        data: Data::whole(out.body.clone()),
                    },
                );
                let conversation = self.converse(request, &reading, &mut answer);
                tokio::time::timeout(limit, conversation).await
            }
        };
        answer.end(ended, limit, &reading);
        answer
    }

    async fn converse(
        &self,
        mut request: request::Message,
        reading: &Reading<'_>,
        answer: &mut Answer,
    ) -> Result<End, Failure> {
        let (connection, response) = loop {
            let (mut connection, reused) = self.connection().await?;
            match connection.sender.try_send_request(request).await {
                Ok(response) => break (connection, response),
                Err(mut error) => match error.take_message() {
                    // It was closed while idle and nothing was written: not a retry.
                    Some(unsent) if reused => request = unsent,
                    _ => return Err(Failure::of_head(error.error(), reused)),
                },
            }
        };
        let (head, body) = response.into_parts();
        answer.take_head(&head, reading);
        let end = reading.answer(&head, body).await?;
        if end == End::Complete {
            self.give_back(connection);
        }
        Ok(end)
    }

    /// An idle connection (then true), or a new one.
    async fn connection(&self) -> Result<(Connection, bool), Failure> {
        while let Some(mut connection) = self.take_idle() {
            if connection.idle_since.elapsed() < IDLE && connection.sender.ready().await.is_ok() {
                return Ok((connection, true));
            }
        }
        let setup = &*self.setup;
        let connection = dial::open(&setup.origin, &setup.route, &setup.tls).await?;
        Ok((connection, false))
    }

    fn take_idle(&self) -> Option<Connection> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    fn give_back(&self, mut connection: Connection) {
        connection.idle_since = Instant::now();
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(connection);
    }
}

impl Answer {
    fn none() -> Self {
        Self {
            arrival: Arrival::Gone,
            status: None,
            headers: Vec::new(),
        }
    }

    fn take_head(&mut self, head: &Parts, reading: &Reading<'_>) {
        self.status = Some(head.status.as_u16());
        self.headers = head
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), request::latin1(value)))
            .collect();
        reading.push(Event::Head {
            status: head.status.as_u16(),
            headers: self.headers.clone(),
        });
    }

    fn end(
        &mut self,
        ended: Result<Result<End, Failure>, tokio::time::error::Elapsed>,
        limit: Duration,
        reading: &Reading<'_>,
    ) {
        self.arrival = match ended {
            Ok(Ok(End::Complete | End::Enough)) => Arrival::Answered,
            Ok(Ok(End::Bound)) => Arrival::Gone,
            Ok(Err(Failure { stage, message })) => {
                reading.push(Event::Failed { stage, message });
                Arrival::Gone
            }
            Err(_) => {
                reading.push(Event::TimedOut(limit));
                Arrival::Silent
            }
        };
    }
}
