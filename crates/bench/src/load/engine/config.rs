//! What can be set on the generator.

use std::net::SocketAddr;
use std::time::Duration;

use crate::load::Sdk;

/// How connections are made.
#[derive(Debug, Clone)]
pub struct Config {
    /// The server.
    pub server: SocketAddr,
    /// Which SDK is played.
    pub sdk: Sdk,
    /// How many flags every full answer must hold; `None` where any number will do.
    pub flags: Option<u32>,
    /// How long an answer may take.
    pub patience: Duration,
    /// Bytes that the kernel may hold for a connection until they are read; `None`: its default.
    pub receive_buffer: Option<usize>,
}

impl Config {
    /// For a server and an SDK, with an SDK's patience.
    pub fn new(server: SocketAddr, sdk: Sdk) -> Self {
        Self {
            server,
            sdk,
            flags: None,
            patience: Duration::from_secs(30),
            receive_buffer: None,
        }
    }
}
