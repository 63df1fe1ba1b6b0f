//! Prometheus metrics on a listener of their own, because they are not for the public; and what else
//! whoever runs us wants to ask there.

use std::io;
use std::net::SocketAddr;

use axum::Router;
use axum::http::header;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// What Prometheus expects of the text format.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves `GET /metrics` until `shutdown`, besides `others`; `text` gives the answer. Returns the bound
/// address.
pub async fn serve(
    listen: SocketAddr,
    text: impl Fn() -> String + Clone + Send + Sync + 'static,
    others: Router,
    shutdown: CancellationToken,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(listen).await?;
    let address = listener.local_addr()?;
    let answer = move || async move { ([(header::CONTENT_TYPE, OPENMETRICS)], text()) };
    let router = others.route("/metrics", get(answer));
    tokio::spawn(async move {
        let served = axum::serve(listener, router);
        if let Err(error) = served
            .with_graceful_shutdown(shutdown.cancelled_owned())
            .await
        {
            tracing::error!(%error, "the metrics listener stopped");
        }
    });
    Ok(address)
}

/// Two texts as one: only the last says that it is the end.
pub fn joined(first: &str, last: &str) -> String {
    format!("{}{last}", first.strip_suffix("# EOF\n").unwrap_or(first))
}
