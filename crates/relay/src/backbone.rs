//! NATS JetStream between servers and relays: for hundreds of relays in many regions, where a tree of
//! connections would have to be looked after.
//!
//! Servers publish what their database's log has ([`publish`], [`states`], [`writing`]), each of them
//! and none as a leader; relays read it ([`follow`]) into the same mirror that an upstream feeds.
//! Traffic goes up by a work queue and questions by requests ([`line`] at the relay, [`serve`] at the
//! server). The database stays the truth: what NATS loses is published again, and [`verify`] compares.
//!
//! What lies where ([`streams`], [`wire`]): the stream `BURGEE` has one subject an environment,
//! `burgee.env.<id>`, of changes from one position to the next; `burgee.env.all` with the ids of
//! all environments; and `burgee.state.<id>`, which names the newest whole state. Whole states lie in
//! object stores, one an environment, so that credentials can be given for some.

mod bring;
mod chain;
mod connection;
mod counters;
mod follow;
mod followed;
mod line;
mod publish;
mod serve;
mod states;
mod streams;
#[cfg(test)]
mod tests;
mod verify;
mod wire;
mod writing;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use async_nats::ServerAddr;
use burgee_edge::source::Unavailable;
use percent_encoding::percent_decode_str;

pub use counters::Counters;
pub use follow::Follow;
pub use publish::Publisher;
pub use serve::Serving;
pub use verify::{Finding, verify};

use crate::message::Unreadable;

/// How long NATS may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Which NATS, and as whom.
#[derive(Clone)]
pub struct Backbone {
    /// Its servers; any of them will do.
    pub servers: Servers,
    /// A file of credentials (`.creds`), where the servers' addresses have none.
    pub credentials: Option<PathBuf>,
}

/// Addresses of NATS servers as people write them: `nats://one:4222,nats://two:4222`.
#[derive(Clone, PartialEq, Eq)]
pub struct Servers(Vec<ServerAddr>);

/// A text is no list of NATS servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a backbone is named by addresses of NATS: nats://user:password@nats.example.com:4222")]
pub struct BadServers;

impl FromStr for Servers {
    type Err = BadServers;

    fn from_str(text: &str) -> Result<Self, BadServers> {
        let servers = text.split(',').map(|one| {
            let known = ["nats://", "tls://"].iter();
            if !known.clone().any(|scheme| one.starts_with(scheme)) {
                return Err(BadServers);
            }
            one.trim().parse().map_err(|_| BadServers)
        });
        Ok(Self(servers.collect::<Result<_, _>>()?))
    }
}

impl Servers {
    /// The user and the password that the addresses name: of the first that does, as one connects to
    /// all of them as the same. A name alone is a token.
    fn user(&self) -> Option<(String, Option<String>)> {
        let named = self.0.iter().find(|it| it.has_user_pass())?;
        let text = |it: &str| percent_decode_str(it).decode_utf8_lossy().into_owned();
        Some((text(named.username()?), named.password().map(text)))
    }
}

impl fmt::Display for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, server) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            // Names and passwords stay away from logs.
            write!(f, "{comma}{}:{}", server.host(), server.port())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Backbone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.servers)
    }
}

/// Why something about NATS did not go through.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// NATS says no, or nothing.
    #[error("{0}")]
    Nats(Box<dyn std::error::Error + Send + Sync>),
    /// The database cannot be read.
    #[error(transparent)]
    Source(#[from] Unavailable),
    /// What lies in NATS is no message of ours.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// A message of the stream has other headers.
    #[error("a message without its place: {0}")]
    Headers(&'static str),
    /// What lies in NATS does not fit together: something of it was lost.
    #[error("what is in the stream does not lead to {0}")]
    Broken(String),
    /// Somebody else always was faster.
    #[error("others publish at the same place all the time")]
    Crowded,
    /// The stream is another one than it was.
    #[error("the stream was made anew")]
    MadeAnew,
    /// Servers of another database publish there.
    #[error(
        "NATS belongs to another installation of Burgee ({0}); each needs an account of its own. Where \
         that one is no more, delete its streams, BURGEE and BURGEE_TRAFFIC"
    )]
    Foreign(String),
    /// The connection is lost.
    #[error("the connection to NATS is lost")]
    Away,
    /// A thread panicked.
    #[error("a state could not be packed: {0}")]
    Panicked(#[from] tokio::task::JoinError),
}

/// What NATS said.
fn nats(error: impl std::error::Error + Send + Sync + 'static) -> Fault {
    Fault::Nats(Box::new(error))
}
