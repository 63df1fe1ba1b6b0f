//! What Burgee has in NATS: its streams and object stores, and how one asks them. Servers write them
//! ([`super::writing`]), relays follow them ([`super::chain`]).

use std::time::Duration;

use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{self, DirectGetErrorKind, LastRawMessageErrorKind};
use async_nats::jetstream::{self, Context};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::connection::{Connection, Refused};
use super::wire::{Object, Pointer};
use super::{Fault, PATIENCE, nats};
use crate::message::{MAX_PACKED, Whole, unpack};

/// The stream of changes.
pub(super) const CHANGES: &str = "BURGEE";
/// The stream of traffic.
pub(super) const TRAFFIC: &str = "BURGEE_TRAFFIC";
/// The subject with the ids of all environments.
pub(super) const ALL: &str = "burgee.env.all";
/// How long reading a whole state may take.
const READING: Duration = Duration::from_secs(120);

/// The subject of an environment's changes.
pub(super) fn changes(environment: &str) -> String {
    format!("burgee.env.{environment}")
}

/// The subject that names an environment's newest whole state.
pub(super) fn states(environment: &str) -> String {
    format!("burgee.state.{environment}")
}

/// The subject of an environment's traffic.
pub(super) fn traffic(environment: &str) -> String {
    format!("burgee.traffic.{environment}")
}

/// The subject of how far an environment's versions came.
pub(super) fn delivery(environment: &str) -> String {
    format!("burgee.delivery.{environment}")
}

/// The object store of an environment's whole states.
pub(super) fn bucket(environment: &str) -> String {
    format!("burgee-{environment}")
}

/// Whom to believe about the last message of a subject.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// The stream's leader: what it says is so.
    Leader,
    /// Any replica, which may lag.
    Anyone,
}

/// Burgee's things in NATS.
#[derive(Clone)]
pub(super) struct Streams {
    pub(super) context: Context,
    /// What NATS does not let this connection publish.
    pub(super) refused: Refused,
}

impl Streams {
    pub(super) fn new(Connection { client, refused }: Connection) -> Self {
        let mut context = jetstream::new(client);
        context.set_timeout(PATIENCE);
        Self { context, refused }
    }

    /// The stream of changes as it is now.
    pub(super) async fn info(&self) -> Result<stream::Info, Fault> {
        let found = self.context.get_stream(CHANGES).await.map_err(nats)?;
        Ok(found.cached_info().clone())
    }

    /// The stream of changes, unseen.
    pub(super) async fn stream(&self) -> Result<stream::Stream<()>, Fault> {
        let found = self.context.get_stream_no_info(CHANGES).await;
        found.map_err(nats)
    }

    /// The last message of a subject.
    pub(super) async fn last(
        &self,
        subject: &str,
        asked: Asked,
    ) -> Result<Option<StreamMessage>, Fault> {
        let stream = self.stream().await?;
        match asked {
            Asked::Leader => match stream.get_last_raw_message_by_subject(subject).await {
                Ok(found) => Ok(Some(found)),
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
                Err(error) => Err(nats(error)),
            },
            Asked::Anyone => match stream.direct_get_last_for_subject(subject).await {
                Ok(found) => Ok(Some(found)),
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
                Err(error) => Err(nats(error)),
            },
        }
    }

    /// Where an environment's newest whole state is, and the number of the message that says so.
    pub(super) async fn pointer(
        &self,
        environment: &str,
        asked: Asked,
    ) -> Result<Option<(Pointer, u64)>, Fault> {
        let Some(last) = self.last(&states(environment), asked).await? else {
            return Ok(None);
        };
        let pointer = serde_json::from_slice(&last.payload);
        let pointer = pointer.map_err(crate::message::Unreadable::from)?;
        Ok(Some((pointer, last.sequence)))
    }

    /// Reads a whole state.
    pub(super) async fn state(&self, environment: &str, from: &Object) -> Result<Whole, Fault> {
        let reading = async {
            let bucket = self.context.get_object_store(bucket(environment)).await;
            let object = bucket.map_err(nats)?.get(&from.name).await;
            let mut object = object.map_err(nats)?;
            let mut packed = Vec::with_capacity(object.info().size.min(MAX_PACKED));
            object.read_to_end(&mut packed).await.map_err(nats)?;
            Ok::<_, Fault>(packed)
        };
        let packed = timeout(READING, reading).await.map_err(nats)??;
        let whole: Whole = tokio::task::spawn_blocking(move || unpack(&packed)).await??;
        match whole.position == from.position && whole.environment == environment {
            true => Ok(whole),
            false => Err(Fault::Broken(from.name.clone())),
        }
    }
}
