//! What is measured.

use std::net::SocketAddr;

use anyhow::Context;

use crate::api::Api;

/// A server that answers the SDK protocol: Burgee, or the ceiling.
///
/// The ceiling answers the same requests, so that a scenario need not know which one it drives:
/// besides `/streaming` it takes `POST /api/v1/projects/…/changes`, answers it with 200 and sends
/// every connection a `data-sync` patch of one flag, stamped with a `timestamp` newer than any it
/// sent before.
#[derive(Debug, Clone)]
pub struct Target {
    /// What the report calls it: `burgee`, `ceiling`.
    pub name: String,
    /// Where it listens.
    pub address: SocketAddr,
    /// Its processes on this machine: what is spent is summed over them. Empty where it runs
    /// elsewhere; nothing is reported of memory and CPU then.
    pub pids: Vec<u32>,
    /// A client key of the environment.
    pub client_key: String,
    /// A server key of the environment.
    pub server_key: String,
    /// An owner's token, for scenarios that make changes.
    pub token: Option<String>,
    /// The project that is changed.
    pub project: String,
    /// Its environment, the keys' one.
    pub environment: String,
    /// A boolean flag that is on there and gives every user something else when it is off.
    pub flag: String,
}

impl Target {
    /// Who makes changes.
    ///
    /// # Errors
    /// There is no token.
    pub fn api(&self) -> anyhow::Result<Api> {
        let token = self
            .token
            .clone()
            .context("this scenario makes changes: it needs an owner's --token")?;
        Ok(Api::new(self.address, token))
    }
}
