//! What a relay sends to be stored: one after the other, and beside all else, so that a slow traffic
//! database delays no change and no question.

use burgee_edge::hub::Lookup;
use burgee_edge::sink;
use tokio::sync::{mpsc, watch};

use super::{Ended, Feeding};
use crate::message::{Opened, Secret, Taken, ToRelay};
use crate::traffic::{Batch, Checked, now};

/// So much may wait to be stored. A relay sends one batch of its own at a time, and one for each
/// that hangs on it; who has to wait longer keeps what it has.
pub(super) const QUEUE: usize = 32;

/// What is to be stored.
pub(super) enum Work {
    /// Traffic.
    Batch(Batch),
    /// SDK keys that were used.
    KeysUsed(Vec<Secret>),
}

/// The answer that a batch is not stored now.
pub(super) fn not_now(batch: &Batch) -> ToRelay {
    ToRelay::Taken {
        sender: batch.sender.clone(),
        sequence: batch.sequence,
        taken: None,
        refused: None,
    }
}

impl Feeding {
    /// Stores what a relay sends, and answers. Never ends: whoever listens says when it is over.
    pub(super) async fn store(
        &self,
        mut work: mpsc::Receiver<Work>,
        opened: watch::Receiver<Opened>,
        say: mpsc::Sender<ToRelay>,
    ) -> Result<(), Ended> {
        while let Some(next) = work.recv().await {
            let within = opened.borrow().clone();
            match next {
                Work::Batch(batch) => {
                    let _gone = say.send(self.store_one(batch, &within).await).await;
                }
                Work::KeysUsed(secrets) => self.keys_used(secrets, &within).await,
            }
        }
        std::future::pending().await
    }

    async fn store_one(&self, batch: Batch, within: &Opened) -> ToRelay {
        let (sender, sequence) = (batch.sender.clone(), batch.sequence);
        let (taken, refused) = match batch.checked(now(), |id| within.opens(id)) {
            Ok(mut checked) => {
                // Where batches are counted once by their names, a key's names are its own: who came to
                // know a sender's cannot have its batches taken for known.
                if self.source.is_record() {
                    checked.batch.sender = format!("{}/{sender}", within.key);
                }
                (self.write(checked).await, None)
            }
            Err(refused) => {
                tracing::error!(%refused, key = within.key, "a batch of a relay is never stored");
                (None, Some(refused.to_string()))
            }
        };
        ToRelay::Taken {
            sender,
            sequence,
            taken,
            refused,
        }
    }

    async fn write(&self, checked: Checked) -> Option<Taken> {
        if checked.refused > 0 {
            let rows = checked.refused;
            tracing::warn!(
                rows,
                "a relay sends what no relay counts; the rest is stored"
            );
        }
        match self.sink.write(&checked.batch).await {
            Ok(taken) => Some(in_places(taken, &checked.places)),
            Err(unavailable) => {
                tracing::warn!(%unavailable, "a relay's batch cannot be stored now");
                None
            }
        }
    }

    async fn keys_used(&self, secrets: Vec<Secret>, within: &Opened) {
        let ours = |Secret(secret): &Secret| match self.hub.lookup(secret) {
            Lookup::Known(access) => within.opens(access.environment.id()),
            Lookup::Unknown | Lookup::Ask => false,
        };
        let secrets = secrets.into_iter().filter(ours);
        let secrets: Vec<Box<str>> = secrets.map(|it| it.0.into_boxed_str()).collect();
        if let Err(unavailable) = self.sink.keys_used(&secrets).await {
            tracing::debug!(%unavailable, "the use of SDK keys is not noted");
        }
    }
}

/// What became of a batch, with the places that its users had before some were left out.
fn in_places(taken: sink::Taken, places: &[usize]) -> Taken {
    let known = taken.known_users.iter();
    Taken {
        known_users: known.filter_map(|it| places.get(*it).copied()).collect(),
        event_names: taken.event_names,
    }
}
