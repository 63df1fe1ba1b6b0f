//! Extending the chain over what was done meanwhile.

use burgee_domain::audit::{self, Link};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::entry::{COLUMNS, Entry};
use super::{Notary, purpose};
use crate::dialect::{Dialect, Lock};
use crate::error::StoreError;
use crate::sql::Sql;
use crate::{Store, row};

/// Entries that are sealed in one transaction: each may have megabytes.
const AT_ONCE: i64 = 50;

/// Where a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) number: i64,
    pub(super) chain: Link,
}

impl Store {
    /// Seals what was done since the last time, of all organizations. Says how many entries.
    ///
    /// Numbers are given out under a lock that is held until the commit, so whatever has a number
    /// up to a history's length is there: no entry comes in between later.
    pub async fn seal_audit(&self, notary: &dyn Notary) -> Result<u64, StoreError> {
        let rows = sqlx::query(
            "SELECT h.organization_id FROM histories h \
             LEFT JOIN audit_heads a ON a.organization_id = h.organization_id \
             WHERE h.length > COALESCE(a.number, 0)",
        )
        .fetch_all(&self.shared.truth.read)
        .await?;
        let mut sealed = 0;
        for found in rows {
            let organization = row::text(&found, 0)?;
            loop {
                let mut tx = self.begin_write().await?;
                let dialect = self.shared.dialect;
                let done = seal(&mut tx, dialect, &organization, i64::MAX, notary).await?;
                // Not a change: nobody waits to be told.
                tx.commit().await?;
                sealed += done;
                if done < AT_ONCE.unsigned_abs() {
                    break;
                }
            }
        }
        Ok(sealed)
    }
}

/// Seals the next entries of an organization, some of those up to `last`. The end is signed by who
/// seals, in the same transaction: one without a signature is one that lost it, where there is a key.
pub(super) async fn seal(
    connection: &mut AnyConnection,
    dialect: Dialect,
    organization: &str,
    last: i64,
    notary: &dyn Notary,
) -> Result<u64, StoreError> {
    dialect.lock(connection, Lock::Seal).await?;
    let mut end = end(connection, organization).await?;
    let mut sql = Sql::new("SELECT ");
    sql.push(COLUMNS)
        .push(" FROM change_sets c WHERE c.organization_id = ");
    sql.bind(organization)
        .push(" AND c.number > ")
        .bind(end.number);
    sql.push(" AND c.number <= ").bind(last);
    sql.push(" ORDER BY c.number LIMIT ").bind(AT_ONCE);
    let rows = sql.query()?.fetch_all(&mut *connection).await?;
    for found in &rows {
        let entry = Entry::read(found)?;
        if entry.number != end.number + 1 {
            return Err(StoreError::corrupt(
                "an entry of the audit log is missing before it was sealed",
            ));
        }
        end = append(connection, organization, end, &entry).await?;
    }
    if !rows.is_empty() {
        let purpose = purpose("head", organization, end.number);
        let signature = notary.sign(&purpose, &end.chain);
        write_end(connection, organization, end, signature.unwrap_or_default()).await?;
    }
    Ok(rows.len() as u64)
}

async fn append(
    connection: &mut AnyConnection,
    organization: &str,
    end: End,
    entry: &Entry,
) -> Result<End, StoreError> {
    let salt = Uuid::new_v4().into_bytes();
    let body = entry.body_digest(&salt);
    let chain = entry.link(end.chain, body);
    sqlx::query(
        "INSERT INTO audit_seals \
         (organization_id, number, change_set_id, salt, body_digest, chain) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(organization)
    .bind(entry.number)
    .bind(entry.id.as_str())
    .bind(salt.to_vec())
    .bind(body.to_vec())
    .bind(chain.to_vec())
    .execute(connection)
    .await?;
    Ok(End {
        number: entry.number,
        chain,
    })
}

/// Where an organization's chain ends.
pub(super) async fn end(
    connection: &mut AnyConnection,
    organization: &str,
) -> Result<End, StoreError> {
    let found = sqlx::query("SELECT number, chain FROM audit_heads WHERE organization_id = $1")
        .bind(organization)
        .fetch_optional(connection)
        .await?;
    match found {
        Some(found) => Ok(End {
            number: row::number(&found, 0)?,
            chain: row::hash(&found, 1)?,
        }),
        None => Ok(End {
            number: 0,
            chain: audit::origin(organization),
        }),
    }
}

async fn write_end(
    connection: &mut AnyConnection,
    organization: &str,
    end: End,
    signature: Vec<u8>,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO audit_heads (organization_id, number, chain, signature) \
         VALUES ($1, $2, $3, $4) ON CONFLICT (organization_id) DO UPDATE \
         SET number = $2, chain = $3, signature = $4",
    )
    .bind(organization)
    .bind(end.number)
    .bind(end.chain.to_vec())
    .bind(signature)
    .execute(connection)
    .await?;
    Ok(())
}
