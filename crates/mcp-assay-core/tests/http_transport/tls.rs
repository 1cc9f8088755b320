//! TLS: whose certificates are believed.

use std::path::PathBuf;
use std::sync::Arc;

use mcp_assay_core::transport::http::{Client, SetupError};
use mcp_assay_core::transport::{Limits, Until};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::server::{RESPONSE, ask, endpoint, json_answer, post};

/// A TLS server for `localhost` that answers one request per connection. Its certificate in PEM.
async fn serve() -> (u16, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer).await;
            let _ = stream.write_all(json_answer().as_bytes()).await;
        }
    });
    (port, made.cert.pem())
}

fn client(url: &str, ca_cert: Option<PathBuf>) -> Result<Client, SetupError> {
    let mut endpoint = endpoint(url);
    endpoint.ca_cert = ca_cert;
    Client::new(&endpoint, &Limits::default())
}

#[tokio::test]
async fn a_private_authority_is_believed_where_the_user_names_it() {
    let (port, pem) = serve().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ca.pem");
    std::fs::write(&path, pem).unwrap();
    let url = format!("https://localhost:{port}/mcp");

    let named = client(&url, Some(path.clone())).unwrap();
    let seen = ask(&named, &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "head 200", RESPONSE, "eof"]);

    // Where the system has no authorities at all, the client cannot be set up without one.
    if let Ok(other) = client(&url, None) {
        let seen = ask(&other, &post(Until::Response)).await;
        assert_eq!(seen.shape(), ["sent", "failed tls"]);
        assert!(seen.failure().contains("--ca-cert"), "{}", seen.failure());
    }

    let wrong_name = client(&format!("https://127.0.0.1:{port}/mcp"), Some(path.clone()));
    let seen = ask(&wrong_name.unwrap(), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "failed tls"]);

    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/mcp", plain.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    });
    let seen = ask(&client(&url, Some(path)).unwrap(), &post(Until::Response)).await;
    assert_eq!(seen.shape(), ["sent", "failed tls"]);
    assert!(seen.failure().contains("plain http"), "{}", seen.failure());
}

#[test]
fn a_file_without_certificates_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ca.pem");
    for content in [None, Some("no certificate")] {
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let refused = client("http://localhost/mcp", Some(path.clone())).unwrap_err();
        assert!(matches!(refused, SetupError::CaCert { .. }), "{refused}");
    }
}
