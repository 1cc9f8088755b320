//! TLS with the system's certificate authorities and the user's.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;

use super::SetupError;

/// What is needed to open TLS connections. Built on first use: reading the system's authorities
/// takes milliseconds that a plain `http` target need not pay.
#[derive(Debug)]
pub(super) struct Tls {
    extra: Vec<CertificateDer<'static>>,
    config: OnceLock<Result<Arc<ClientConfig>, String>>,
}

impl Tls {
    pub(super) fn new(ca_cert: Option<&Path>) -> Result<Self, SetupError> {
        let extra = match ca_cert {
            Some(path) => authorities(path)?,
            None => Vec::new(),
        };
        Ok(Self {
            extra,
            config: OnceLock::new(),
        })
    }

    /// The configuration, or why there is none.
    pub(super) fn config(&self) -> Result<Arc<ClientConfig>, String> {
        self.config
            .get_or_init(|| {
                build(&self.extra)
                    .map(Arc::new)
                    .map_err(|error| error.to_string())
            })
            .clone()
    }
}

fn build(extra: &[CertificateDer<'static>]) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(extra.iter().cloned(), Arc::clone(&provider))?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // A sibling shares this configuration and must look like another client to the server.
    config.resumption = Resumption::disabled();
    Ok(config)
}

fn authorities(path: &Path) -> Result<Vec<CertificateDer<'static>>, SetupError> {
    let failed = |cause: String| SetupError::CaCert {
        path: path.to_owned(),
        cause,
    };
    let found: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| failed(error.to_string()))?;
    if found.is_empty() {
        return Err(failed("it holds no PEM certificate".into()));
    }
    Ok(found)
}
