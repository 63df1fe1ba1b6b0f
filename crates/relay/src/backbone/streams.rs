//! What Burgee has in NATS: its streams and object stores, made where they are missing, and read.

use std::io::Cursor;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::{CreateStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use async_nats::jetstream::stream::{
    self, DirectGetErrorKind, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy,
};
use async_nats::jetstream::{self, Context, ErrorCode, object_store};
use futures_util::StreamExt;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::wire::{Gathering, Head, Object, Pointer, Said};
use super::{Fault, PATIENCE, nats};
use crate::message::{MAX_PACKED, Since, Whole, unpack};

/// The stream of changes.
pub(super) const CHANGES: &str = "BURGEE";
/// The stream of traffic.
pub(super) const TRAFFIC: &str = "BURGEE_TRAFFIC";
/// The subject with the ids of all environments.
pub(super) const ALL: &str = "burgee.env.all";
/// Traffic that may wait for servers: past it relays keep it on their disks.
const TRAFFIC_BYTES: i64 = 1 << 30;
/// How long reading a whole state may take.
const READING: Duration = Duration::from_secs(120);
/// A reader that is silent for so long is forgotten by NATS.
const FORGOTTEN: Duration = Duration::from_secs(30);

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

fn bucket(environment: &str) -> String {
    format!("burgee-{environment}")
}

/// A message was not the next one.
pub(super) enum Published {
    /// It is in the stream, at this number. `again`: it was there already.
    At { sequence: u64, again: bool },
    /// Something else came before it.
    Behind,
}

/// Whom to believe about the last message of a subject.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// The stream's leader: what it says is so.
    Leader,
    /// Any replica, which may lag.
    Anyone,
}

/// Where a chain of changes begins.
#[derive(Clone, Copy)]
pub(super) enum From {
    /// Where a change led to: the next one begins just there.
    Change((i64, u64)),
    /// At a whole state, which was read from the database and can lie in the middle of a change
    /// that was read a moment later. As a change has whole items, it leads on from there as well.
    State((i64, u64)),
}

/// Burgee's things in NATS.
#[derive(Clone)]
pub(super) struct Streams {
    pub(super) context: Context,
}

impl Streams {
    pub(super) fn new(client: Client) -> Self {
        let mut context = jetstream::new(client);
        context.set_timeout(PATIENCE);
        Self { context }
    }

    /// Makes both streams where they are missing; tells of the first.
    pub(super) async fn make(&self) -> Result<stream::Info, Fault> {
        let changes = stream::Config {
            name: CHANGES.to_owned(),
            description: Some("Burgee: changes of environments".into()),
            subjects: vec!["burgee.env.*".into(), "burgee.state.*".into()],
            allow_direct: true,
            ..stream::Config::default()
        };
        let made = self.make_one(changes).await?;
        let traffic = stream::Config {
            name: TRAFFIC.to_owned(),
            description: Some("Burgee: traffic on its way to the database".into()),
            subjects: vec![traffic("*")],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_bytes: TRAFFIC_BYTES,
            ..stream::Config::default()
        };
        self.make_one(traffic).await?;
        Ok(made)
    }

    /// A stream as it is; else a new one, on three servers where there are as many.
    async fn make_one(&self, config: stream::Config) -> Result<stream::Info, Fault> {
        if let Ok(found) = self.context.get_stream(&config.name).await {
            return Ok(found.cached_info().clone());
        }
        for num_replicas in [3, 1] {
            let config = stream::Config {
                num_replicas,
                ..config.clone()
            };
            match self.context.create_stream(config).await {
                Ok(made) => return Ok(made.cached_info().clone()),
                Err(error) if num_replicas > 1 && is_alone(&error.kind()) => {}
                Err(error) => return Err(nats(error)),
            }
        }
        Err(Fault::Away)
    }

    /// The stream of changes as it is now.
    pub(super) async fn info(&self) -> Result<stream::Info, Fault> {
        let found = self.context.get_stream(CHANGES).await.map_err(nats)?;
        Ok(found.cached_info().clone())
    }

    async fn stream(&self) -> Result<stream::Stream<()>, Fault> {
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

    /// Messages of a subject from one number to another, both included.
    async fn between(
        &self,
        subject: &str,
        first: u64,
        last: u64,
    ) -> Result<Vec<jetstream::Message>, Fault> {
        let mut found = Vec::new();
        if first > last {
            return Ok(found);
        }
        let mut messages = self.read(subject, first).await?;
        loop {
            let next = timeout(PATIENCE, messages.next()).await;
            let next = next.ok().flatten().ok_or(Fault::Away)?.map_err(nats)?;
            let info = next.info().map_err(Fault::Nats)?;
            let (at, pending) = (info.stream_sequence, info.pending);
            if at <= last {
                found.push(next);
            }
            if at >= last || pending == 0 {
                return Ok(found);
            }
        }
    }

    /// Messages of a subject from a number on, as they come.
    pub(super) async fn read(&self, subject: &str, first: u64) -> Result<pull::Stream, Fault> {
        let config = pull::Config {
            name: Some(format!("reader-{}", uuid::Uuid::new_v4().simple())),
            deliver_policy: DeliverPolicy::ByStartSequence {
                start_sequence: first.max(1),
            },
            ack_policy: AckPolicy::None,
            filter_subject: subject.to_owned(),
            inactive_threshold: FORGOTTEN,
            memory_storage: true,
            num_replicas: 1,
            ..pull::Config::default()
        };
        let made = self.context.create_consumer_on_stream(config, CHANGES);
        let consumer = made.await.map_err(nats)?;
        let messages = consumer.stream().heartbeat(PATIENCE).messages();
        messages.await.map_err(nats)
    }

    /// The changes of an environment between two numbers, both included, that lead on from where it
    /// is.
    pub(super) async fn chain(
        &self,
        environment: &str,
        (first, last): (u64, u64),
        from: From,
    ) -> Result<Vec<Since>, Fault> {
        let (mut at, mut between) = match from {
            From::Change(at) => (at, false),
            From::State(at) => (at, true),
        };
        let mut gathering = Gathering::default();
        let mut chain = Vec::new();
        for message in self.between(&changes(environment), first, last).await? {
            let headers = message.headers.as_ref();
            let head = Head::read(headers.ok_or(Fault::Headers("all"))?)?;
            let Said::Since(mut since) = gathering.take(head, &message.payload)? else {
                continue;
            };
            let around = since.from.0 < at.0 && at.0 < since.position.0;
            if since.from == at || (between && around) {
                since.from = at;
                at = since.position;
                between = false;
                chain.push(*since);
            }
        }
        Ok(chain)
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
