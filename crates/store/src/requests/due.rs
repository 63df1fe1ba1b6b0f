//! Applying steps that are due.
//!
//! Several servers may look at once: of those that try the same step one locks its row, the others
//! pass it over. What becomes of the step is written in the same transaction, so a server that dies
//! in the middle leaves it as it was, for the next one that looks.

use std::time::Duration;

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::request::schedule::{Due, due};

use super::steps::{self, Place};
use super::stop::Why;
use super::{RequestError, rows};
use crate::apply::ApplyError;
use crate::apply::step::Claimed;
use crate::dialect::Clock;
use crate::error::StoreError;
use crate::{Store, row};

impl Store {
    /// Applies all steps that are due, those of a request in order, and stops the requests of those
    /// that cannot be applied. Says how many steps that were.
    ///
    /// # Errors
    /// The first of those that may be gone when it is tried again; the other requests are looked
    /// after all the same.
    pub async fn apply_due_steps(&self, clock: Clock) -> Result<usize, StoreError> {
        let now = {
            let mut connection = self.shared.truth.read.acquire().await?;
            clock.read(self.shared.dialect, &mut connection).await?
        };
        let found = sqlx::query(
            "SELECT organization_id, id FROM requests WHERE due_at <= $1 AND due_at IS NOT NULL \
             ORDER BY due_at, organization_id, id",
        )
        .bind(now.0)
        .fetch_all(&self.shared.truth.read)
        .await?;
        let (mut count, mut failed) = (0, None);
        for found in &found {
            let (organization, id) = (row::id(found, 0)?, row::text(found, 1)?);
            loop {
                match self.apply_due_step(&organization, &id, clock).await {
                    Ok(true) => count += 1,
                    Ok(false) => break,
                    Err(error) => {
                        failed.get_or_insert(error);
                        break;
                    }
                }
            }
        }
        failed.map_or(Ok(count), Err)
    }

    /// After what time the next step is due, 0 where one is; none where none waits for its moment.
    pub async fn next_step_due(&self, clock: Clock) -> Result<Option<Duration>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let first = "SELECT MIN(due_at) FROM requests WHERE due_at IS NOT NULL";
        let dialect = self.shared.dialect;
        clock.until_first(dialect, &mut connection, first).await
    }

    /// Applies the next step of a request, where it is due; or stops the request. False where there
    /// was nothing to do, or somebody else does it.
    async fn apply_due_step(
        &self,
        organization: &Id<Organization>,
        id: &str,
        clock: Clock,
    ) -> Result<bool, StoreError> {
        let dialect = self.shared.dialect;
        let mut tx = self.begin_write().await?;
        let now = clock.read(dialect, &mut tx).await?;
        let request = rows::find(&mut tx, organization, id).await?;
        if request.due_at.is_none_or(|at| due(at, now) == Due::Later) {
            return Ok(false);
        }
        let revision = rows::revision(&mut tx, organization, id, request.revision).await?;
        let Some((index, step)) = revision
            .next()
            .and_then(|index| Some((index, revision.steps.get(index)?)))
        else {
            return Ok(false);
        };
        let place = Place {
            organization,
            request: id,
            revision: request.revision,
            step: step.head.step,
        };
        let lock = dialect.for_update_of_free();
        let claimed = steps::claim(&mut tx, place, lock).await?;
        let (Some(head), Some(at)) = (claimed, step.head.due_at) else {
            return Ok(false);
        };
        if head.done.is_some() {
            return Ok(false);
        }
        let claimed = Claimed {
            organization,
            request: id,
            revision: &revision,
            index,
            applier: None,
            override_reason: None,
            now,
        };
        let why = match due(at, now) {
            Due::TooLate => {
                tx.rollback().await?;
                Why::late(at, now)
            }
            Due::Later => return Ok(false),
            Due::Now => match self.apply_claimed(tx, &claimed).await {
                Ok(_) => return Ok(true),
                Err(error) => match Why::of(&error) {
                    Some(why) => why,
                    None => return passed(error),
                },
            },
        };
        let step = (request.revision, &step.head);
        self.stop_request(organization, id, step, why, now).await
    }
}

/// What it means where a step was not applied and the request does not stop: somebody was faster,
/// or the database failed.
fn passed(error: RequestError) -> Result<bool, StoreError> {
    match error {
        RequestError::Apply(ApplyError::Store(error)) => Err(error),
        _ => Ok(false),
    }
}
