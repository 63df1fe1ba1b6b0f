//! Where connections come from.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// How many sources there are. Each has as many ports as the kernel gives out (about 28,000), and a
/// port stays taken for a minute after a connection: at 30,000 connections a second one source
/// would be used up in a second.
const SOURCES: u32 = 1024;

/// The sources of connections to a server: turns over many addresses of 127.0.0.0/8 where the
/// server is on loopback, and the kernel's choice where it is not.
#[derive(Debug, Clone)]
pub struct Addresses {
    next: u32,
    on_loopback: bool,
}

impl Addresses {
    /// For connections to a server.
    pub fn to(server: SocketAddr) -> Self {
        Self {
            next: 0,
            on_loopback: matches!(server.ip(), IpAddr::V4(ip) if ip.is_loopback()),
        }
    }

    /// The next connection's source.
    pub fn turn(&mut self) -> Option<SocketAddr> {
        if !self.on_loopback {
            return None;
        }
        let [.., high, low] = self.next.to_be_bytes();
        self.next = (self.next + 1) % SOURCES;
        // 127.1.…: away from what other programs listen on.
        Some(SocketAddr::from((Ipv4Addr::new(127, 1, high, low), 0)))
    }
}
