//! What servers write in NATS: streams and object stores, made where they are missing, messages, whole
//! states.
//!
//! The streams say in their descriptions which installation's they are. Servers of another database
//! would take the environments that they do not know for deleted, so they keep away: a stream is made
//! once, by one, so that two who come at the same moment are told apart, too.

use std::io::Cursor;

use async_nats::jetstream::context::{CreateStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy};
use async_nats::jetstream::{ErrorCode, object_store};

use super::streams::{CHANGES, Streams, TRAFFIC, bucket, changes, states, traffic};
use super::wire::Object;
use super::{Fault, nats};

/// Traffic that may wait for servers: past it relays keep it on their disks.
const TRAFFIC_BYTES: i64 = 1 << 30;

/// What comes before the installation's id, at the end of a stream's description.
const OF: &str = " of installation ";

/// A message was not the next one.
pub(super) enum Published {
    /// It is in the stream, at this number. `again`: it was there already.
    At { sequence: u64, again: bool },
    /// Something else came before it.
    Behind,
}

/// The installation that a stream says it is of; none where somebody made or described it by hand.
pub(super) fn owner(of: &stream::Config) -> Option<&str> {
    let (_, id) = of.description.as_deref()?.rsplit_once(OF)?;
    Some(id)
}

/// Whether a stream is free to be used by an installation.
pub(super) fn check(of: &stream::Config, installation: &str) -> Result<(), Fault> {
    match owner(of) {
        Some(other) if other != installation => Err(Fault::Foreign(other.to_owned())),
        _ => Ok(()),
    }
}

impl Streams {
    /// Makes both streams where they are missing; tells of the first.
    ///
    /// # Errors
    /// [`Fault::Foreign`] where they are there for another installation.
    pub(super) async fn make(&self, installation: &str) -> Result<stream::Info, Fault> {
        let changes = stream::Config {
            name: CHANGES.to_owned(),
            description: Some(format!("Burgee: changes of environments{OF}{installation}")),
            subjects: vec!["burgee.env.*".into(), "burgee.state.*".into()],
            allow_direct: true,
            ..stream::Config::default()
        };
        let made = self.make_one(changes, installation).await?;
        let text = format!("Burgee: traffic on its way to the database{OF}{installation}");
        let traffic = stream::Config {
            name: TRAFFIC.to_owned(),
            description: Some(text),
            subjects: vec![traffic("*")],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_bytes: TRAFFIC_BYTES,
            ..stream::Config::default()
        };
        self.make_one(traffic, installation).await?;
        Ok(made)
    }

    /// A stream as it is; else a new one, on three servers where there are as many.
    async fn make_one(
        &self,
        config: stream::Config,
        installation: &str,
    ) -> Result<stream::Info, Fault> {
        if let Ok(found) = self.context.get_stream(&config.name).await {
            let found = found.cached_info().clone();
            check(&found.config, installation)?;
            if owner(&found.config).is_some() {
                return Ok(found);
            }
            let ours = stream::Config {
                description: config.description,
                ..found.config
            };
            return self.context.update_stream(ours).await.map_err(nats);
        }
        for num_replicas in [3, 1] {
            let config = stream::Config {
                num_replicas,
                ..config.clone()
            };
            match self.context.create_stream(config).await {
                Ok(made) => return Ok(made.cached_info().clone()),
                Err(error) if num_replicas > 1 && is_alone(&error.kind()) => {}
                // Also where another one made it just now.
                Err(error) => return Err(nats(error)),
            }
        }
        Err(Fault::Away)
    }

    /// Publishes a message as the next one of its subject, after the one with the number `after` (0:
    /// as the first).
    pub(super) async fn publish(
        &self,
        subject: String,
        message: PublishMessage,
        after: u64,
    ) -> Result<Published, Fault> {
        let message = message.expected_last_subject_sequence(after);
        let sent = self.context.send_publish(subject, message).await;
        match sent.map_err(nats)?.await {
            Ok(ack) => Ok(Published::At {
                sequence: ack.sequence,
                again: ack.duplicate,
            }),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => {
                Ok(Published::Behind)
            }
            Err(error) => Err(nats(error)),
        }
    }

    /// Forgets a subject's messages before the one with this number.
    pub(super) async fn forget(&self, subject: String, before: u64) -> Result<(), Fault> {
        // There are none, and NATS would take the number 1 for no bound at all.
        if before <= 1 {
            return Ok(());
        }
        let stream = self.stream().await?;
        let purged = stream.purge().filter(subject).sequence(before).await;
        purged.map_err(nats)?;
        Ok(())
    }

    /// Forgets an environment that is no more.
    pub(super) async fn forget_all(&self, environment: &str) -> Result<(), Fault> {
        let stream = self.stream().await?;
        for subject in [changes(environment), states(environment)] {
            stream.purge().filter(subject).await.map_err(nats)?;
        }
        // It may be gone already: another server does the same.
        let _gone = self.context.delete_object_store(bucket(environment)).await;
        Ok(())
    }

    /// Writes a whole state, where there is none of that name.
    pub(super) async fn put(
        &self,
        environment: &str,
        name: &str,
        packed: Vec<u8>,
        num_replicas: usize,
    ) -> Result<(), Fault> {
        let bucket = self.bucket(environment, num_replicas).await?;
        if self.is_whole(&bucket, name, packed.len()).await {
            return Ok(());
        }
        let written = bucket.put(name, &mut Cursor::new(packed)).await;
        written.map_err(nats)?;
        Ok(())
    }

    async fn bucket(
        &self,
        environment: &str,
        num_replicas: usize,
    ) -> Result<object_store::ObjectStore, Fault> {
        let bucket = bucket(environment);
        if let Ok(found) = self.context.get_object_store(&bucket).await {
            return Ok(found);
        }
        let config = object_store::Config {
            bucket,
            description: Some("Burgee: whole states of an environment".into()),
            num_replicas,
            ..object_store::Config::default()
        };
        self.context.create_object_store(config).await.map_err(nats)
    }

    async fn is_whole(&self, bucket: &object_store::ObjectStore, name: &str, size: usize) -> bool {
        let found = bucket.info(name).await;
        found.is_ok_and(|it| !it.deleted && it.size == size)
    }

    /// Whether a whole state is where it is said to be.
    pub(super) async fn has(&self, environment: &str, object: &Object) -> bool {
        let Ok(bucket) = self.context.get_object_store(bucket(environment)).await else {
            return false;
        };
        let found = bucket.info(&object.name).await;
        found.is_ok_and(|it| !it.deleted)
    }

    /// Removes a whole state that nobody needs any more.
    pub(super) async fn remove(&self, environment: &str, object: &Object) {
        if let Ok(bucket) = self.context.get_object_store(bucket(environment)).await {
            // Another server may have done it.
            let _gone = bucket.delete(&object.name).await;
        }
    }
}

/// Whether NATS is a single server, which has no replicas.
fn is_alone(error: &CreateStreamErrorKind) -> bool {
    match error {
        CreateStreamErrorKind::JetStream(error) => {
            error.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED
        }
        _ => false,
    }
}
