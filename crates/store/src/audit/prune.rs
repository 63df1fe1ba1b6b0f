//! Forgetting old entries, as an organization wishes.
//!
//! What is left of them is an anchor: the number of the last one and the chain up to it, signed.
//! The history of what is served is not the audit log's to forget: change sets that moved a version
//! stay as who and when, without their bodies.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use serde_json::json;

use super::{Notary, purpose, seal};
use crate::change_sets::Actor;
use crate::dialect::Lock;
use crate::environments::Act;
use crate::error::StoreError;
use crate::{Store, Tx, image, organizations, row};

/// Entries cannot be kept for less: what happened last month must be there to be looked at.
pub const SHORTEST_DAYS: i64 = 30;

/// Beyond that "for ever" is meant: ten years.
pub const LONGEST_DAYS: i64 = 3_660;

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Entries that are pruned in one transaction.
const AT_ONCE: i64 = 500;

impl Store {
    /// How many days entries are kept; none: for ever.
    pub async fn audit_days(
        &self,
        organization: &Id<Organization>,
    ) -> Result<Option<i64>, StoreError> {
        let found = sqlx::query("SELECT audit_days FROM organizations WHERE id = $1")
            .bind(organization.as_str())
            .fetch_optional(&self.shared.truth.read)
            .await?;
        let found = found.ok_or(StoreError::NotFound("organization"))?;
        Ok(row::optional_millis(&found, 0)?.map(|days| days.0))
    }

    /// Sets how many days entries are kept; none: for ever.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `days` beyond [`SHORTEST_DAYS`] and [`LONGEST_DAYS`].
    pub async fn set_audit_days(
        &self,
        organization: &Id<Organization>,
        days: Option<i64>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        if days.is_some_and(|days| !(SHORTEST_DAYS..=LONGEST_DAYS).contains(&days)) {
            return Err(StoreError::Invalid {
                field: "days",
                code: "range".into(),
                message: format!("must be from {SHORTEST_DAYS} to {LONGEST_DAYS}, or null"),
            });
        }
        let mut tx = self.begin_write().await?;
        let lock = self.shared.dialect.for_update();
        organizations::lock(&mut tx, organization, lock).await?;
        let done = sqlx::query(
            "UPDATE organizations SET audit_days = $1 \
             WHERE id = $2 AND COALESCE(audit_days, 0) <> $3",
        )
        .bind(days)
        .bind(organization.as_str())
        .bind(days.unwrap_or(0))
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(());
        }
        let kept = days.map_or("for ever".to_owned(), |days| format!("for {days} days"));
        let act = Act {
            organization,
            actor,
            project: None,
            kind: "setAuditRetention",
            params: vec![("days", days.map_or(String::new(), |days| days.to_string()))],
            text: format!("audit log: kept {kept}"),
        };
        self.administer(&mut tx, &act, &mut [], now).await?;
        self.end(tx, false).await
    }

    /// Forgets entries of all organizations that are older than they wish. Says how many.
    pub async fn prune_audit(&self, now: Millis, notary: &dyn Notary) -> Result<u64, StoreError> {
        let rows =
            sqlx::query("SELECT id, audit_days FROM organizations WHERE audit_days IS NOT NULL")
                .fetch_all(&self.shared.truth.read)
                .await?;
        let mut pruned = 0;
        for found in &rows {
            let organization = row::id(found, 0)?;
            let before = now.0 - row::number(found, 1)? * DAY;
            loop {
                let done = self.prune(&organization, before, now, notary).await?;
                pruned += done;
                if done < AT_ONCE {
                    break;
                }
            }
        }
        Ok(pruned.unsigned_abs())
    }

    async fn prune(
        &self,
        organization: &Id<Organization>,
        before: i64,
        now: Millis,
        notary: &dyn Notary,
    ) -> Result<i64, StoreError> {
        let mut tx = self.begin_write().await?;
        let first = last_anchor(&mut tx, organization).await?;
        let Some(last) = last_old(&mut tx, organization, first, before).await? else {
            return Ok(0);
        };
        let count = last - first;
        let act = Act {
            organization,
            actor: &Actor::system(),
            project: None,
            kind: "pruneAudit",
            params: vec![("count", count.to_string()), ("upTo", last.to_string())],
            text: format!("audit log: {count} old entries pruned"),
        };
        self.administer(&mut tx, &act, &mut [], now).await?;
        // After the history's own lock, as everywhere.
        self.shared.dialect.lock(&mut tx, Lock::Seal).await?;
        anchor(&mut tx, organization.as_str(), last, now, notary).await?;
        forget(&mut tx, organization.as_str(), last).await?;
        self.end(tx, false).await?;
        Ok(count)
    }
}

/// The number of the last entry that was pruned.
pub(super) async fn last_anchor(
    tx: &mut Tx,
    organization: &Id<Organization>,
) -> Result<i64, StoreError> {
    let found = sqlx::query(
        "SELECT COALESCE(MAX(number), 0) FROM audit_anchors WHERE organization_id = $1",
    )
    .bind(organization.as_str())
    .fetch_one(&mut **tx)
    .await?;
    row::number(&found, 0)
}

/// The last entry to be pruned now: sealed, and neither it nor any before it is young.
async fn last_old(
    tx: &mut Tx,
    organization: &Id<Organization>,
    first: i64,
    before: i64,
) -> Result<Option<i64>, StoreError> {
    let sealed = seal::end(tx, organization.as_str()).await?.number;
    let found = sqlx::query(
        "SELECT MIN(number) FROM change_sets \
         WHERE organization_id = $1 AND number > $2 AND at >= $3",
    )
    .bind(organization.as_str())
    .bind(first)
    .bind(before)
    .fetch_one(&mut **tx)
    .await?;
    let young = row::optional_millis(&found, 0)?.map_or(i64::MAX, |number| number.0);
    let last = (young - 1).min(sealed).min(first + AT_ONCE);
    Ok((last > first).then_some(last))
}

async fn anchor(
    tx: &mut Tx,
    organization: &str,
    number: i64,
    now: Millis,
    notary: &dyn Notary,
) -> Result<(), StoreError> {
    let found =
        sqlx::query("SELECT chain FROM audit_seals WHERE organization_id = $1 AND number = $2")
            .bind(organization)
            .bind(number)
            .fetch_one(&mut **tx)
            .await?;
    let chain = row::hash(&found, 0)?;
    let signature = notary.sign(&purpose("anchor", organization, number), &chain);
    sqlx::query(
        "INSERT INTO audit_anchors (organization_id, number, chain, signature, pruned_at) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(organization)
    .bind(number)
    .bind(chain.to_vec())
    .bind(signature.unwrap_or_default())
    .bind(now.0)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

async fn forget(tx: &mut Tx, organization: &str, last: i64) -> Result<(), StoreError> {
    let answer = json!({"id": "", "versions": {}, "positions": {}, "diff": [], "warnings": []});
    for statement in [
        "DELETE FROM audit_seals WHERE organization_id = $1 AND number <= $2",
        "DELETE FROM change_sets WHERE organization_id = $1 AND number <= $2 \
         AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.organization_id = $1 \
         AND v.change_set_id = change_sets.id)",
    ] {
        sqlx::query(statement)
            .bind(organization)
            .bind(last)
            .execute(&mut **tx)
            .await?;
    }
    sqlx::query(
        "UPDATE change_sets SET comment = '', base = '{}', commands = $1, commands_size = 2, \
         request_digest = $2, result = $3, kinds = '', search = '' \
         WHERE organization_id = $4 AND number <= $5 AND commands_size > 2",
    )
    .bind(image::pack(b"[]")?)
    .bind(vec![0_u8; 32])
    .bind(answer.to_string())
    .bind(organization)
    .bind(last)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
