//! Reaching an upstream: its address, and a WebSocket to it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::header::{AUTHORIZATION, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream};
use url::Url;

use crate::message::{MAX_PACKED, VERSION};

/// A connection to an upstream.
pub(super) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Where an upstream is, as people write it: `https://flags.example.com`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Url);

/// A text is no address of an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an upstream is named by the address of its server or relay: https://flags.example.com")]
pub struct BadAddress;

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let mut url = Url::parse(text).map_err(|_| BadAddress)?;
        let scheme = match url.scheme() {
            "http" | "ws" => "ws",
            "https" | "wss" => "wss",
            _ => return Err(BadAddress),
        };
        if url.host_str().is_none() || url.set_scheme(scheme).is_err() {
            return Err(BadAddress);
        }
        let path = format!("{}/streaming", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_query(Some(&format!("type=relay-proxy&version={VERSION}")));
        Ok(Self(url))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name and a password stay away from logs.
        let place = &self.0[url::Position::BeforeHost..url::Position::BeforePath];
        write!(f, "{}://{place}", self.0.scheme())
    }
}

impl Address {
    /// Connects with a relay key.
    pub(super) async fn connect(
        &self,
        key: &str,
        tls: &Arc<ClientConfig>,
    ) -> Result<Socket, tokio_tungstenite::tungstenite::Error> {
        let mut request = self.0.as_str().into_client_request()?;
        // Not in the query: addresses are logged.
        let mut key = HeaderValue::from_str(key)?;
        key.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, key);
        let connector = Connector::Rustls(Arc::clone(tls));
        let connected = tokio_tungstenite::connect_async_tls_with_config(
            request,
            Some(limits(MAX_PACKED)),
            true,
            Some(connector),
        );
        Ok(connected.await?.0)
    }
}

/// What a message that comes in may be at most, in bytes.
pub(crate) fn limits(packed: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(packed))
        .max_frame_size(Some(packed))
}

/// Whom to believe: Mozilla's list and the machine's own.
pub fn tls() -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let own = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(own.certs);
    let config = ClientConfig::builder().with_root_certificates(roots);
    Arc::new(config.with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address: Address = "https://ana:hidden@flags.example.com:8443/x"
            .parse()
            .unwrap();
        assert_eq!(address.to_string(), "wss://flags.example.com:8443");
        assert!(!format!("{address}").contains("hidden"));
        assert_eq!("flags.example.com".parse::<Address>(), Err(BadAddress));
    }
}
