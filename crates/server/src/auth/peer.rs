//! From where a request comes.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use ipnet::IpNet;

use crate::app::AppState;
use crate::problem::Problem;

/// The address that a request comes from, for handlers.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

impl FromRequestParts<AppState> for Peer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        Ok(Self(address(parts, state)))
    }
}

/// The address that a request comes from: its connection's, or, where that is a trusted proxy's,
/// the last one in `X-Forwarded-For` that is not. What anybody else writes there means nothing.
pub fn address(parts: &Parts, state: &AppState) -> IpAddr {
    let connection = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = connection.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |it| {
        it.0.ip().to_canonical()
    });
    let forwarded = parts.headers.get_all("x-forwarded-for").iter();
    let forwarded = forwarded.filter_map(|value| value.to_str().ok());
    forwarded_by(peer, forwarded, &state.trusted_proxies)
}

fn forwarded_by<'h>(
    peer: IpAddr,
    headers: impl DoubleEndedIterator<Item = &'h str>,
    proxies: &[IpNet],
) -> IpAddr {
    let trusted = |address: &IpAddr| proxies.iter().any(|network| network.contains(address));
    let mut address = peer;
    for hop in headers.rev().flat_map(|header| header.rsplit(',')) {
        if !trusted(&address) {
            break;
        }
        match hop.trim().parse::<IpAddr>() {
            Ok(before) => address = before.to_canonical(),
            Err(_) => break,
        }
    }
    address
}

#[cfg(test)]
mod tests;
