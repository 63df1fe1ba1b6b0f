//! When what waits for whom is to be told anew.
//!
//! What was done says so by its kind. One thing does not: an ordinary change set that was a
//! request. After it there is one less that is open, and how many there are is known from an index.

use std::time::Duration;

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_store::news::Happened;
use burgee_store::requests::Waiting;
use burgee_store::{Store, StoreError};
use tokio::time::Instant;

use crate::app::now;

/// What is done in a row within this time is counted together, from the second on.
const TOGETHER: Duration = Duration::from_millis(250);

/// See the module.
#[derive(Default)]
pub(super) struct Counting {
    /// Whether other requests may wait than those that were told, or for others.
    is_due: bool,
    /// Whether something happened of which it is not known.
    is_unsure: bool,
    /// When it was told, and how many requests were open then.
    told: Option<(Instant, i64)>,
}

impl Counting {
    /// Hears what happened.
    pub(super) fn hear(&mut self, set: &Happened) {
        match set.is_about_requests() {
            true => self.is_due = true,
            false => self.is_unsure = true,
        }
    }

    /// When it is to be told; none where it is not.
    pub(super) fn due(&self) -> Option<Instant> {
        let at = self.told.map_or_else(Instant::now, |(at, _)| at + TOGETHER);
        self.is_due.then_some(at)
    }

    /// What waits now, where that is to be told.
    pub(super) async fn count(
        &mut self,
        store: &Store,
        organization: &Id<Organization>,
    ) -> Result<Option<Waiting>, StoreError> {
        if self.is_unsure && !self.is_due {
            let open = store.open_requests(organization).await?;
            self.is_due = self.told.is_none_or(|(_, before)| before != open);
        }
        self.is_unsure = false;
        if self.due().is_none_or(|at| at > Instant::now()) {
            return Ok(None);
        }
        let waiting = store.waiting(organization, now()).await?;
        self.is_due = false;
        self.told = Some((Instant::now(), waiting.open()));
        Ok(Some(waiting))
    }
}
