//! Mail to people: invitations, resets of a password, notices.
//!
//! Sent off the request's path, from a bounded queue: a request never waits for a mail server, and
//! how long its answer takes does not tell whether a mail was sent. What a mail server refuses for
//! now is tried again a little; what it never takes is logged and counted. A server that ends sends
//! what is under way and gives the rest up: whoever waits for a mail asks again.

mod letter;
mod post;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use burgee_domain::people::Email;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use letter::Letter;
pub use post::Post;

/// How much waits to be sent. A mail server that is away for long is noticed otherwise.
const WAITING: usize = 1_000;

/// How many mails are sent at once.
const AT_ONCE: usize = 4;

/// How long a server that ends waits for mails under way.
const LAST: Duration = Duration::from_secs(5);

/// Something to be sent.
#[derive(Debug)]
pub(crate) enum Job {
    /// A letter.
    Letter(Letter),
    /// A link to choose a new password, if the address is an account's.
    Reset(Email),
}

/// What became of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The mail server took it.
    Sent,
    /// It was refused, for now, and is tried again.
    Retried,
    /// It was refused for good, or too often.
    Failed,
    /// There was no room for it, or the server ended.
    Dropped,
}

impl EncodeLabelValue for Outcome {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        fmt::Write::write_str(
            encoder,
            match self {
                Self::Sent => "sent",
                Self::Retried => "retried",
                Self::Failed => "failed",
                Self::Dropped => "dropped",
            },
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Mails {
    outcome: Outcome,
}

/// How many mails were sent and were not.
#[derive(Clone, Debug, Default)]
pub struct Counters(Family<Mails, Counter>);

impl Counters {
    fn note(&self, outcome: Outcome) {
        self.0.get_or_create(&Mails { outcome }).inc();
    }

    /// The text that Prometheus reads (OpenMetrics).
    pub fn encode(&self) -> String {
        let mut registry = Registry::with_prefix("burgee");
        registry.register(
            "mails",
            "Mails to people, by what became of them",
            self.0.clone(),
        );
        let mut text = String::new();
        // Writing to memory cannot fail.
        let written = encode(&mut text, &registry);
        debug_assert!(written.is_ok());
        text
    }
}

/// Where mails are handed in.
#[derive(Clone, Debug)]
pub struct Mailer {
    queue: Option<mpsc::Sender<Job>>,
    counters: Counters,
}

impl Mailer {
    /// One that sends nothing: no mail server is configured.
    pub fn none() -> Self {
        Self {
            queue: None,
            counters: Counters::default(),
        }
    }

    /// One that hands to `post`, and the task that sends, which ends at `stop`.
    pub fn new(post: Post, stop: CancellationToken) -> (Self, impl Future<Output = ()> + Send) {
        let (queue, jobs) = mpsc::channel(WAITING);
        let counters = post.counters().clone();
        let mailer = Self {
            queue: Some(queue),
            counters,
        };
        (mailer, run(Arc::new(post), jobs, stop))
    }

    /// Whether mail is sent at all.
    pub fn sends(&self) -> bool {
        self.queue.is_some()
    }

    /// How many were sent and were not.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Hands a letter in. Says whether it will be tried to send it.
    pub fn send(&self, letter: Letter) -> bool {
        self.hand_in(Job::Letter(letter))
    }

    /// Sends a link to choose a new password, if the address is an account's.
    pub fn reset(&self, email: Email) -> bool {
        self.hand_in(Job::Reset(email))
    }

    fn hand_in(&self, job: Job) -> bool {
        let Some(queue) = &self.queue else {
            return false;
        };
        match queue.try_send(job) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Closed(_)) => {
                tracing::warn!("a mail was dropped: too many wait to be sent");
                self.counters.note(Outcome::Dropped);
                false
            }
        }
    }
}

async fn run(post: Arc<Post>, mut jobs: mpsc::Receiver<Job>, stop: CancellationToken) {
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut sending = JoinSet::new();
    while let Some(Some(job)) = stop.run_until_cancelled(jobs.recv()).await {
        let Ok(turn) = Arc::clone(&turns).acquire_owned().await else {
            break;
        };
        while sending.try_join_next().is_some() {}
        let post = Arc::clone(&post);
        sending.spawn(async move {
            post.deliver(job).await;
            drop(turn);
        });
    }
    let ended = async { while sending.join_next().await.is_some() {} };
    let in_time = tokio::time::timeout(LAST, ended).await.is_ok();
    jobs.close();
    let mut left = 0;
    while jobs.try_recv().is_ok() {
        post.counters().note(Outcome::Dropped);
        left += 1;
    }
    if left > 0 || !in_time {
        tracing::warn!(left, "mails were given up, since the server ends");
    }
}
