//! Reading the stream of changes: as it comes, or an environment's from one message to another.
//!
//! One reader gives everything that a relay follows, in the stream's order, so that a replica of NATS
//! that lags gives it later and never out of order. What lies between is read a change at a time: a
//! few hundred changes of large items are more than a relay has memory for.

use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use burgee_edge::source::Position;
use futures_util::StreamExt;
use tokio::time::timeout;

use super::streams::{CHANGES, Streams, changes};
use super::wire::{Gathering, Head, Object, Said};
use super::{Fault, PATIENCE, nats};
use crate::message::Since;
use crate::mirror::Mirror;

/// A reader that is silent for so long is forgotten by NATS.
const FORGOTTEN: Duration = Duration::from_secs(30);
/// The same of one that reads to an end, and is not needed after it.
const DONE: Duration = Duration::from_secs(10);
/// Messages that are on their way to a reader at most, each of up to half a megabyte.
const AHEAD: usize = 32;

impl Streams {
    /// Messages of a subject, which may stand for several, as they come: those after the number
    /// `after`. Where that is 0, the last of each subject comes first.
    pub(super) async fn read(&self, subject: &str, after: u64) -> Result<pull::Stream, Fault> {
        let from = match after {
            0 => DeliverPolicy::LastPerSubject,
            after => DeliverPolicy::ByStartSequence {
                start_sequence: after + 1,
            },
        };
        self.reader(subject, from, FORGOTTEN).await
    }

    async fn reader(
        &self,
        subject: &str,
        deliver_policy: DeliverPolicy,
        inactive_threshold: Duration,
    ) -> Result<pull::Stream, Fault> {
        let config = pull::Config {
            name: Some(format!("reader-{}", uuid::Uuid::new_v4().simple())),
            deliver_policy,
            ack_policy: AckPolicy::None,
            filter_subject: subject.to_owned(),
            inactive_threshold,
            memory_storage: true,
            num_replicas: 1,
            ..pull::Config::default()
        };
        let made = self.context.create_consumer_on_stream(config, CHANGES);
        let consumer = made.await.map_err(nats)?;
        let messages = consumer.stream().max_messages_per_batch(AHEAD);
        messages.heartbeat(PATIENCE).messages().await.map_err(nats)
    }

    /// The changes of an environment between two messages' numbers, both included, as far as they
    /// lead above a version.
    pub(super) async fn chain(
        &self,
        environment: &str,
        (first, last): (u64, u64),
        above: i64,
    ) -> Result<Chain, Fault> {
        let from = DeliverPolicy::ByStartSequence {
            start_sequence: first.max(1),
        };
        let messages = match first <= last {
            true => Some(self.reader(&changes(environment), from, DONE).await?),
            false => None,
        };
        Ok(Chain {
            messages,
            last,
            above,
            gathering: Gathering::default(),
        })
    }

    /// An environment as one has it who begins with a whole state: that, and the changes after it up
    /// to the message `last`, as far as they lead on; no further than `to`, where that is given.
    pub(super) async fn started(
        &self,
        environment: &str,
        from: &Object,
        last: u64,
        to: Option<Position>,
    ) -> Result<Mirror, Fault> {
        let whole = self.state(environment, from).await?;
        let at = whole.position;
        let mut mirror = Mirror::from_iter([whole]);
        let mut chain = self.chain(environment, (from.start, last), at.0).await?;
        // The state was read from the database, and can lie in the middle of a change that was read
        // a moment later. As a change has whole items, it leads on from there as well.
        let mut between = true;
        while let Some(mut since) = chain.next().await? {
            if to.is_some() && mirror.position(environment) == to {
                break;
            }
            if between && since.from.0 < at.0 {
                since.from = at;
            }
            between &= mirror.advance(since).is_err();
        }
        Ok(mirror)
    }
}

/// Changes of an environment, read one by one.
pub(super) struct Chain {
    /// None after the last.
    messages: Option<pull::Stream>,
    last: u64,
    above: i64,
    gathering: Gathering,
}

impl Chain {
    /// The next change; none at the end. One that cannot be read is passed over: where it is missed,
    /// what comes after it begins elsewhere.
    pub(super) async fn next(&mut self) -> Result<Option<Since>, Fault> {
        while let Some(message) = self.message().await? {
            match self.take(&message) {
                Ok(Said::Since(since)) => return Ok(Some(*since)),
                Ok(_) => {}
                Err(fault) => {
                    let subject = message.subject.as_str();
                    tracing::warn!(subject, %fault, "a change in the stream cannot be read");
                }
            }
        }
        Ok(None)
    }

    fn take(&mut self, message: &jetstream::Message) -> Result<Said, Fault> {
        let headers = message.headers.as_ref();
        let head = Head::read(headers.ok_or(Fault::Headers("all"))?)?;
        match head.to.version > self.above {
            true => self.gathering.take(head, &message.payload),
            false => Ok(Said::Part),
        }
    }

    async fn message(&mut self) -> Result<Option<jetstream::Message>, Fault> {
        let Some(messages) = &mut self.messages else {
            return Ok(None);
        };
        let next = timeout(PATIENCE, messages.next()).await;
        let next = next.ok().flatten().ok_or(Fault::Away)?.map_err(nats)?;
        let info = next.info().map_err(Fault::Nats)?;
        let (at, pending) = (info.stream_sequence, info.pending);
        if at >= self.last || pending == 0 {
            self.messages = None;
        }
        Ok((at <= self.last).then_some(next))
    }
}
