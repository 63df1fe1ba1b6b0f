//! What was asked for, by whom, and what was answered.
//!
//! Everything that is done is a row here: commands on flags and segments, imports, and the
//! administration (projects, environments, SDK keys, tokens), whose "commands" are of the same form.
//!
//! They are numbered in each organization, in the order in which they took effect: the number is
//! taken under a lock that is held until the commit, after all other locks. The moments that people
//! are shown were taken before; they say when a thing was asked for.

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::people::accounts::Account;
use crate::{audit, digest, image, row};

/// The version of the commands' vocabulary that this program writes.
pub(crate) const VOCABULARY: i16 = 1;

/// Who changes something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    /// What kind of actor.
    pub kind: ActorKind,
    /// The member's or token's id; empty for the operator and the system.
    pub id: String,
    /// The name, as it was at the time.
    pub name: String,
}

/// Kinds of actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ActorKind {
    /// A person who signed in.
    Member,
    /// An access token.
    Token,
    /// Someone at the database, by the command line.
    Operator,
    /// Burgee itself.
    System,
}

impl ActorKind {
    /// The name that it is stored by, as serde writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Token => "token",
            Self::Operator => "operator",
            Self::System => "system",
        }
    }
}

/// Reads an actor from the three columns from `column` on.
pub(crate) fn read_actor(found: &AnyRow, column: usize) -> Result<Actor, StoreError> {
    Ok(Actor {
        kind: row::name(found, column)?,
        id: row::text(found, column + 1)?,
        name: row::text(found, column + 2)?,
    })
}

impl Actor {
    /// Someone at the database, by the command line.
    pub fn operator() -> Self {
        Self {
            kind: ActorKind::Operator,
            id: String::new(),
            name: "operator".to_owned(),
        }
    }

    /// A person.
    pub fn member(account: &Account) -> Self {
        Self {
            kind: ActorKind::Member,
            id: account.id.to_string(),
            name: account.email.clone(),
        }
    }

    /// Burgee itself.
    pub fn system() -> Self {
        Self {
            kind: ActorKind::System,
            id: String::new(),
            name: "system".to_owned(),
        }
    }
}

/// Which change set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference<'a> {
    pub(crate) organization: &'a str,
    pub(crate) id: &'a str,
}

/// A change set to be written.
pub(crate) struct NewChangeSet<'a> {
    pub(crate) organization: &'a Id<Organization>,
    pub(crate) id: &'a str,
    pub(crate) actor: &'a Actor,
    pub(crate) comment: &'a str,
    pub(crate) base: &'a Value,
    pub(crate) commands: &'a str,
    pub(crate) request_digest: [u8; 32],
    pub(crate) result: &'a Value,
    pub(crate) at: Millis,
}

impl NewChangeSet<'_> {
    pub(crate) fn reference(&self) -> Reference<'_> {
        Reference {
            organization: self.organization.as_str(),
            id: self.id,
        }
    }
}

/// The digest by which a repeated request is told from another one under the same id.
pub(crate) fn request_digest(comment: &str, base: &Value, commands: &str) -> [u8; 32] {
    digest::bytes(
        serde_json::json!([comment, base, commands])
            .to_string()
            .as_bytes(),
    )
}

/// Writes a change set; false where its id was used.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    new: &NewChangeSet<'_>,
) -> Result<bool, StoreError> {
    let number = next_number(connection, new.organization).await?;
    let done = sqlx::query(
        "INSERT INTO change_sets (organization_id, id, actor_kind, actor_id, actor_name, comment, \
         base, commands, commands_size, vocabulary, request_digest, result, at, number, kinds, \
         search) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
         ON CONFLICT (organization_id, id) DO NOTHING",
    )
    .bind(new.organization.as_str())
    .bind(new.id)
    .bind(new.actor.kind.as_str())
    .bind(new.actor.id.as_str())
    .bind(new.actor.name.as_str())
    .bind(new.comment)
    .bind(new.base.to_string())
    .bind(image::pack(new.commands.as_bytes())?)
    .bind(new.commands.len() as i64)
    .bind(VOCABULARY)
    .bind(new.request_digest.to_vec())
    .bind(new.result.to_string())
    .bind(new.at.0)
    .bind(number)
    .bind(audit::kinds(new.commands)?)
    .bind(audit::search(new.actor, new.comment, new.result))
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The next number of an organization's history; its lock is held until the transaction ends.
async fn next_number(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<i64, StoreError> {
    let found = sqlx::query(
        "INSERT INTO histories (organization_id, length) VALUES ($1, 1) \
         ON CONFLICT (organization_id) DO UPDATE SET length = histories.length + 1 \
         RETURNING length",
    )
    .bind(organization.as_str())
    .fetch_one(connection)
    .await?;
    row::number(&found, 0)
}

/// Puts a change set that moves no version into a project's history.
pub(crate) async fn is_about(
    connection: &mut AnyConnection,
    change_set: &Reference<'_>,
    project: &Id<Project>,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE change_sets SET project_id = $1 WHERE organization_id = $2 AND id = $3")
        .bind(project.as_str())
        .bind(change_set.organization)
        .bind(change_set.id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Puts a change set that moves no version into an environment's history.
pub(crate) async fn is_about_environment(
    connection: &mut AnyConnection,
    change_set: &Reference<'_>,
    environment: &Id<Environment>,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE change_sets SET environment_id = $1 WHERE organization_id = $2 AND id = $3",
    )
    .bind(environment.as_str())
    .bind(change_set.organization)
    .bind(change_set.id)
    .execute(connection)
    .await?;
    Ok(())
}

/// The answer that a change set got, and the digest of its request.
pub(crate) async fn find_result(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    id: &str,
) -> Result<Option<([u8; 32], Value)>, StoreError> {
    let found = sqlx::query(
        "SELECT request_digest, result FROM change_sets WHERE organization_id = $1 AND id = $2",
    )
    .bind(organization.as_str())
    .bind(id)
    .fetch_optional(connection)
    .await?;
    found
        .map(|found| Ok((row::hash(&found, 0)?, row::json(&found, 1)?)))
        .transpose()
}
