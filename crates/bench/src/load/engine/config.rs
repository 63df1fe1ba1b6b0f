//! What can be set on the generator.

use std::net::SocketAddr;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};

use crate::load::Sdk;

/// Descriptors that are left to other things than connections: a change that a scenario makes
/// through the API must not fail because connections have taken them all.
const RESERVE: usize = 64;

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
    /// `permessage-deflate` is offered.
    pub deflate: bool,
    /// How many may be open at a time; a further one fails with
    /// [`Failure::NoFileLeft`](crate::load::Failure::NoFileLeft).
    pub most: usize,
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
            deflate: false,
            most: files().saturating_sub(RESERVE),
        }
    }
}

/// How many files this process may have open.
fn files() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    files.map_or(usize::MAX, |files| {
        usize::try_from(files).unwrap_or(usize::MAX)
    })
}
