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

pub use certificate::Validity;

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
    /// How long the certificate is good.
    validity: Validity,
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

    /// How long the certificate is good that is served now.
    pub fn validity(&self) -> Validity {
        self.current.load().validity
    }

    /// Looks at the files every so often, without end. `note` is told of what was found where it is
    /// something else than before: how long the certificate is good that is served from now on.
    pub(crate) async fn follow(
        self: Arc<Self>,
        every: Duration,
        note: impl Fn(Result<Validity, TlsError>),
    ) {
        let mut looks = Looks::after(self.current.load().digest);
        loop {
            tokio::time::sleep(every).await;
            let this = Arc::clone(&self);
            let looking = tokio::task::spawn_blocking(move || {
                let outcome = looks.look(&this);
                (looks, outcome)
            });
            // It does not fail; a runtime that ends has no use for it.
            let Ok((after, outcome)) = looking.await else {
                return;
            };
            looks = after;
            let Some(outcome) = outcome else { continue };
            if let Err(error) = &outcome {
                tracing::error!(%error, "a new certificate is refused, the one before is served on");
            }
            note(outcome);
        }
    }
}

/// What the files hold, by its digest, or why they cannot be read.
type Found = Result<[u8; 32], String>;

/// What was found, from look to look: what is wrong is said once, and only when a second look has found
/// the same. Two files are not replaced at one moment.
struct Looks {
    /// What was said last.
    said: Found,
    /// What was found last, where it is something else and cannot be used.
    doubted: Option<Found>,
}

impl Looks {
    fn after(served: [u8; 32]) -> Self {
        Self {
            said: Ok(served),
            doubted: None,
        }
    }

    /// Looks at the files. Something new is taken if it can be: how long its certificate is good, or why
    /// it is refused, where that is to be said.
    fn look(&mut self, tls: &Tls) -> Option<Result<Validity, TlsError>> {
        let read = tls.files.read();
        let found = match &read {
            Ok(contents) => Ok(contents.digest()),
            Err(error) => Err(error.to_string()),
        };
        let doubted = self.doubted.take();
        if found == self.said {
            return None;
        }
        let taken = read.and_then(|contents| tls.take(&contents));
        if taken.is_err() && doubted.as_ref() != Some(&found) {
            self.doubted = Some(found);
            return None;
        }
        self.said = found;
        Some(taken)
    }
}

impl Tls {
    /// Has a pair served from now on, and says how long its certificate is good. One that is served
    /// already stays, with the tickets that were given out.
    fn take(&self, contents: &Contents) -> Result<Validity, TlsError> {
        let served = self.current.load();
        if served.digest == contents.digest() {
            tracing::info!("the certificate's files are as they were");
            return Ok(served.validity);
        }
        let pair = contents.parse(&self.files)?;
        let validity = pair.validity;
        self.current.store(Arc::new(pair));
        tracing::info!(expires = validity.ends, "a new certificate is served");
        Ok(validity)
    }
}

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
        let validity = certificate::validity(first).ok_or_else(|| {
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
        if validity.ends < now() {
            tracing::warn!(file = %files.certificate.display(), "the certificate has expired");
        }
        Ok(Pair {
            config: Arc::new(config(chain, key, files)?),
            validity,
            digest,
        })
    }
}

/// TLS 1.2 and 1.3. Who can choose is asked to speak HTTP/2; an offer of HTTP/1.1, or none, is as good.
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
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
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
