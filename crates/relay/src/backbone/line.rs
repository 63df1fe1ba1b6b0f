//! The way up from a relay by NATS: questions, traffic, and what is only told.

use burgee_edge::source::BoxFuture;
use tokio::time::timeout;

use super::PATIENCE;
use super::serve::{ASK, TELL};
use super::streams::{Streams, traffic};
use super::wire::PART;
use crate::message::{Answer, Taken, ToRelay, ToUpstream, pack, unpack};
use crate::traffic::Batch;
use crate::upstream::Line;

/// The way up, while NATS is there.
pub(super) struct NatsLine {
    pub(super) streams: Streams,
    /// The environments that the relay was told to serve; none where it serves all.
    pub(super) scope: Option<Vec<String>>,
}

impl NatsLine {
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

    /// Puts a batch into the queue for servers; whether NATS has all of it.
    async fn queue(&self, batch: &Batch) -> bool {
        for (environment, piece) in batch.pieces(PART) {
            let Ok(packed) = pack(&piece) else {
                return false;
            };
            let id = format!("{} {}", piece.sender, piece.sequence);
            let message = async_nats::jetstream::message::PublishMessage::build()
                .message_id(id)
                .payload(packed.into());
            let sent = self
                .streams
                .context
                .send_publish(traffic(&environment), message);
            let stored = match sent.await {
                Ok(stored) => stored.await.map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = stored {
                tracing::debug!(error, "traffic does not go up");
                return false;
            }
        }
        true
    }
}

impl Line for NatsLine {
    fn tell(&self, message: ToUpstream) {
        let Ok(packed) = pack(&message) else { return };
        let client = self.streams.context.client();
        tokio::spawn(async move {
            let _lost = client.publish(TELL, packed.into()).await;
        });
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

    fn store(&self, batch: Batch) -> BoxFuture<'_, Option<Taken>> {
        // Who was known before is not told: a queue has no answers.
        Box::pin(async move { self.queue(&batch).await.then(Taken::default) })
    }

    fn end(&self) {}
}
