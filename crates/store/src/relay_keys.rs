//! Keys of relays: what a relay may be fed with, all environments of an organization or some.
//!
//! Only a hash is stored, as of access tokens: a key is shown once, when it is made. Whoever has one
//! learns whole flags and the SDK keys of what it is for, so it is given by those alone who may see
//! the secrets of server keys there (`sdkKey.reveal`).
//!
//! What is done to keys is a row of the organization's history, and wakes all nodes: a relay's server
//! asks [`Store::relay_scope`] again then ([`Store::scopes_changed`]).

pub(crate) mod looks;
mod rotate;
mod rows;
mod scope;

use burgee_domain::access::{Kind, Resource};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::relay_key;
use burgee_eval::time::Millis;
use uuid::Uuid;

pub use rotate::{MAX_GRACE, Rotation};
pub use scope::{RelayKeyScope, RelayScope};

use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::page::{Page, PageRequest};
use crate::people::accounts::Account;
use crate::people::record::{Administration, Event};
use crate::sql::Sql;
use crate::{Store, digest, room, text};
use rows::{SELECT, account_of, find, insert, read, update};

/// What it takes.
const CREATE: &str = "relayKey.create";
const UPDATE: &str = "relayKey.update";
const REVOKE: &str = "relayKey.revoke";

/// A key of relays, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayKey {
    /// Unique.
    pub id: Id<RelayKey>,
    /// Whose environments it is for.
    pub organization: Id<Organization>,
    /// The display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// The first characters of its secret.
    pub prefix: String,
    /// Which environments it is for.
    pub scope: RelayKeyScope,
    /// When it was made.
    pub created_at: Millis,
    /// The account that made it, itself or by a token; none where the operator did, or where that is
    /// not known.
    pub created_by: Option<Id<Account>>,
    /// When its secret was last replaced.
    pub rotated_at: Option<Millis>,
    /// When the secret before that one ends; none where it has ended, or there was none.
    pub previous_ends_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
}

/// A key to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRelayKey {
    /// Whose environments it is for.
    pub organization: Id<Organization>,
    /// The display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// Which environments it is for.
    pub scope: RelayKeyScope,
}

/// What is to be another; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelayKeyEdit {
    /// The display name.
    pub name: Option<String>,
    /// A text for people.
    pub description: Option<String>,
    /// Which environments it is for.
    pub scope: Option<RelayKeyScope>,
}

impl Store {
    /// An organization's relay keys, oldest first, revoked ones too.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `cursor`.
    pub async fn relay_keys(
        &self,
        organization: &Id<Organization>,
        page: &PageRequest,
    ) -> Result<Page<RelayKey>, StoreError> {
        let mut tx = self.begin_read().await?;
        let mut sql = Sql::new(SELECT);
        sql.push(" WHERE organization_id = ")
            .bind(organization.as_str());
        if let Some(after) = &page.cursor {
            let after = Uuid::parse_str(after).map_err(|_| crate::page::bad_cursor())?;
            sql.push(" AND id > ").bind(after.to_string());
        }
        // Their ids tell the order in which they were made.
        sql.push(" ORDER BY id LIMIT ").bind(page.size() + 1);
        let rows = sql.query()?.fetch_all(&mut *tx).await?;
        let keys: Result<Vec<RelayKey>, StoreError> = rows.iter().map(read).collect();
        let mut keys = Page::cut(keys?, page.size(), |key| key.id.to_string());
        scope::fill(&mut tx, &mut keys.items).await?;
        tx.rollback().await?;
        Ok(keys)
    }

    /// One of an organization's relay keys.
    pub async fn relay_key(
        &self,
        organization: &Id<Organization>,
        id: &Id<RelayKey>,
    ) -> Result<RelayKey, StoreError> {
        let mut tx = self.begin_read().await?;
        let key = find(&mut tx, organization, id).await?;
        tx.rollback().await?;
        Ok(key)
    }

    /// Makes a key, and gives its secret, which cannot be had again.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `name`, `description` or `environments`; [`StoreError::Denied`],
    /// also where its author may not see the secrets of server keys in all of its scope;
    /// [`StoreError::Refused`] where there are
    /// [`MAX_RELAY_KEYS`](burgee_domain::limits::MAX_RELAY_KEYS).
    pub async fn create_relay_key(
        &self,
        new: &NewRelayKey,
        actor: &Actor,
        now: Millis,
    ) -> Result<(RelayKey, String), StoreError> {
        let secret = new_secret();
        let mut key = RelayKey {
            id: Id::new(Uuid::now_v7().to_string()),
            organization: new.organization.clone(),
            name: text::name(&new.name)?,
            description: text::description(&new.description)?,
            prefix: shown(&secret),
            scope: new.scope.checked()?,
            created_at: now,
            created_by: None,
            rotated_at: None,
            previous_ends_at: None,
            revoked_at: None,
        };
        let mut at = self.administration(&new.organization, actor, now).await?;
        at.may(CREATE, resource("*"))?;
        let named = scope::named(&mut at, &key.scope).await?;
        scope::may_reveal(&at, &key.scope, &named)?;
        key.created_by = account_of(&mut at.tx, actor).await?;
        insert(&mut at.tx, &key, &secret).await?;
        scope::write(&mut at.tx, &key).await?;
        room::RELAY_KEYS
            .holds(&mut at.tx, &[new.organization.as_str()])
            .await?;
        let event = about(&key, ("createRelayKey", "made"), &scope::words(&named));
        done(at, event).await?;
        Ok((key, secret))
    }

    /// Changes a key's name, description and scope.
    ///
    /// # Errors
    /// As of [`Store::create_relay_key`], of what is new in the scope; [`StoreError::Refused`] of
    /// one that is revoked.
    pub async fn update_relay_key(
        &self,
        organization: &Id<Organization>,
        id: &Id<RelayKey>,
        edit: &RelayKeyEdit,
        actor: &Actor,
        now: Millis,
    ) -> Result<RelayKey, StoreError> {
        let mut at = self.administration(organization, actor, now).await?;
        at.may(UPDATE, resource(id.as_str()))?;
        let before = find(&mut at.tx, organization, id).await?;
        must_work(&before)?;
        let after = edit.apply(&before)?;
        let named = scope::named(&mut at, &after.scope).await?;
        scope::may_widen(&at, &before.scope, &after.scope, &named)?;
        if after == before {
            return Ok(after);
        }
        update(&mut at.tx, &after).await?;
        scope::write(&mut at.tx, &after).await?;
        let event = about(&after, ("updateRelayKey", "changed"), &scope::words(&named));
        done(at, event).await?;
        Ok(after)
    }

    /// Revokes a key; a revoked one stays as it is.
    pub async fn revoke_relay_key(
        &self,
        organization: &Id<Organization>,
        id: &Id<RelayKey>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut at = self.administration(organization, actor, now).await?;
        at.may(REVOKE, resource(id.as_str()))?;
        let key = find(&mut at.tx, organization, id).await?;
        if key.revoked_at.is_some() {
            return Ok(());
        }
        sqlx::query("UPDATE relay_keys SET revoked_at = $1 WHERE id = $2")
            .bind(now.0)
            .bind(id.as_str())
            .execute(&mut *at.tx)
            .await?;
        let named = scope::named(&mut at, &key.scope).await?;
        let event = about(&key, ("revokeRelayKey", "revoked"), &scope::words(&named));
        done(at, event).await
    }
}

impl RelayKeyEdit {
    fn apply(&self, before: &RelayKey) -> Result<RelayKey, StoreError> {
        let mut after = before.clone();
        if let Some(name) = &self.name {
            after.name = text::name(name)?;
        }
        if let Some(description) = &self.description {
            after.description = text::description(description)?;
        }
        if let Some(scope) = &self.scope {
            after.scope = scope.checked()?;
        }
        Ok(after)
    }
}

/// What policies name: a key by its id, all of them by `*`.
pub(crate) fn resource(id: &str) -> Resource {
    Resource::new(Kind::RelayKey, id)
}

/// 256 random bits, of the 366 of three UUIDs.
fn new_secret() -> String {
    let random = [(); 3].map(|()| Uuid::new_v4().into_bytes());
    relay_key::make(digest::bytes(&random.concat()))
}

fn shown(secret: &str) -> String {
    secret.chars().take(relay_key::SHOWN).collect()
}

/// Refuses what cannot be done to a revoked key.
fn must_work(key: &RelayKey) -> Result<(), StoreError> {
    match key.revoked_at {
        None => Ok(()),
        Some(_) => Err(StoreError::refused(
            "",
            "keyRevoked",
            "this key is revoked; make another one",
        )),
    }
}

/// Something that is done with a key, which is for the environments that `scope` tells.
fn about(key: &RelayKey, (kind, done): (&'static str, &str), scope: &str) -> Event {
    Event {
        kind,
        text: format!("relay key \"{}\" {done}, environments: {scope}", key.name),
        params: vec![
            ("relayKey", key.id.to_string()),
            ("name", key.name.clone()),
            ("environments", scope.to_owned()),
        ],
    }
}

/// Writes it into the history, and commits. Other nodes are told at once: a relay there must not be
/// fed for a moment longer with what its key is not for.
async fn done(mut at: Administration<'_>, event: Event) -> Result<(), StoreError> {
    let dialect = at.store.dialect();
    dialect.notify(&mut at.tx, at.organization.as_str()).await?;
    looks::count(&mut at.tx, at.organization).await?;
    at.done(event).await
}
