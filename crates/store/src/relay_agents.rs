//! Relays that were seen: what each said of itself last, and whether it is connected.
//!
//! This is traffic, not truth: it is written every few seconds, lies beside the counts, and is
//! forgotten some time after a relay was last seen. A server that dies says no goodbye for its relays,
//! so one that is silent counts as gone ([`RelayAgent::is_connected_at`]).

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization};
use burgee_domain::position::Position;
use burgee_eval::time::Millis;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, AnyConnection};

use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::page::{Page, PageRequest};
use crate::people::record::Event;
use crate::relay_keys::{RelayKey, resource};
use crate::sql::Sql;
use crate::{Store, room, row, text};

/// From so many ms of silence on a relay counts as gone: it is noted about every ten seconds.
const SILENT: i64 = 60_000;

/// How long a relay is remembered after it was last seen, in ms: 30 days.
const KEEP: i64 = 30 * 24 * 60 * 60 * 1_000;

/// The longest id of a relay, in bytes.
const MAX_ID: usize = 128;

/// What a relay says of itself is kept up to so many characters.
const MAX_TEXT: usize = 256;

/// Where a relay stands in an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentPosition {
    /// Which environment.
    pub environment: Id<Environment>,
    /// What it serves there.
    pub position: Position,
}

/// What a relay is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelayKind {
    /// `burgee relay`.
    Burgee,
    /// An agent of FeatBit's.
    FeatBit,
}

impl RelayKind {
    fn name(self) -> &'static str {
        match self {
            Self::Burgee => "burgee",
            Self::FeatBit => "featbit",
        }
    }

    fn named(name: &str) -> Result<Self, StoreError> {
        let all = [Self::Burgee, Self::FeatBit].into_iter();
        let mut these = all.filter(|it| it.name() == name);
        these
            .next()
            .ok_or_else(|| StoreError::corrupt("relay kind"))
    }
}

/// A relay that is connected, as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSeen {
    /// The id that it made for itself, 1 to 128 bytes; the same for as long as it lives.
    pub agent: String,
    /// The key that it came with ([`RelayScope::key`](crate::RelayScope)).
    pub key: Id<RelayKey>,
    /// The key of who says so: its own, or that of the relay that it hangs on.
    pub told_by: Id<RelayKey>,
    /// Whose keys those are.
    pub organization: Id<Organization>,
    /// What it calls itself, or its host. Long texts are cut, here and below.
    pub name: String,
    /// The version of its program; empty where it does not say.
    pub version: String,
    /// What it is.
    pub kind: RelayKind,
    /// From where it is connected.
    pub address: String,
    /// The server that it hangs on.
    pub node: String,
    /// How many SDKs are connected to it.
    pub connections: i64,
    /// What it serves.
    pub environments: Vec<AgentPosition>,
    /// Since when it is connected.
    pub connected_at: Millis,
    /// Now.
    pub at: Millis,
}

impl AgentSeen {
    /// The connection that it was seen by.
    pub fn connection(&self) -> AgentConnection {
        AgentConnection {
            agent: self.agent.clone(),
            organization: self.organization.clone(),
            node: self.node.clone(),
            connected_at: self.connected_at,
        }
    }
}

/// A relay's connection: one that comes later is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentConnection {
    /// The relay.
    pub agent: String,
    /// Whose it is.
    pub organization: Id<Organization>,
    /// The server that it hangs on.
    pub node: String,
    /// Since when.
    pub connected_at: Millis,
}

/// A relay, as it was when it was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayAgent {
    /// What it said.
    pub seen: AgentSeen,
    /// When its connection ended; none while it has one, or nobody was there to notice.
    pub disconnected_at: Option<Millis>,
}

impl RelayAgent {
    /// Whether it is connected, as far as is known.
    pub fn is_connected_at(&self, now: Millis) -> bool {
        self.disconnected_at.is_none() && self.seen.at.0 > now.0 - SILENT
    }
}

const SELECT: &str = "SELECT id, organization_id, relay_key_id, name, version, address, node, \
                      connections, environments, connected_at, last_seen, disconnected_at, \
                      kind, told_by FROM relay_agents";

const UPDATE: &str = "UPDATE relay_agents SET relay_key_id = $3, name = $4, version = $5, \
    address = $6, node = $7, connections = $8, environments = $9, connected_at = $10, \
    last_seen = $11, kind = $12, told_by = $13, disconnected_at = NULL \
    WHERE id = $1 AND organization_id = $2 \
    AND (told_by = $13 OR disconnected_at IS NOT NULL OR last_seen <= $14)";

const INSERT: &str = "INSERT INTO relay_agents (id, organization_id, relay_key_id, name, version, \
    address, node, connections, environments, connected_at, last_seen, kind, \
    told_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
    ON CONFLICT (id) DO NOTHING";

const GONE: &str = "UPDATE relay_agents SET disconnected_at = $1, last_seen = $1 \
    WHERE id = $2 AND organization_id = $3 AND node = $4 AND connected_at = $5";

fn read(found: &AnyRow) -> Result<RelayAgent, StoreError> {
    let environments: Vec<(String, i64, String)> = row::json(found, 8)?;
    let position = |(id, version, digest): (String, i64, String)| AgentPosition {
        environment: Id::new(id),
        position: Position {
            version,
            digest: u64::from_str_radix(&digest, 16).unwrap_or_default(),
        },
    };
    Ok(RelayAgent {
        seen: AgentSeen {
            agent: row::text(found, 0)?,
            organization: row::id(found, 1)?,
            key: row::id(found, 2)?,
            told_by: row::id(found, 13)?,
            name: row::text(found, 3)?,
            version: row::text(found, 4)?,
            kind: RelayKind::named(&row::text(found, 12)?)?,
            address: row::text(found, 5)?,
            node: row::text(found, 6)?,
            connections: row::number(found, 7)?,
            environments: environments.into_iter().map(position).collect(),
            connected_at: row::millis(found, 9)?,
            at: row::millis(found, 10)?,
        },
        disconnected_at: row::optional_millis(found, 11)?,
    })
}

impl Store {
    /// Notes that a relay is connected, and how it is: to be called when it comes, and every 10 to 15
    /// seconds while it stays.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of an id that cannot be stored; [`StoreError::Conflict`] where another
    /// organization has a relay of this id, or one that lives is told of with another key;
    /// [`StoreError::Refused`] where one key told of
    /// [`MAX_RELAY_AGENTS`](burgee_domain::limits::MAX_RELAY_AGENTS).
    pub async fn relay_agent_seen(&self, seen: &AgentSeen) -> Result<(), StoreError> {
        check_id(&seen.agent)?;
        let mut tx = self.begin_traffic().await?;
        let known = written(UPDATE, seen)?.bind(seen.at.0 - SILENT);
        if known.execute(&mut *tx).await?.rows_affected() == 0 {
            let new = written(INSERT, seen)?.execute(&mut *tx).await?;
            if new.rows_affected() == 0 {
                let message = "another relay has this id";
                return Err(StoreError::conflict("agent", message));
            }
            let of = [seen.organization.as_str(), seen.told_by.as_str()];
            room::RELAY_AGENTS.holds(&mut tx, &of).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Notes that a relay's connection ended. Nothing happens where it was never seen, or has another
    /// one since.
    pub async fn relay_agent_gone(
        &self,
        gone: &AgentConnection,
        now: Millis,
    ) -> Result<(), StoreError> {
        if check_id(&gone.agent).is_err() {
            return Ok(());
        }
        sqlx::query(GONE)
            .bind(now.0)
            .bind(gone.agent.as_str())
            .bind(gone.organization.as_str())
            .bind(kept(&gone.node))
            .bind(gone.connected_at.0)
            .execute(&self.shared.traffic.write)
            .await?;
        Ok(())
    }

    /// An organization's relays, those of one key where one is given, by key and id.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `cursor`.
    pub async fn relay_agents(
        &self,
        organization: &Id<Organization>,
        key: Option<&Id<RelayKey>>,
        page: &PageRequest,
    ) -> Result<Page<RelayAgent>, StoreError> {
        let mut sql = Sql::new(SELECT);
        sql.push(" WHERE organization_id = ")
            .bind(organization.as_str());
        if let Some(key) = key {
            sql.push(" AND relay_key_id = ").bind(key.as_str());
        }
        if let Some(after) = &page.cursor {
            let (key, id) = after.split_once('/').ok_or_else(crate::page::bad_cursor)?;
            sql.push(" AND (relay_key_id, id) > (").bind(key);
            sql.next(id).push(")");
        }
        sql.push(" ORDER BY relay_key_id, id LIMIT ")
            .bind(page.size() + 1);
        let rows = sql.query()?.fetch_all(&self.shared.traffic.read).await?;
        let agents: Result<Vec<RelayAgent>, StoreError> = rows.iter().map(read).collect();
        Ok(Page::cut(agents?, page.size(), |it| {
            format!("{}/{}", it.seen.key, it.seen.agent)
        }))
    }

    /// Forgets a relay that is gone.
    ///
    /// # Errors
    /// [`StoreError::Denied`]; [`StoreError::Refused`] where it is connected.
    pub async fn remove_relay_agent(
        &self,
        organization: &Id<Organization>,
        agent: &str,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let at = self.administration(organization, actor, now).await?;
        let mut tx = self.begin_traffic().await?;
        let found = find(&mut tx, organization, agent).await?;
        let key = found.as_ref().map_or("*", |it| it.seen.key.as_str());
        at.may("relayAgent.remove", resource(key))?;
        let found = found.ok_or(StoreError::NotFound("relay"))?;
        if found.is_connected_at(now) {
            let message = "this relay is connected; stop it, or revoke its key, first";
            return Err(StoreError::refused("", "relayConnected", message));
        }
        sqlx::query("DELETE FROM relay_agents WHERE id = $1 AND organization_id = $2")
            .bind(agent)
            .bind(organization.as_str())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        at.done(removed(&found)).await
    }

    /// Forgets relays that were not seen for 30 days. Says how many.
    pub async fn forget_relay_agents(&self, now: Millis) -> Result<u64, StoreError> {
        let done = sqlx::query("DELETE FROM relay_agents WHERE last_seen < $1")
            .bind(now.0 - KEEP)
            .execute(&self.shared.traffic.write)
            .await?;
        Ok(done.rows_affected())
    }
}

fn check_id(agent: &str) -> Result<(), StoreError> {
    text::storable("agent", agent)?;
    match (1..=MAX_ID).contains(&agent.len()) {
        true => Ok(()),
        false => Err(StoreError::Invalid {
            field: "agent",
            code: "length".into(),
            message: format!("a relay's id has 1 to {MAX_ID} bytes"),
        }),
    }
}

/// A relay of an organization.
async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    agent: &str,
) -> Result<Option<RelayAgent>, StoreError> {
    if check_id(agent).is_err() {
        return Ok(None);
    }
    let text = format!("{SELECT} WHERE id = $1 AND organization_id = $2");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(agent)
        .bind(organization.as_str())
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

/// What [`UPDATE`] and [`INSERT`] write of a relay.
fn written<'q>(
    statement: &'static str,
    seen: &'q AgentSeen,
) -> Result<Query<'q, Any, AnyArguments>, StoreError> {
    let position = |it: &AgentPosition| {
        let digest = format!("{:016x}", it.position.digest);
        (it.environment.to_string(), it.position.version, digest)
    };
    let environments: Vec<_> = seen.environments.iter().map(position).collect();
    Ok(sqlx::query(statement)
        .bind(seen.agent.as_str())
        .bind(seen.organization.as_str())
        .bind(seen.key.as_str())
        .bind(kept(&seen.name))
        .bind(kept(&seen.version))
        .bind(kept(&seen.address))
        .bind(kept(&seen.node))
        .bind(seen.connections)
        .bind(serde_json::to_string(&environments)?)
        .bind(seen.connected_at.0)
        .bind(seen.at.0)
        .bind(seen.kind.name())
        .bind(seen.told_by.as_str()))
}

/// A text that only people read, as much of it as is kept.
fn kept(text: &str) -> String {
    let storable = text.chars().filter(|it| *it != '\0');
    storable.take(MAX_TEXT).collect()
}

fn removed(agent: &RelayAgent) -> Event {
    let AgentSeen {
        agent, key, name, ..
    } = &agent.seen;
    Event {
        kind: "removeRelayAgent",
        text: format!("relay \"{name}\" removed from the list"),
        params: vec![
            ("relayAgent", agent.clone()),
            ("relayKey", key.to_string()),
            ("name", name.clone()),
        ],
    }
}
