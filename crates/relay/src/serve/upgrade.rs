//! From an HTTP request to a conversation.
//!
//! The key is looked up before the upgrade. A relay of ours is refused by the status, which it
//! reads; an agent of FeatBit's by a close code after it, which is what that reads.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{ConnectInfo, Query, Request, State};
use axum::http::header::{
    AUTHORIZATION, CONNECTION, RETRY_AFTER, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, UPGRADE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::featbit::{self, Over};
use super::{Feeding, Peer, Socket};
use crate::message::{MAX_PACKED_UP, Opened, VERSION};
use crate::upstream::limits;

/// Relays that one key lets in at once.
const PER_KEY: usize = 512;

/// The query of an upgrade.
#[derive(Deserialize)]
pub(super) struct Wanted {
    #[serde(rename = "type")]
    kind: Option<String>,
    version: Option<String>,
    /// The relay key of an agent of FeatBit's.
    token: Option<String>,
}

/// What a relay speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tongue {
    Burgee,
    FeatBit,
}

impl Wanted {
    fn tongue(&self) -> Result<Tongue, Refused> {
        if self.kind.as_deref() != Some("relay-proxy") {
            return Err(Refused::Kind);
        }
        match self.version.as_deref() {
            Some(VERSION) => Ok(Tongue::Burgee),
            None | Some("" | "1" | "2") => Ok(Tongue::FeatBit),
            Some(_) => Err(Refused::Version),
        }
    }
}

/// Why a request is refused.
#[derive(Clone, Copy)]
pub(super) enum Refused {
    Kind,
    Version,
    Upgrade,
    Key,
    Name,
    Crowded,
    Unavailable,
}

impl From<Refused> for Over {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Crowded => Self::Crowded,
            Refused::Unavailable => Self::Unchecked,
            _ => Self::NoKey,
        }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Kind => (
                StatusCode::BAD_REQUEST,
                "type: `relay-proxy` is served here",
            ),
            Self::Version => (
                StatusCode::BAD_REQUEST,
                "version: `burgee-1` is what relays are fed with; agents of FeatBit's name none",
            ),
            Self::Upgrade => (
                StatusCode::UPGRADE_REQUIRED,
                "relays are fed over a WebSocket",
            ),
            Self::Key => (
                StatusCode::UNAUTHORIZED,
                "Authorization: there is no such relay key",
            ),
            Self::Name => (
                StatusCode::BAD_REQUEST,
                "the body is the agent's id: a JSON text of 1 to 200 characters",
            ),
            Self::Crowded => (
                StatusCode::SERVICE_UNAVAILABLE,
                "as many relays are here with this key as may be",
            ),
            Self::Unavailable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "keys cannot be checked now",
            ),
        };
        let mut response = (status, text).into_response();
        if matches!(self, Self::Crowded | Self::Unavailable) {
            let seconds = HeaderValue::from_static("1");
            response.headers_mut().insert(RETRY_AFTER, seconds);
        }
        response
    }
}

/// `GET /streaming?type=relay-proxy&version=burgee-1`, with the relay key in `Authorization`; or
/// `GET /streaming?type=relay-proxy&token=KEY`, as FeatBit's agents do.
pub(super) async fn upgrade(
    State(feeding): State<Arc<Feeding>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    Query(wanted): Query<Wanted>,
    mut request: Request,
) -> Response {
    let upgrading = request.extensions_mut().remove::<OnUpgrade>();
    let headers = std::mem::take(request.headers_mut());
    let begun = begin(&wanted, &headers, upgrading);
    let (tongue, accept, upgrading) = match begun {
        Ok(begun) => begun,
        Err(refused) => return refused.into_response(),
    };
    let secret = match tongue {
        Tongue::Burgee => text(&headers, AUTHORIZATION).map(str::to_owned),
        Tongue::FeatBit => wanted.token,
    };
    let secret = secret.unwrap_or_default();
    match (tongue, feeding.peer(secret, address).await) {
        (Tongue::Burgee, Err(refused)) => return refused.into_response(),
        (Tongue::Burgee, Ok(peer)) => {
            let relay = upgraded(upgrading, limits(MAX_PACKED_UP));
            tokio::spawn(async move {
                if let Some(socket) = relay.await {
                    feeding.converse(socket, peer).await;
                }
            });
        }
        (Tongue::FeatBit, peer) => {
            let agent = upgraded(upgrading, featbit::limits());
            tokio::spawn(async move {
                match (agent.await, peer) {
                    (Some(socket), Ok(peer)) => feeding.feed_agent(socket, peer).await,
                    (Some(socket), Err(refused)) => featbit::refuse(socket, refused.into()).await,
                    (None, _) => {}
                }
            });
        }
    }
    let headers = [
        (UPGRADE, HeaderValue::from_static("websocket")),
        (CONNECTION, HeaderValue::from_static("upgrade")),
        (SEC_WEBSOCKET_ACCEPT, accept),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

async fn upgraded(upgrading: OnUpgrade, limits: WebSocketConfig) -> Option<Socket> {
    match upgrading.await {
        Ok(upgraded) => {
            let io = TokioIo::new(upgraded);
            Some(WebSocketStream::from_raw_socket(io, Role::Server, Some(limits)).await)
        }
        Err(error) => {
            tracing::debug!(%error, "a relay did not upgrade");
            None
        }
    }
}

fn begin(
    wanted: &Wanted,
    headers: &HeaderMap,
    upgrading: Option<OnUpgrade>,
) -> Result<(Tongue, HeaderValue, OnUpgrade), Refused> {
    let tongue = wanted.tongue()?;
    let accept = text(headers, SEC_WEBSOCKET_KEY).map(|key| derive_accept_key(key.as_bytes()));
    let accept = accept.and_then(|it| HeaderValue::from_str(&it).ok());
    let (accept, upgrading) = accept.zip(upgrading).ok_or(Refused::Upgrade)?;
    Ok((tongue, accept, upgrading))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

impl Feeding {
    /// What a relay key opens.
    pub(super) async fn opened(&self, secret: &str) -> Result<Opened, Refused> {
        let opened = self.open(secret).await;
        let opened = opened.map_err(|_| Refused::Unavailable)?;
        opened.ok_or(Refused::Key)
    }

    /// Whoever comes with a relay key.
    async fn peer(&self, secret: String, address: SocketAddr) -> Result<Peer, Refused> {
        let opened = self.opened(&secret).await?;
        Ok(Peer {
            address: address.ip().to_string(),
            secret,
            _place: self.places.take(&opened.key).ok_or(Refused::Crowded)?,
            opened,
        })
    }
}

/// How many relays are here, by their keys' ids.
#[derive(Clone, Default)]
pub(super) struct Places(Arc<Mutex<HashMap<String, usize>>>);

/// A relay's place among those of its key, given back when it goes.
pub(super) struct Place {
    places: Places,
    key: String,
}

impl Places {
    fn taken(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more of a key; none where as many are here as may be.
    pub(super) fn take(&self, key: &str) -> Option<Place> {
        let mut taken = self.taken();
        let of_key = taken.entry(key.to_owned()).or_default();
        if *of_key >= PER_KEY {
            return None;
        }
        *of_key += 1;
        Some(Place {
            places: self.clone(),
            key: key.to_owned(),
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        if let Some(of_key) = taken.get_mut(&self.key) {
            *of_key -= 1;
            if *of_key == 0 {
                taken.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_lets_in_so_many_relays_at_once_and_no_more() {
        let places = Places::default();
        let mut here: Vec<Place> = (0..PER_KEY).filter_map(|_| places.take("k")).collect();
        assert_eq!(here.len(), PER_KEY);
        assert!(places.take("k").is_none());
        assert!(places.take("another").is_some());
        here.pop();
        here.extend(places.take("k"));
        assert_eq!(here.len(), PER_KEY);
        drop(here);
        assert!(places.taken().is_empty());
    }
}
