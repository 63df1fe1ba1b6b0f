//! TLS of our own, for a server or a relay without a proxy before it: certificate and key from two
//! files, which are looked at every few seconds. A new pair is taken whole, for who connects from
//! then on, or refused while the old one serves on.
//!
//! Tickets for resumption are sealed with a key of the pair: who comes back after a new pair was
//! taken is shown the new certificate. Nothing is kept for them here.

mod certificate;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::NoServerSessionStorage;
use rustls::{InconsistentKeys, ServerConfig};
use sha2::{Digest, Sha256};

/// Two PEM files.
#[derive(Clone, Debug)]
pub struct Files {
    /// The certificate, and those that lead from it to one that peers know (`--tls-cert`).
    pub certificate: PathBuf,
    /// Its key, not encrypted: PKCS #8, PKCS #1 or SEC 1 (`--tls-key`).
    pub key: PathBuf,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{option} {}: {what}", path.display())]
pub struct TlsError {
    option: &'static str,
    path: PathBuf,
    what: String,
}

/// What connections are encrypted with.
pub struct Tls {
    files: Files,
    current: ArcSwap<Pair>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}

struct Pair {
    config: Arc<ServerConfig>,
    /// When the certificate ends, in seconds since 1970.
    expires: i64,
    digest: [u8; 32],
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// Where one cannot be read, has nothing in it that is meant, or the two do not belong to each
    /// other.
    pub fn load(files: Files) -> Result<Arc<Self>, TlsError> {
        let pair = files.read()?.parse(&files)?;
        Ok(Arc::new(Self {
            files,
            current: ArcSwap::from_pointee(pair),
        }))
    }

    /// What the next connection is accepted with.
    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.current.load().config)
    }

    /// When the certificate ends, in seconds since 1970.
    pub fn expires(&self) -> i64 {
        self.current.load().expires
    }

    /// Looks at the files every so often, without end. `note` is told of what was found where it is
    /// something else than before: until when the certificate is good that is served from now on.
    pub(crate) async fn follow(
        self: Arc<Self>,
        every: Duration,
        note: impl Fn(Result<i64, TlsError>),
    ) {
        // So that a fault is said once.
        let mut last = Ok(self.current.load().digest);
        loop {
            tokio::time::sleep(every).await;
            let (this, known) = (Arc::clone(&self), last.clone());
            let looked = tokio::task::spawn_blocking(move || this.look(&known)).await;
            let Ok(Some((found, outcome))) = looked else {
                continue;
            };
            last = found;
            match &outcome {
                Ok(expires) => tracing::info!(expires, "a new certificate is served"),
                Err(error) => {
                    tracing::error!(%error, "a new certificate is refused, the one before is served on");
                }
            }
            note(outcome);
        }
    }

    /// What the files hold, where that is not what is known: it is taken if it can be.
    fn look(&self, known: &Found) -> Option<(Found, Result<i64, TlsError>)> {
        let (found, pair) = match self.files.read() {
            Ok(contents) => (Ok(contents.digest()), Ok(contents)),
            Err(error) => (Err(error.to_string()), Err(error)),
        };
        if found == *known {
            return None;
        }
        let pair = pair.and_then(|contents| contents.parse(&self.files));
        let taken = pair.map(|pair| {
            let expires = pair.expires;
            self.current.store(Arc::new(pair));
            expires
        });
        Some((found, taken))
    }
}

/// What the files hold, by its digest, or why they cannot be read.
type Found = Result<[u8; 32], String>;

/// What the files hold.
struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Files {
    fn read(&self) -> Result<Contents, TlsError> {
        let read = |path: &Path, fault: fn(&Self, String) -> TlsError| {
            fs::read(path).map_err(|error| fault(self, format!("it cannot be read: {error}")))
        };
        Ok(Contents {
            certificate: read(&self.certificate, Self::in_certificate)?,
            key: read(&self.key, Self::in_key)?,
        })
    }

    fn in_certificate(&self, what: String) -> TlsError {
        TlsError {
            option: "--tls-cert",
            path: self.certificate.clone(),
            what,
        }
    }

    fn in_key(&self, what: String) -> TlsError {
        TlsError {
            option: "--tls-key",
            path: self.key.clone(),
            what,
        }
    }
}

impl Contents {
    fn digest(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update((self.certificate.len() as u64).to_be_bytes());
        digest.update(&self.certificate);
        digest.update(&self.key);
        digest.finalize().into()
    }

    fn parse(&self, files: &Files) -> Result<Pair, TlsError> {
        let digest = self.digest();
        let chain = CertificateDer::pem_slice_iter(&self.certificate);
        let chain: Vec<_> = chain
            .collect::<Result<_, _>>()
            .map_err(|error| files.in_certificate(format!("it is no PEM file: {error}")))?;
        let Some(first) = chain.first() else {
            return Err(files.in_certificate("there is no certificate in it".to_owned()));
        };
        let expires = certificate::expires(first).ok_or_else(|| {
            files.in_certificate("its first certificate cannot be read".to_owned())
        })?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|error| {
            files.in_key(match error {
                pem::Error::NoItemsFound => {
                    "there is no key in it that is not encrypted".to_owned()
                }
                error => format!("it is no PEM file: {error}"),
            })
        })?;
        if expires < now() {
            tracing::warn!(file = %files.certificate.display(), "the certificate has expired");
        }
        Ok(Pair {
            config: Arc::new(config(chain, key, files)?),
            expires,
            digest,
        })
    }
}

/// TLS 1.2 and 1.3, for HTTP/1.1 alone.
fn config(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    files: &Files,
) -> Result<ServerConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let unfit = |error| match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => files.in_key(format!(
            "it is not the key of the certificate in {}",
            files.certificate.display()
        )),
        error => files.in_key(format!("it cannot be used: {error}")),
    };
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unfit)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(unfit)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.ticketer = ring::Ticketer::new().map_err(unfit)?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    // One is used by who comes back; it gets another then.
    config.send_tls13_tickets = 1;
    Ok(config)
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() as i64)
}

#[cfg(test)]
mod tests;
