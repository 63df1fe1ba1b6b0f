//! The HTTP stack alone: hyper as the edge sets it up (`crates/edge/src/driver/handover.rs`), over
//! a socket that nothing else is done with. Whatever is asked, the request is read to its end and
//! answered with the same bytes: what remains is what no server on this stack can do without.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};

pub use super::ask::Answer;

/// As the edge has it.
const IDLE: Duration = Duration::from_secs(60);

/// What hyper writes by itself.
const OF_THE_STACK: [&str; 3] = ["date", "content-length", "connection"];

/// A server of one answer.
#[derive(Debug)]
pub struct Constant {
    listener: TcpListener,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Constant {
    /// Begins to listen; the answer is read from a file (an [`Answer`] as JSON).
    ///
    /// # Errors
    /// The address cannot be listened on, or there is no answer in the file.
    pub async fn bind(listen: SocketAddr, answer: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(answer).with_context(|| answer.display().to_string())?;
        let answer: Answer = serde_json::from_slice(&text)?;
        let mut headers = HeaderMap::new();
        for (name, value) in &answer.headers {
            if !OF_THE_STACK
                .iter()
                .any(|own| name.eq_ignore_ascii_case(own))
            {
                let name = HeaderName::from_bytes(name.as_bytes())?;
                headers.append(name, HeaderValue::from_str(value)?);
            }
        }
        Ok(Self {
            listener: TcpListener::bind(listen).await?,
            status: StatusCode::from_u16(answer.status)?,
            headers,
            body: Bytes::from(answer.body),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The kernel does not say.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// Nobody can be accepted any more.
    pub async fn serve(self) -> std::io::Result<()> {
        let Self {
            listener,
            status,
            headers,
            body,
        } = self;
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(connection(stream, response.clone()));
        }
    }
}

async fn connection(stream: TcpStream, response: Response<Full<Bytes>>) {
    let answer = service_fn(|mut request: Request<Incoming>| {
        let response = response.clone();
        async move {
            while let Some(Ok(_)) = request.body_mut().frame().await {}
            Ok::<_, Infallible>(response)
        }
    });
    // Whoever breaks off has no answer to wait for.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE)
        .serve_connection(TokioIo::new(stream), answer)
        .with_upgrades()
        .await;
}
