//! The way up from a relay by NATS: questions, traffic, and what is only told.
//!
//! Traffic goes up by environment, and a right to send one environment's can end, or never have been
//! there. That is not to keep the others' waiting: what NATS refuses is lost, and counted; so is, after
//! some tries, what NATS says nothing to while it takes others'. What it takes nothing of waits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use burgee_edge::delivery::{EnvironmentReport, NodeReport};
use burgee_edge::source::BoxFuture;
use futures_util::future::join_all;
use tokio::time::{Instant, timeout};

use super::PATIENCE;
use super::serve::{ASK, TELL};
use super::streams::{Streams, delivery, traffic};
use super::wire::PART;
use crate::message::{Answer, Taken, ToRelay, ToUpstream, pack, unpack};
use crate::traffic::Batch;
use crate::upstream::{Line, Stored};

/// How often in a row an environment's traffic may be unanswered while others' is taken.
const TRIES: u32 = 5;
/// For how long an environment's traffic is not sent that was refused, or not answered so often.
const ASIDE: Duration = Duration::from_secs(60);

/// The way up, while NATS is there.
pub(super) struct NatsLine {
    streams: Streams,
    /// The environments that the relay was told to serve; none where it serves all.
    scope: Option<Vec<String>>,
    /// Environments whose traffic does not go up.
    failing: Mutex<BTreeMap<Arc<str>, Failing>>,
}

/// An environment whose traffic does not go up.
#[derive(Clone, Copy, Default)]
struct Failing {
    /// How often NATS said nothing to it, and took others'.
    unanswered: u32,
    /// Until when it is not tried.
    until: Option<Instant>,
}

/// What became of a piece of a batch.
enum Fate {
    /// It is in the queue.
    Taken,
    /// It is nothing that NATS would take, for this reason.
    Never(String),
    /// NATS does not let this relay send the environment's traffic.
    Refused,
    /// It was not sent: the environment's traffic was not taken a moment ago.
    Aside,
    /// Nobody answers.
    Unanswered,
    /// Not now.
    Later(String),
}

impl NatsLine {
    pub(super) fn new(streams: Streams, scope: Option<Vec<String>>) -> Self {
        Self {
            streams,
            scope,
            failing: Mutex::default(),
        }
    }

    /// An answer that this relay can use: of a key of other environments it cannot say more than that
    /// it does not know.
    fn usable(&self, answer: ToRelay) -> ToRelay {
        match (answer, &self.scope) {
            (
                ToRelay::Found {
                    question,
                    answer: Answer::Is((id, _)),
                },
                Some(scope),
            ) if !scope.contains(&id) => ToRelay::Found {
                question,
                answer: Answer::Unavailable,
            },
            (answer, _) => answer,
        }
    }

    /// Puts a batch into the queue for servers; none where all of it is to be sent again. What is in
    /// the queue already is known there by the piece's name.
    async fn queue(&self, batch: &Batch) -> Option<Stored> {
        // All at once: who is not answered takes its time.
        let sending = batch
            .pieces(PART)
            .into_iter()
            .map(|(environment, piece)| async move {
                let fate = self.send(&environment, &piece).await;
                (environment, fate)
            });
        let fates = join_all(sending).await;
        let taken = |fate: &Fate| matches!(fate, Fate::Taken);
        let taken = fates.iter().filter(|(_, fate)| taken(fate));
        let taken: BTreeSet<Arc<str>> = taken.map(|(id, _)| Arc::clone(id)).collect();
        let (mut lost, mut again) = (false, false);
        for (environment, fate) in fates {
            match fate {
                Fate::Taken => drop(self.failing().remove(&environment)),
                Fate::Never(reason) => {
                    tracing::error!(%environment, reason, "traffic of an environment is lost");
                    lost = true;
                }
                Fate::Aside => lost = true,
                Fate::Refused => {
                    self.put_aside(&environment, "NATS does not let this relay send it");
                    lost = true;
                }
                Fate::Unanswered if self.is_hopeless(&environment, &taken) => {
                    self.put_aside(&environment, "NATS says nothing to it");
                    lost = true;
                }
                Fate::Unanswered => again = true,
                Fate::Later(reason) => {
                    tracing::debug!(%environment, reason, "traffic does not go up");
                    again = true;
                }
            }
        }
        match (again, lost) {
            (true, _) => None,
            (false, true) => Some(Stored::Partly),
            (false, false) => Some(Stored::Taken(Taken::default())),
        }
    }

    async fn send(&self, environment: &Arc<str>, piece: &Batch) -> Fate {
        let aside = self.failing().get(environment).and_then(|it| it.until);
        if aside.is_some_and(|until| Instant::now() < until) {
            return Fate::Aside;
        }
        let packed = match pack(piece) {
            Ok(packed) => packed,
            Err(error) => return Fate::Never(error.to_string()),
        };
        let subject = traffic(environment);
        let refused = self.streams.refused.next(&subject);
        let id = format!("{} {}", piece.sender, piece.sequence);
        let message = PublishMessage::build().message_id(id);
        let message = message.payload(packed.into());
        let stored = async {
            let sent = self.streams.context.send_publish(subject, message).await;
            sent?.await
        };
        tokio::select! {
            stored = stored => match stored {
                Ok(_) => Fate::Taken,
                Err(error) => fate(&error),
            },
            () = refused => Fate::Refused,
        }
    }

    /// Notes that nobody answers while others' traffic is taken. Whether it was so often enough.
    fn is_hopeless(&self, environment: &Arc<str>, taken: &BTreeSet<Arc<str>>) -> bool {
        let mut failing = self.failing();
        let failing = failing.entry(Arc::clone(environment)).or_default();
        if !taken.is_empty() && !taken.contains(environment) {
            failing.unanswered = failing.unanswered.saturating_add(1);
        }
        failing.unanswered >= TRIES
    }

    /// Does not send an environment's traffic for a while.
    fn put_aside(&self, environment: &Arc<str>, reason: &str) {
        let mut failing = self.failing();
        let failing = failing.entry(Arc::clone(environment)).or_default();
        let now = Instant::now();
        if failing.until.is_some_and(|until| now < until) {
            return;
        }
        failing.until = Some(now + ASIDE);
        tracing::error!(%environment, reason, "traffic of an environment is lost");
    }

    fn failing(&self) -> std::sync::MutexGuard<'_, BTreeMap<Arc<str>, Failing>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fate(error: &PublishError) -> Fate {
    match error.kind() {
        PublishErrorKind::MaxPayloadExceeded => Fate::Never(error.to_string()),
        PublishErrorKind::TimedOut
        | PublishErrorKind::BrokenPipe
        | PublishErrorKind::StreamNotFound => Fate::Unanswered,
        _ => Fate::Later(error.to_string()),
    }
}

/// A relay's figures as messages, one an environment, so that NATS can see to it that a relay speaks
/// of its own alone; and one that says that it lives, where there are none.
fn by_environment(mut report: NodeReport) -> Vec<(String, ToUpstream)> {
    let environments = std::mem::take(&mut report.environments);
    if environments.is_empty() {
        return vec![(TELL.to_owned(), ToUpstream::Delivery(report))];
    }
    let of_one = |(id, figures): (String, EnvironmentReport)| {
        let subject = delivery(&id);
        let report = NodeReport {
            environments: vec![(id, figures)],
            ..report.clone()
        };
        (subject, ToUpstream::Delivery(report))
    };
    environments.into_iter().map(of_one).collect()
}

impl Line for NatsLine {
    fn tell(&self, message: ToUpstream) -> bool {
        let messages = match message {
            ToUpstream::Delivery(report) => by_environment(report),
            message => vec![(TELL.to_owned(), message)],
        };
        let client = self.streams.context.client();
        tokio::spawn(async move {
            for (subject, message) in messages {
                if let Ok(packed) = pack(&message) {
                    let _lost = client.publish(subject, packed.into()).await;
                }
            }
        });
        true
    }

    fn ask(&self, _question: u64, message: ToUpstream) -> BoxFuture<'_, Option<ToRelay>> {
        Box::pin(async move {
            let packed = pack(&message).ok()?;
            let client = self.streams.context.client();
            let asked = timeout(PATIENCE, client.request(ASK, packed.into()));
            let answer = asked.await.ok()?.ok()?;
            Some(self.usable(unpack(&answer.payload).ok()?))
        })
    }

    fn store(&self, batch: Batch) -> BoxFuture<'_, Option<Stored>> {
        // Who was known before is not told: a queue has no answers.
        Box::pin(async move { self.queue(&batch).await })
    }

    fn end(&self) {}
}
