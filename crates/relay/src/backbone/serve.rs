//! The server's side of what comes from relays by NATS: traffic, questions about keys, what is told.
//!
//! Servers share the work: each batch and each question is for one of them. A batch leaves the queue
//! when it is in the database; one whose server died comes to another, and counts once by its sender
//! and sequence.

use std::sync::Arc;
use std::time::Duration;

use async_nats::Message;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::{self, AckKind};
use burgee_edge::hub::{Hub, Lookup};
use burgee_edge::sink::Sink;
use futures_util::StreamExt;
use futures_util::stream::select;
use rand::RngExt;
use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::streams::{Streams, TRAFFIC, delivery, traffic};
use super::writing::check;
use super::{Backbone, Fault, PATIENCE, nats};
use crate::message::{
    Answer, MAX_TEXT_UP, Secret, ToRelay, ToUpstream, pack, unpack_beside, unpack_within,
};
use crate::serve::{Access, credible, find};
use crate::traffic::{Batch, Checked, now};

/// Where relays ask.
pub(super) const ASK: &str = "burgee.ask";
/// Where relays tell what may be lost.
pub(super) const TELL: &str = "burgee.tell";
/// Servers share what comes.
const SERVERS: &str = "burgee-servers";
/// A batch that a server has not stored after so long is given to another.
const STORING: Duration = Duration::from_secs(60);
/// After what time a batch that could not be stored is tried again, and what went wrong. Of a batch each
/// further time is twice as long,
const RETRY: Duration = Duration::from_secs(2);
/// up to this one.
const LONGEST: Duration = Duration::from_secs(64);
/// How often it is looked whose NATS is; where it is another installation's, whether it still is.
const LOOK: Duration = Duration::from_secs(10);
/// Batches of all servers under way at once, those among them that are to be tried again later: while
/// the database is away these are all.
const BATCHES: i64 = 256;
/// Questions under way at once.
const QUESTIONS: usize = 64;
/// Text of a question at most, and of what is told.
const MAX_TEXT: u64 = 1 << 20;

/// Takes what relays send by NATS.
pub struct Serving {
    streams: Streams,
    hub: Arc<Hub>,
    sink: Arc<dyn Sink>,
    access: Arc<dyn Access>,
}

impl Serving {
    /// Answers from `hub` and `access`, and stores into `sink`.
    ///
    /// # Errors
    /// Where the file of credentials cannot be read.
    pub async fn new(
        backbone: &Backbone,
        hub: Arc<Hub>,
        sink: Arc<dyn Sink>,
        access: Arc<dyn Access>,
    ) -> Result<Arc<Self>, Fault> {
        let connection = backbone.connect("burgee server, for relays").await?;
        Ok(Arc::new(Self {
            streams: Streams::new(connection),
            hub,
            sink,
            access,
        }))
    }

    /// Serves relays of the installation with this id ([`Publisher::run`](super::Publisher::run)). Never
    /// ends. Not where NATS is another one's: its relays would be told that there are no keys such as
    /// theirs, and its traffic would be lost.
    pub async fn run(self: Arc<Self>, installation: String) {
        loop {
            let fault = match self.streams.make(&installation).await {
                Ok(_) => self.serve(&installation).await,
                Err(fault) => fault,
            };
            match &fault {
                Fault::Foreign(_) => {
                    tracing::error!(%fault, installation, "relays are not served by NATS");
                    sleep(LOOK).await;
                }
                _ => tracing::warn!(%fault, "relays are not served by NATS, trying again"),
            }
            pause().await;
        }
    }

    /// Serves for as long as NATS is this installation's.
    async fn serve(self: &Arc<Self>, installation: &str) -> Fault {
        let serving = async {
            tokio::join!(
                repeat("questions of relays are not answered", || self.answer()),
                repeat("what relays tell is not heard", || self.hear()),
                repeat("traffic of relays is not taken", || self.take(installation)),
            )
        };
        tokio::select! {
            fault = self.not_ours(installation) => fault,
            _never = serving => Fault::Away,
        }
    }

    /// Resolves when NATS is another installation's.
    async fn not_ours(&self, installation: &str) -> Fault {
        loop {
            sleep(LOOK).await;
            // Where it does not say, it may be away, which passes.
            let Ok(info) = self.streams.info().await else {
                continue;
            };
            if let Err(fault) = check(&info.config, installation) {
                return fault;
            }
        }
    }

    async fn answer(self: &Arc<Self>) -> Result<(), Fault> {
        let client = self.streams.context.client();
        let asked = client.queue_subscribe(ASK, SERVERS.to_owned()).await;
        let mut asked = asked.map_err(nats)?;
        let questions = Arc::new(Semaphore::new(QUESTIONS));
        while let Some(message) = asked.next().await {
            let permit = Arc::clone(&questions).acquire_owned().await;
            let serving = Arc::clone(self);
            tokio::spawn(async move {
                let _permit = permit;
                serving.answer_one(message).await;
            });
        }
        Err(Fault::Away)
    }

    async fn answer_one(&self, message: Message) {
        let Some(reply) = message.reply else { return };
        let answer = match unpack_within(&message.payload, MAX_TEXT) {
            Ok(ToUpstream::Find { question, secret }) => ToRelay::Found {
                question,
                // Who has the secret may know whose it is.
                answer: find(&self.hub, &secret.0, |_| true).await,
            },
            Ok(ToUpstream::FindRelay { question, secret }) => ToRelay::FoundRelay {
                question,
                answer: match self.access.open(&secret.0).await {
                    Ok(Some(opened)) => Answer::Is(opened),
                    Ok(None) => Answer::None,
                    Err(_) => Answer::Unavailable,
                },
            },
            _ => return,
        };
        if let Ok(packed) = pack(&answer) {
            let client = self.streams.context.client();
            let _asker_gone = client.publish(reply, packed.into()).await;
        }
    }

    async fn hear(&self) -> Result<(), Fault> {
        let subjects = [TELL.to_owned(), delivery("*")];
        let client = self.streams.context.client();
        let told = subjects.map(|it| client.queue_subscribe(it, SERVERS.to_owned()));
        let [told, delivered] = told;
        let (told, delivered) = (told.await.map_err(nats)?, delivered.await.map_err(nats)?);
        let mut told = select(told, delivered);
        while let Some(message) = told.next().await {
            match unpack_within(&message.payload, MAX_TEXT) {
                Ok(ToUpstream::KeysUsed(secrets)) => self.keys_used(secrets).await,
                Ok(ToUpstream::Delivery(report)) => {
                    // As of traffic: what is said of others in its place is left out.
                    let told_of = |id: &str| delivery(id) == message.subject.as_str();
                    let within = |id: &str| told_of(id) && self.hub.environment(id).is_some();
                    self.access.delivered(None, credible(report, within));
                }
                // Anyone may put anything there who may tell at all: relays are not listed by it.
                _ => {}
            }
        }
        Err(Fault::Away)
    }

    async fn keys_used(&self, secrets: Vec<Secret>) {
        let known = |secret: &Secret| matches!(self.hub.lookup(&secret.0), Lookup::Known(_));
        let secrets = secrets.into_iter().filter(known);
        let secrets: Vec<Box<str>> = secrets.map(|it| it.0.into_boxed_str()).collect();
        if let Err(unavailable) = self.sink.keys_used(&secrets).await {
            tracing::debug!(%unavailable, "the use of SDK keys is not noted");
        }
    }

    async fn take(&self, installation: &str) -> Result<(), Fault> {
        let streams = &self.streams;
        streams.make(installation).await?;
        let config = pull::Config {
            durable_name: Some(SERVERS.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: STORING,
            max_ack_pending: BATCHES,
            ..pull::Config::default()
        };
        let made = streams.context.create_consumer_on_stream(config, TRAFFIC);
        let consumer = made.await.map_err(nats)?;
        // One at a time: what another server can take is left to it.
        let messages = consumer
            .stream()
            .max_messages_per_batch(1)
            .heartbeat(PATIENCE);
        let mut messages = messages.messages().await.map_err(nats)?;
        while let Some(message) = messages.next().await {
            self.take_one(message.map_err(nats)?).await?;
        }
        Err(Fault::Away)
    }

    async fn take_one(&self, message: jetstream::Message) -> Result<(), Fault> {
        let checked = match read(&message).await {
            Ok(checked) => checked,
            Err(reason) => {
                tracing::error!(reason, "traffic of a relay is never stored");
                return message.ack_with(AckKind::Term).await.map_err(Fault::Nats);
            }
        };
        if checked.refused > 0 {
            let rows = checked.refused;
            tracing::warn!(
                rows,
                "a relay sends what no relay counts; the rest is stored"
            );
        }
        let ack = match self.sink.write(&checked.batch).await {
            Ok(_) => AckKind::Ack,
            Err(unavailable) => {
                let delivered = message.info().map_or(1, |it| it.delivered);
                let again_in = pause_after(delivered);
                tracing::warn!(%unavailable, delivered, ?again_in, "a relay's batch cannot be stored now");
                // NATS keeps it meanwhile: others, and other servers, are not to wait for it.
                AckKind::Nak(Some(again_in))
            }
        };
        message.ack_with(ack).await.map_err(Fault::Nats)
    }
}

/// What is taken of a batch. Credentials say into which subjects a relay may put something, so it is
/// of this one.
async fn read(message: &jetstream::Message) -> Result<Checked, String> {
    let batch = unpack_beside::<Batch>(message.payload.clone(), MAX_TEXT_UP).await;
    let batch = batch.map_err(|error| error.to_string())?;
    let batch = batch.ok_or("it is of another version")?;
    let checked = batch.checked(now(), |id| traffic(id) == message.subject.as_str());
    checked.map_err(|refused| refused.to_string())
}

/// How long a batch waits that could not be stored so often.
fn pause_after(delivered: i64) -> Duration {
    let doubled = u32::try_from(delivered - 1).unwrap_or_default().min(5);
    (RETRY * 2_u32.pow(doubled)).min(LONGEST)
}

/// Does what never ends, again where it ended.
async fn repeat<F: Future<Output = Result<(), Fault>>>(
    what: &'static str,
    mut task: impl FnMut() -> F,
) {
    loop {
        if let Err(fault) = task().await {
            tracing::warn!(%fault, "{what}, trying again");
        }
        pause().await;
    }
}

async fn pause() {
    let share = rand::rng().random_range(0.25..=0.75);
    sleep(RETRY.mul_f64(share)).await;
}
