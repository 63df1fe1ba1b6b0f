//! Asking other servers by HTTP, at addresses that somebody configured.
//!
//! Who may configure one is trusted with an organization, not with the machine's network. So it is
//! HTTPS with a certificate that holds (plain HTTP to this machine only, where this server itself is
//! reached so), never an address that clouds answer for themselves (link-local), no redirect is
//! followed, and what is read and how long is bounded; answers are never shown to whoever asked.

mod address;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

pub use address::{AddressError, checked};

/// How long one request may take, from looking the name up to the last byte.
const WITHIN: Duration = Duration::from_secs(10);

/// The most bytes of an answer: a provider with some hundred keys.
const MOST: usize = 1024 * 1024;

/// How many requests are under way at once; more wait their turn.
const AT_ONCE: usize = 32;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The address is none that is asked.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// It resolves to an address that is not asked.
    #[error("the address is one of no server")]
    Refused,
    /// There was no connection, or it broke.
    #[error("no connection: {0}")]
    Connection(#[from] io::Error),
    /// It is no HTTP, or too much.
    #[error("no answer: {0}")]
    Answer(Box<dyn std::error::Error + Send + Sync>),
    /// It took too long.
    #[error("no answer within {} s", WITHIN.as_secs())]
    Late,
}

/// An answer, whole.
#[derive(Debug)]
pub struct Fetched {
    /// Its status.
    pub status: StatusCode,
    /// Its body.
    pub body: Bytes,
}

/// The client.
pub struct Fetcher {
    tls: TlsConnector,
    plain: bool,
    turns: Semaphore,
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetcher").finish_non_exhaustive()
    }
}

impl Fetcher {
    /// A client that trusts Mozilla's list of authorities and what this machine trusts besides
    /// (`SSL_CERT_FILE`). `plain`: whether servers on this machine may be asked without TLS.
    ///
    /// # Errors
    /// The TLS library takes none of its own defaults.
    pub fn new(plain: bool) -> anyhow::Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        // What cannot be read is not trusted, which the certificate's owner will notice.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            tls: TlsConnector::from(Arc::new(config)),
            plain,
            turns: Semaphore::new(AT_ONCE),
        })
    }

    /// Reads an address that may be asked.
    ///
    /// # Errors
    /// It is none, or none that may.
    pub fn address(&self, text: &str) -> Result<Url, AddressError> {
        checked(text, self.plain)
    }

    /// `GET` of JSON, with a bearer token where one is given.
    pub async fn get(&self, url: &Url, bearer: Option<&str>) -> Result<Fetched, FetchError> {
        let mut request = Request::get(target(url)).header(header::ACCEPT, "application/json");
        if let Some(token) = bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        self.send(url, request, Body::empty()).await
    }

    /// `POST` of a form, with a header of credentials where they are given.
    pub async fn post_form(
        &self,
        url: &Url,
        credentials: Option<&str>,
        form: String,
    ) -> Result<Fetched, FetchError> {
        let mut request = Request::post(target(url))
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(credentials) = credentials {
            request = request.header(header::AUTHORIZATION, credentials);
        }
        self.send(url, request, Body::from(form)).await
    }

    async fn send(
        &self,
        url: &Url,
        request: axum::http::request::Builder,
        body: Body,
    ) -> Result<Fetched, FetchError> {
        let request = request.header(header::HOST, authority(url));
        let request = request.header(header::USER_AGENT, "Burgee");
        let request = request
            .body(body)
            .map_err(|it| FetchError::Answer(it.into()))?;
        let asked = async {
            let _turn = self.turns.acquire().await;
            self.exchange(url, request).await
        };
        let answer = tokio::time::timeout(WITHIN, asked).await;
        answer.unwrap_or(Err(FetchError::Late))
    }

    async fn exchange(&self, url: &Url, request: Request<Body>) -> Result<Fetched, FetchError> {
        let stream = connect(url).await?;
        if url.scheme() == "http" {
            return talk(stream, request).await;
        }
        let name = server_name(url).ok_or(FetchError::Refused)?;
        talk(self.tls.connect(name, stream).await?, request).await
    }
}

/// Connects to the first address of a name that may be asked.
async fn connect(url: &Url) -> Result<TcpStream, FetchError> {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = url.port_or_known_default().unwrap_or(443);
    let plain = url.scheme() == "http";
    let mut error = FetchError::Refused;
    for address in tokio::net::lookup_host((host, port)).await? {
        if !address::may_be_asked(address.ip(), plain) {
            continue;
        }
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(failed) => error = failed.into(),
        }
    }
    Err(error)
}

async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Body>,
) -> Result<Fetched, FetchError> {
    let of_answer = |error: hyper::Error| FetchError::Answer(error.into());
    let shaken = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = shaken.map_err(of_answer)?;
    let driven = tokio::spawn(connection);
    let answered = async {
        let answer = sender.send_request(request).await.map_err(of_answer)?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MOST).collect().await;
        let body = body.map_err(FetchError::Answer)?.to_bytes();
        Ok(Fetched { status, body })
    };
    let answered = answered.await;
    driven.abort();
    answered
}

fn target(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn server_name(url: &Url) -> Option<ServerName<'static>> {
    match url.host()? {
        Host::Domain(name) => ServerName::try_from(name.to_owned()).ok(),
        Host::Ipv4(address) => Some(ServerName::from(std::net::IpAddr::from(address))),
        Host::Ipv6(address) => Some(ServerName::from(std::net::IpAddr::from(address))),
    }
}
