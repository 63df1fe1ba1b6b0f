//! Follows an organization's history, what waits in it for whom, and its environments' first signs
//! of life.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_store::{NamedEnvironment, Store, StoreError};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;

use super::News;
use super::counting::Counting;
use super::first_use::FirstUses;
use super::moves::Moves;
use super::view::{Seen, Sign};

/// How long a change of another process, or a first evaluation, can go untold, at most.
const POLL: Duration = Duration::from_secs(1);

/// How many change sets are read at once.
const CHUNK: i64 = 100;

/// Tells all that happens after `number`. Never ends.
pub(super) async fn follow(
    store: Store,
    organization: Id<Organization>,
    number: i64,
    news: broadcast::Sender<News>,
) {
    let mut tail = Tail {
        commits: store.changed(),
        store,
        organization,
        number,
        news,
        counting: Counting::default(),
        unseen: None,
        first_uses: FirstUses::default(),
        moves: Moves::default(),
    };
    let mut polled = Instant::now();
    loop {
        if let Err(error) = tail.tell_changes().await {
            tracing::warn!(%error, "changes are not told to listeners, trying again");
            tokio::time::sleep(POLL).await;
        }
        if tail.unseen.is_none() || polled.elapsed() >= POLL {
            polled = Instant::now();
            if let Err(error) = tail.tell_all_signs().await {
                tracing::warn!(%error, "first evaluations are not told, trying again");
            }
        }
        let polls = polled + POLL;
        let until = tail.counting.due().map_or(polls, |at| at.min(polls));
        // What fails here is that the store is gone, and with it everything that could happen.
        let _woken = tokio::time::timeout_at(until, tail.commits.changed()).await;
    }
}

struct Tail {
    store: Store,
    organization: Id<Organization>,
    /// The last change set that was told.
    number: i64,
    news: broadcast::Sender<News>,
    commits: watch::Receiver<u64>,
    counting: Counting,
    /// Of which signs of life are awaited; none: it is not known yet.
    unseen: Option<Unseen>,
    first_uses: FirstUses,
    moves: Moves,
}

/// Environments by id without a sign of life.
type Waiting = BTreeMap<String, NamedEnvironment>;

/// What has not been seen yet.
struct Unseen {
    /// Environments whose first evaluation is awaited.
    evaluation: Waiting,
    /// Environments whose first user is awaited.
    user: Waiting,
    /// All that were looked at.
    known: BTreeSet<String>,
}

impl Tail {
    async fn tell_changes(&mut self) -> Result<(), StoreError> {
        let _seen = self.commits.borrow_and_update();
        drop(_seen);
        if self.store.history_length(&self.organization).await? > self.number {
            self.tell_sets().await?;
        }
        let waiting = self.counting.count(&self.store, &self.organization);
        if let Some(waiting) = waiting.await? {
            let _nobody = self.news.send(News::Waiting(Arc::new(waiting)));
        }
        Ok(())
    }

    async fn tell_sets(&mut self) -> Result<(), StoreError> {
        loop {
            let happened = self
                .store
                .happened(&self.organization, self.number, CHUNK)
                .await?;
            let Some(last) = happened.last() else {
                return Ok(());
            };
            self.number = last.number;
            for set in happened {
                self.counting.hear(&set);
                // Nobody listens: then there is nobody to be told.
                let _nobody = self.news.send(News::Happened(Arc::new(set)));
            }
        }
    }

    async fn tell_all_signs(&mut self) -> Result<(), StoreError> {
        for seen in self
            .first_uses
            .look(&self.store, &self.organization)
            .await?
        {
            let _nobody = self.news.send(News::Seen(Arc::new(seen)));
        }
        let all = self.store.environments_of(&self.organization).await?;
        for moved in self.moves.look(&self.store, &all).await? {
            let _nobody = self.news.send(News::Moved(Arc::new(moved)));
        }
        self.tell_signs(all).await
    }

    /// Tells of environments that were evaluated, or named a user, for the first time since this
    /// tail began.
    async fn tell_signs(&mut self, all: Vec<NamedEnvironment>) -> Result<(), StoreError> {
        let first = self.unseen.is_none();
        let unseen = self.unseen.get_or_insert_with(|| Unseen {
            evaluation: Waiting::new(),
            user: Waiting::new(),
            known: BTreeSet::new(),
        });
        for environment in all {
            let id = environment.id.clone();
            if unseen.known.insert(id.clone()) {
                unseen.evaluation.insert(id.clone(), environment.clone());
                unseen.user.insert(id, environment);
            }
        }
        let traffic = self.store.traffic();
        for (sign, waiting) in [
            (Sign::User, &mut unseen.user),
            (Sign::Evaluation, &mut unseen.evaluation),
        ] {
            let ids: Vec<&str> = waiting.keys().map(String::as_str).collect();
            let found = match sign {
                Sign::User => traffic.with_users(&ids).await?,
                _ => traffic.evaluated(&ids).await?,
            };
            for id in found {
                let Some(environment) = waiting.remove(&id) else {
                    continue;
                };
                if !first {
                    let seen = Seen {
                        sign,
                        project: environment.project,
                        environment: environment.key,
                        protected: environment.protected,
                        sdk_key: None,
                    };
                    let _nobody = self.news.send(News::Seen(Arc::new(seen)));
                }
            }
        }
        Ok(())
    }
}
