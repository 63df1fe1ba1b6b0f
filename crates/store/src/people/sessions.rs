//! Sessions of people who signed in.
//!
//! A session's text is random and stored as a hash. It is changed once a day of use (the old text
//! works for a minute longer, for requests that are on their way), and at once with the password and
//! the second factor. A session ends when it was not used for a week, and after thirty days in any
//! case.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use uuid::Uuid;

use super::accounts::{self, Account};
use super::own::Own;
use crate::error::StoreError;
use crate::{Store, digest, row, text, used};

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// How long a session lives unused, in ms.
pub const IDLE: i64 = 7 * DAY;

/// How long a session lives, in ms.
pub const LONGEST: i64 = 30 * DAY;

/// After how long of use its text is changed, in ms.
const ROTATED_EVERY: i64 = DAY;

/// How long the text before works after that, in ms.
const OLD_TEXT: i64 = 60_000;

/// What a session's text begins with.
const PREFIX: &str = "bgs_";

/// Records a use.
const USED: &str = "UPDATE sessions SET used_at = $1 WHERE id = $2 AND used_at < $1";

/// Records that somebody is here.
const SEEN: &str =
    "UPDATE accounts SET seen_at = $1 WHERE id = $2 AND (seen_at IS NULL OR seen_at < $1)";

/// The longest description of a browser that is kept, in characters.
const MAX_AGENT: usize = 256;

/// A session, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Unique.
    pub id: Id<Session>,
    /// Whose it is.
    pub account: Id<Account>,
    /// When the person signed in.
    pub created_at: Millis,
    /// When it was last used, to about a minute.
    pub used_at: Millis,
    /// When its text was last changed.
    pub rotated_at: Millis,
    /// From where it was begun.
    pub address: String,
    /// By which browser.
    pub agent: String,
    /// Whether a second factor was shown.
    pub second_factor: bool,
    /// The organization whose provider opened it: it is good there alone. None: it began with a
    /// password.
    pub organization: Option<Id<Organization>>,
}

/// A session that lives, with whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alive {
    /// The session.
    pub session: Session,
    /// Whose it is.
    pub account: Account,
    /// Its new text, where the old one was due for a change.
    pub new_text: Option<String>,
}

const COLUMNS: &str = "sessions.id, sessions.account_id, sessions.created_at, sessions.used_at, \
                       sessions.rotated_at, sessions.address, sessions.agent, \
                       sessions.second_factor, sessions.organization_id";

/// Reads a session whose columns begin at `from`.
fn read(found: &AnyRow, from: usize) -> Result<Session, StoreError> {
    Ok(Session {
        id: row::id(found, from)?,
        account: row::id(found, from + 1)?,
        created_at: row::millis(found, from + 2)?,
        used_at: row::millis(found, from + 3)?,
        rotated_at: row::millis(found, from + 4)?,
        address: row::text(found, from + 5)?,
        agent: row::text(found, from + 6)?,
        second_factor: row::boolean(found, from + 7)?,
        organization: row::optional_id(found, from + 8)?,
    })
}

/// From where and by what somebody signs in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The address of the peer.
    pub address: String,
    /// What the browser says it is.
    pub agent: String,
}

impl Seen {
    /// As it is kept: without control characters, and not of any length.
    pub(super) fn kept(&self) -> Self {
        Self {
            address: kept(&self.address),
            agent: kept(&self.agent),
        }
    }
}

/// How a session is ended by its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// They signed out in it.
    SignOut,
    /// They ended it from another one.
    FromElsewhere,
}

impl Store {
    /// Begins a session, and gives the text that names it. None: the account is no longer as it was
    /// when its password was checked (another password, a second factor).
    pub async fn begin_session(
        &self,
        checked: &Account,
        seen: &Seen,
        second_factor: bool,
        now: Millis,
    ) -> Result<Option<(Session, String)>, StoreError> {
        let session = new(&checked.id, seen, second_factor, now);
        let text = text::secret(PREFIX);
        let mut tx = self.begin_write().await?;
        let begun = sqlx::query(
            "INSERT INTO sessions (id, account_id, hash, created_at, used_at, rotated_at, \
             address, agent, second_factor) \
             SELECT CAST($1 AS TEXT), id, $2, $3, $3, $3, CAST($4 AS TEXT), CAST($5 AS TEXT), \
             CAST($6 AS SMALLINT) FROM accounts \
             WHERE id = $7 AND password = $8 AND (second_factor IS NULL) = ($9 = 1)",
        )
        .bind(session.id.as_str())
        .bind(digest::bytes(text.as_bytes()).to_vec())
        .bind(now.0)
        .bind(session.address.as_str())
        .bind(session.agent.as_str())
        .bind(i16::from(second_factor))
        .bind(session.account.as_str())
        .bind(checked.password.as_deref().unwrap_or_default())
        .bind(i64::from(checked.second_factor.is_none()))
        .execute(&mut *tx)
        .await?;
        if begun.rows_affected() == 0 {
            return Ok(None);
        }
        let own = Own::new("signIn", "signed in")
            .with("address", session.address.as_str())
            .with("agent", session.agent.as_str())
            .with("secondFactor", second_factor.to_string());
        self.record_own(&mut tx, &session.account, None, own, now)
            .await?;
        self.end(tx, false).await?;
        Ok(Some((session, text)))
    }

    /// The session of a text with its account, if it is alive at `now`. Records its use, to about a
    /// minute; where the text is due for a change, gives the new one too.
    pub async fn find_session(&self, text: &str, now: Millis) -> Result<Option<Alive>, StoreError> {
        let query = format!(
            "SELECT {}, {COLUMNS} FROM sessions \
             JOIN accounts ON accounts.id = sessions.account_id \
             WHERE (hash = $1 OR (previous_hash = $1 AND rotated_at > $2)) \
             AND used_at > $3 AND sessions.created_at > $4",
            accounts::COLUMNS
        );
        let found = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(digest::bytes(text.as_bytes()).to_vec())
            .bind(now.0 - OLD_TEXT)
            .bind(now.0 - IDLE)
            .bind(now.0 - LONGEST)
            .fetch_optional(&self.shared.truth.read)
            .await?;
        let Some(found) = found else {
            return Ok(None);
        };
        let (account, session) = (accounts::read(&found)?, read(&found, accounts::WIDTH)?);
        let new_text = match session.rotated_at.0 <= now.0 - ROTATED_EVERY {
            true => self.rotate_session(&session, text, now).await?,
            false => None,
        };
        let first = session.used_at == session.created_at && now > session.used_at;
        if first || used::is_news(Some(session.used_at), now) {
            let writer = &self.shared.truth.write;
            used::record(writer, USED, session.id.as_str(), now);
            used::record(writer, SEEN, account.id.as_str(), now);
        }
        Ok(Some(Alive {
            session,
            account,
            new_text,
        }))
    }

    /// Gives a session a new text. None where another request was first.
    async fn rotate_session(
        &self,
        session: &Session,
        text: &str,
        now: Millis,
    ) -> Result<Option<String>, StoreError> {
        let new = text::secret(PREFIX);
        let done = sqlx::query(
            "UPDATE sessions SET previous_hash = hash, hash = $1, rotated_at = $2 \
             WHERE id = $3 AND hash = $4",
        )
        .bind(digest::bytes(new.as_bytes()).to_vec())
        .bind(now.0)
        .bind(session.id.as_str())
        .bind(digest::bytes(text.as_bytes()).to_vec())
        .execute(&self.shared.truth.write)
        .await?;
        Ok((done.rows_affected() == 1).then_some(new))
    }

    /// Whether a session is alive at `now`. Unlike [`Store::find_session`] this is no use of it.
    pub async fn session_stands(&self, id: &Id<Session>, now: Millis) -> Result<bool, StoreError> {
        let found = sqlx::query(
            "SELECT 1 FROM sessions WHERE id = $1 AND used_at > $2 AND created_at > $3",
        )
        .bind(id.as_str())
        .bind(now.0 - IDLE)
        .bind(now.0 - LONGEST)
        .fetch_optional(&self.shared.truth.read)
        .await?;
        Ok(found.is_some())
    }

    /// An account's living sessions, the last used first.
    pub async fn sessions(
        &self,
        account: &Id<Account>,
        now: Millis,
    ) -> Result<Vec<Session>, StoreError> {
        let query = format!(
            "SELECT {COLUMNS} FROM sessions \
             WHERE account_id = $1 AND used_at > $2 AND created_at > $3 \
             ORDER BY used_at DESC, id DESC"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(account.as_str())
            .bind(now.0 - IDLE)
            .bind(now.0 - LONGEST)
            .fetch_all(&self.shared.truth.read)
            .await?;
        rows.iter().map(|found| read(found, 0)).collect()
    }

    /// Ends a session of an account.
    pub async fn end_session(
        &self,
        account: &Id<Account>,
        id: &Id<Session>,
        how: Ending,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        let done = sqlx::query("DELETE FROM sessions WHERE id = $1 AND account_id = $2")
            .bind(id.as_str())
            .bind(account.as_str())
            .execute(&mut *tx)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound("session"));
        }
        let own = match how {
            Ending::SignOut => Own::new("signOut", "signed out"),
            Ending::FromElsewhere => Own::new("endSession", "ended a session of theirs"),
        };
        self.record_own(&mut tx, account, None, own, now).await?;
        self.end(tx, false).await
    }

    /// Deletes sessions that have ended by themselves.
    pub async fn sweep_sessions(&self, now: Millis) -> Result<u64, StoreError> {
        let done = sqlx::query("DELETE FROM sessions WHERE used_at <= $1 OR created_at <= $2")
            .bind(now.0 - IDLE)
            .bind(now.0 - LONGEST)
            .execute(&self.shared.truth.write)
            .await?;
        Ok(done.rows_affected())
    }
}

/// A session that begins now.
fn new(account: &Id<Account>, seen: &Seen, second_factor: bool, now: Millis) -> Session {
    Session {
        id: Id::new(Uuid::now_v7().to_string()),
        account: account.clone(),
        created_at: now,
        used_at: now,
        rotated_at: now,
        address: kept(&seen.address),
        agent: kept(&seen.agent),
        second_factor,
        organization: None,
    }
}

/// Begins a session that an organization's provider opens, and gives its text.
pub(super) async fn insert_of(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    account: &Id<Account>,
    seen: &Seen,
    now: Millis,
) -> Result<String, StoreError> {
    let session = new(account, seen, false, now);
    let text = text::secret(PREFIX);
    sqlx::query(
        "INSERT INTO sessions (id, account_id, hash, created_at, used_at, rotated_at, \
         address, agent, second_factor, organization_id) \
         VALUES ($1, $2, $3, $4, $4, $4, $5, $6, 0, $7)",
    )
    .bind(session.id.as_str())
    .bind(account.as_str())
    .bind(digest::bytes(text.as_bytes()).to_vec())
    .bind(now.0)
    .bind(session.address)
    .bind(session.agent)
    .bind(organization.as_str())
    .execute(connection)
    .await?;
    Ok(text)
}

/// Ends all sessions that an organization's provider opened, or those of one account.
pub(super) async fn end_of(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    account: Option<&Id<Account>>,
) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM sessions WHERE organization_id = $1 AND (CAST($2 AS TEXT) IS NULL \
         OR account_id = $2)",
    )
    .bind(organization.as_str())
    .bind(account.map(Id::as_str))
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends all sessions of an account but `keep`, and gives that one a new text, which is the answer:
/// a copy of the old one, which may be why they end, is worth nothing. None: there is none to keep.
pub(super) async fn end_others(
    connection: &mut AnyConnection,
    account: &Id<Account>,
    keep: Option<&Id<Session>>,
    now: Millis,
) -> Result<Option<String>, StoreError> {
    let kept = keep.map_or("", Id::as_str);
    sqlx::query("DELETE FROM sessions WHERE account_id = $1 AND id <> $2")
        .bind(account.as_str())
        .bind(kept)
        .execute(&mut *connection)
        .await?;
    let text = text::secret(PREFIX);
    let done = sqlx::query(
        "UPDATE sessions SET hash = $1, previous_hash = NULL, rotated_at = $2 \
         WHERE account_id = $3 AND id = $4",
    )
    .bind(digest::bytes(text.as_bytes()).to_vec())
    .bind(now.0)
    .bind(account.as_str())
    .bind(kept)
    .execute(connection)
    .await?;
    Ok((done.rows_affected() == 1).then_some(text))
}

/// What a peer says of itself, as it is kept.
fn kept(text: &str) -> String {
    let plain = text.chars().filter(|it| !it.is_control());
    plain.take(MAX_AGENT).collect()
}
