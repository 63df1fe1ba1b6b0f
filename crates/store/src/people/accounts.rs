//! Accounts: who can sign in.

use burgee_domain::id::Id;
use burgee_domain::people::Email;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use uuid::Uuid;

use super::links;
use super::own::Own;
use super::sessions::{self, Session};
use crate::change_sets::Actor;
use crate::error::{StoreError, unique};
use crate::first_start::OWNER_EMAIL;
use crate::{Store, row, text};

/// A person who signs in.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// Unique.
    pub id: Id<Account>,
    /// Unique without regard to case.
    pub email: String,
    /// The display name.
    pub name: String,
    /// Argon2id in PHC form; none where there is no signing in by password.
    pub password: Option<String>,
    /// Whether somebody else knows the password: it must be changed before anything else is done.
    pub password_temporary: bool,
    /// The sealed seed of the second factor, where there is one.
    pub second_factor: Option<Vec<u8>>,
    /// When it was made.
    pub created_at: Millis,
    /// When it was last used in a session, to about a minute.
    pub seen_at: Option<Millis>,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

pub(super) const COLUMNS: &str = "accounts.id, accounts.email, accounts.name, accounts.password, \
                                  accounts.password_temporary, accounts.second_factor, \
                                  accounts.created_at, accounts.seen_at";

/// How many columns [`COLUMNS`] are.
pub(super) const WIDTH: usize = 8;

pub(super) fn read(found: &AnyRow) -> Result<Account, StoreError> {
    Ok(Account {
        id: row::id(found, 0)?,
        email: row::text(found, 1)?,
        name: row::text(found, 2)?,
        password: row::optional_text(found, 3)?,
        password_temporary: row::boolean(found, 4)?,
        second_factor: row::optional_blob(found, 5)?,
        created_at: row::millis(found, 6)?,
        seen_at: row::optional_millis(found, 7)?,
    })
}

/// A password as it is stored.
#[derive(Clone, Copy)]
pub struct NewPassword<'a> {
    /// Argon2id in PHC form.
    pub hash: &'a str,
    /// Whether somebody else knows it.
    pub temporary: bool,
}

impl Store {
    /// The account of an address, whatever its case.
    pub async fn account_by_email(&self, email: &Email) -> Result<Option<Account>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        of_email(&mut connection, email).await
    }

    /// The account of an id.
    pub async fn account(&self, id: &Id<Account>) -> Result<Account, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let found = find(&mut connection, "id", id.as_str()).await?;
        found.ok_or(StoreError::NotFound("account"))
    }

    /// Gives the owner that the first start made a password, if nobody has one yet. Says whether it
    /// did: of several processes one does.
    pub async fn first_password(&self, hash: &str) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "UPDATE accounts SET password = $1, password_temporary = 1 \
             WHERE email_folded = $2 AND password IS NULL \
             AND NOT EXISTS (SELECT 1 FROM accounts WHERE password IS NOT NULL)",
        )
        .bind(hash)
        .bind(OWNER_EMAIL)
        .execute(&self.shared.truth.write)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Whether anybody can sign in by password.
    pub async fn has_password(&self) -> Result<bool, StoreError> {
        let found = sqlx::query("SELECT 1 FROM accounts WHERE password IS NOT NULL LIMIT 1")
            .fetch_optional(&self.shared.truth.read)
            .await?;
        Ok(found.is_some())
    }

    /// Changes a display name.
    pub async fn rename_account(
        &self,
        id: &Id<Account>,
        name: &str,
        now: Millis,
    ) -> Result<(), StoreError> {
        let name = text::name(name)?;
        let mut tx = self.begin_write().await?;
        let done = sqlx::query("UPDATE accounts SET name = $1 WHERE id = $2")
            .bind(name.as_str())
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound("account"));
        }
        let own = Own::new("renameAccount", "changed their name").with("name", name);
        self.record_own(&mut tx, id, None, own, now).await?;
        self.end(tx, false).await
    }

    /// Sets a password, and ends all sessions of the account but `keep`: whoever had the old one
    /// is out. Gives the new text of that session. `actor` is who does it, where that is not the
    /// account itself.
    pub async fn set_password(
        &self,
        id: &Id<Account>,
        password: NewPassword<'_>,
        keep: Option<&Id<Session>>,
        actor: Option<&Actor>,
        now: Millis,
    ) -> Result<Option<String>, StoreError> {
        let mut tx = self.begin_write().await?;
        write_password(&mut tx, id, password).await?;
        links::delete_of_account(&mut tx, id).await?;
        let text = sessions::end_others(&mut tx, id, keep, now).await?;
        let own = Own::new("changePassword", "has another password");
        self.record_own(&mut tx, id, actor, own, now).await?;
        self.end(tx, false).await?;
        Ok(text)
    }
}

pub(super) async fn write_password(
    connection: &mut AnyConnection,
    id: &Id<Account>,
    password: NewPassword<'_>,
) -> Result<(), StoreError> {
    let done =
        sqlx::query("UPDATE accounts SET password = $1, password_temporary = $2 WHERE id = $3")
            .bind(password.hash)
            .bind(i16::from(password.temporary))
            .bind(id.as_str())
            .execute(connection)
            .await?;
    match done.rows_affected() {
        0 => Err(StoreError::NotFound("account")),
        _ => Ok(()),
    }
}

pub(super) async fn find(
    connection: &mut AnyConnection,
    column: &str,
    value: &str,
) -> Result<Option<Account>, StoreError> {
    let text = format!("SELECT {COLUMNS} FROM accounts WHERE {column} = $1");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(value)
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

/// The account of an address, whatever its case.
pub(super) async fn of_email(
    connection: &mut AnyConnection,
    email: &Email,
) -> Result<Option<Account>, StoreError> {
    find(connection, "email_folded", &email.folded()).await
}

/// The account of an address, made where there is none. Says whether it was made.
pub(crate) async fn find_or_insert(
    connection: &mut AnyConnection,
    email: &Email,
    name: &str,
    now: Millis,
) -> Result<(Account, bool), StoreError> {
    if let Some(account) = of_email(connection, email).await? {
        return Ok((account, false));
    }
    let account = insert(connection, email, name, now).await?;
    Ok((account, true))
}

/// Makes an account, without a password.
pub(super) async fn insert(
    connection: &mut AnyConnection,
    email: &Email,
    name: &str,
    now: Millis,
) -> Result<Account, StoreError> {
    let account = Account {
        id: Id::new(Uuid::now_v7().to_string()),
        email: email.as_str().to_owned(),
        name: text::name(name)?,
        password: None,
        password_temporary: false,
        second_factor: None,
        created_at: now,
        seen_at: None,
    };
    sqlx::query(
        "INSERT INTO accounts (id, email, email_folded, name, password_temporary, created_at) \
         VALUES ($1, $2, $3, $4, 0, $5)",
    )
    .bind(account.id.as_str())
    .bind(account.email.as_str())
    .bind(email.folded())
    .bind(account.name.as_str())
    .bind(now.0)
    .execute(connection)
    .await
    .map_err(unique("email", "an account with this address exists"))?;
    Ok(account)
}
