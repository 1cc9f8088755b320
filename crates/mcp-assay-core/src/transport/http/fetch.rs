//! Metadata documents whose URLs the server under test chose.

use std::time::Duration;

use url::Url;

use super::address::{self, Kind};
use super::answer::{End, Reading};
use super::dial::{self, Origin, Route};
use super::failure::Failure;
use super::request::{self, Prepared};
use super::{Answer, Client};
use crate::transcript::{Data, Event, Key, Log, Stage};
use crate::transport::{Limits, Until};

/// Longest metadata document that is read, in bytes.
const LONGEST: usize = 256 * 1024;

impl Client {
    /// Reads a document at a URL that the server named, as a client would: a plain GET with none of
    /// the user's headers, without proxy and redirects, and at most 256 KiB long.
    ///
    /// Only `https` is read, and `http` where both the URL and the endpoint are on loopback. The
    /// address must be public, or of the kind (loopback, private, ...) of the endpoint's own; it is
    /// checked before anything is sent, and what was checked is what is connected to. What is
    /// refused is recorded as [`Event::Failed`] without an [`Event::Sent`].
    pub async fn fetch(&self, url: &Url, limit: Duration, log: &Log, key: &Key) -> Answer {
        let limits = Limits {
            message: LONGEST,
            ..self.setup.limits.clone()
        };
        let reading = Reading {
            key,
            log,
            limits: &limits,
            until: Until::Response,
            id: None,
        };
        let mut answer = Answer::none();
        let conversation = self.get(url, &reading, &mut answer);
        let ended = tokio::time::timeout(limit, conversation).await;
        answer.end(ended, limit, &reading);
        answer
    }

    async fn get(
        &self,
        url: &Url,
        reading: &Reading<'_>,
        answer: &mut Answer,
    ) -> Result<End, Failure> {
        let target = &self.setup.origin;
        let origin = Origin::of(url).map_err(|error| refused(url, &error.to_string()))?;
        let own_loopback = origin.is_loopback() && target.is_loopback();
        if !(origin.https || own_loopback) {
            return Err(refused(
                url,
                "it is neither https nor on the server's own loopback",
            ));
        }
        let addresses = origin.resolve().await?;
        let known: Vec<Kind> = match target.resolve().await {
            Ok(found) => found.iter().map(|at| address::kind(at.ip())).collect(),
            // Behind a proxy the endpoint's name may mean nothing here.
            Err(_) => Vec::new(),
        };
        let ips = addresses.iter().map(std::net::SocketAddr::ip);
        if let Some((ip, kind)) = address::forbidden(ips, &known) {
            return Err(refused(
                url,
                &format!("{ip} is a {kind} address and the server under test is at none"),
            ));
        }
        let own = [
            ("Accept".to_owned(), "application/json".to_owned()),
            (
                "User-Agent".to_owned(),
                concat!("mcp-assay/", env!("CARGO_PKG_VERSION")).to_owned(),
            ),
        ];
        let url = request::clean(url.clone());
        let Prepared { head, request } =
            request::prepare("GET", &url, &Route::Direct, [&own[..]], Vec::new())
                .map_err(|cause| Failure::new(Stage::Send, cause))?;
        reading.push(Event::Sent {
            head: Some(head),
            data: Data::whole(Vec::new()),
        });
        let mut connection = dial::open_at(&origin, &addresses, &self.setup.tls).await?;
        let response = connection
            .sender
            .send_request(request)
            .await
            .map_err(|error| Failure::of_head(&error, false))?;
        let (head, body) = response.into_parts();
        answer.take_head(&head, reading);
        reading.body(body).await
    }
}

fn refused(url: &Url, why: &str) -> Failure {
    let host = url.host_str().unwrap_or("a URL without a host");
    Failure::new(
        Stage::Connect,
        format!("read metadata at {host}: not tried, because {why}"),
    )
}
