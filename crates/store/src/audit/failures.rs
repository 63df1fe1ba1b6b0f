//! Failed attempts to sign in, as entries of the log: only so many of an account in an hour, so that
//! nobody who guesses passwords fills the disk. How many were left out is said by the next.

use burgee_domain::id::Id;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use crate::error::StoreError;
use crate::people::accounts::Account;
use crate::row;

/// So many of an account are written within an hour.
const WRITTEN: i64 = 10;

const HOUR: i64 = 60 * 60 * 1_000;

/// Counts a failure. Whether it is to be written, and how many before it were left out.
pub(crate) async fn count(
    connection: &mut AnyConnection,
    account: &Id<Account>,
    now: Millis,
) -> Result<Option<i64>, StoreError> {
    let found = sqlx::query(
        "INSERT INTO sign_in_failures (account_id, since, written, left_out) \
         VALUES ($1, $2, 0, 0) ON CONFLICT (account_id) DO UPDATE \
         SET account_id = $1 RETURNING since, written, left_out",
    )
    .bind(account.as_str())
    .bind(now.0)
    .fetch_one(&mut *connection)
    .await?;
    let (since, written) = (row::number(&found, 0)?, row::number(&found, 1)?);
    let left_out = row::number(&found, 2)?;
    let is_over = now.0 - since >= HOUR || now.0 < since;
    let (since, written) = if is_over {
        (now.0, 0)
    } else {
        (since, written)
    };
    let writes = written < WRITTEN;
    sqlx::query(
        "UPDATE sign_in_failures SET since = $1, written = $2, left_out = $3 \
         WHERE account_id = $4",
    )
    .bind(since)
    .bind(written + i64::from(writes))
    .bind(if writes { 0 } else { left_out + 1 })
    .bind(account.as_str())
    .execute(connection)
    .await?;
    Ok(writes.then_some(left_out))
}
