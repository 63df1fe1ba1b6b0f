//! What happened in an organization since a number of its history, in short: for those who listen
//! to changes ([`Store::history`] has all of it, for those who read).

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::change_sets::{Actor, read_actor};
use crate::error::StoreError;
use crate::sql::Sql;
use crate::{Store, row};

/// How many items of one change set are named in one place: from there on, who wants to know looks.
pub const NAMED: i64 = 500;

/// Acts after which other requests may wait, or for others: about requests themselves, about what
/// environments ask, and about what people are.
const ABOUT_REQUESTS: &[&str] = &[
    "createRequest",
    "reviseRequest",
    "rebaseRequest",
    "approveRequest",
    "declineRequest",
    "withdrawRequest",
    "stopRequest",
    "setEnvironmentRules",
    "createEnvironment",
    "updateEnvironment",
    "deleteEnvironment",
    "deleteProject",
    "joinOrganization",
    "updateMember",
    "removeMember",
    "updateGroup",
    "deleteGroup",
    "updatePolicy",
    "revokeToken",
];

/// A change set, in short.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// Its place in the organization's history.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// Who did it.
    pub actor: Actor,
    /// When it was asked for.
    pub at: Millis,
    /// The kinds of its commands, each once.
    pub kinds: Vec<String>,
    /// What it moved.
    pub places: Vec<Moved>,
}

impl Happened {
    /// Whether it may be about who may do what: about anything but flags and segments.
    pub fn is_administration(&self) -> bool {
        let items = |it: &Moved| it.items.iter().any(|item| item.kind.has_tags());
        !self.places.iter().any(items)
    }

    /// Whether other requests may wait after it, or for others. One that was a request does not say
    /// so: there is [one less that is open](Store::open_requests).
    pub fn is_about_requests(&self) -> bool {
        let mut kinds = self.kinds.iter();
        kinds.any(|kind| ABOUT_REQUESTS.contains(&kind.as_str()))
    }
}

/// A version that a change set made.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The project's key; none for the organization.
    pub project: Option<String>,
    /// The environment's key; none for the project itself.
    pub environment: Option<String>,
    /// Whether the environment is protected now.
    pub protected: bool,
    /// The version.
    pub version: i64,
    /// What changed; at most [`NAMED`].
    pub items: Vec<MovedItem>,
    /// Whether more changed than is named.
    pub more: bool,
}

/// Something that a version changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedItem {
    /// What it is.
    pub kind: ItemKind,
    /// Its key; of an SDK key its id, of a setting its name.
    pub key: String,
    /// Its tags now.
    pub tags: Vec<String>,
}

/// Kinds of what a version can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A flag, or what it does in an environment.
    Flag,
    /// A segment.
    Segment,
    /// An SDK key.
    SdkKey,
    /// A setting.
    Setting,
}

impl ItemKind {
    fn of_name(name: &str) -> Self {
        match name {
            "flag" => Self::Flag,
            "segment" => Self::Segment,
            "sdkKey" => Self::SdkKey,
            _ => Self::Setting,
        }
    }

    /// Whether it is a flag or a segment.
    pub fn has_tags(self) -> bool {
        matches!(self, Self::Flag | Self::Segment)
    }
}

impl Store {
    /// How many change sets an organization has: the number of the last.
    pub async fn history_length(&self, organization: &Id<Organization>) -> Result<i64, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        length(&mut connection, organization).await
    }

    /// The next `most` change sets of an organization after a number, in order.
    pub async fn happened(
        &self,
        organization: &Id<Organization>,
        after: i64,
        most: i64,
    ) -> Result<Vec<Happened>, StoreError> {
        let mut tx = self.begin_read().await?;
        let mut happened = sets(&mut tx, organization, after, most).await?;
        let mut places = places(&mut tx, organization, &happened).await?;
        tx.rollback().await?;
        for set in &mut happened {
            set.places = places.remove(&set.number).unwrap_or_default();
        }
        Ok(happened)
    }
}

/// How many change sets an organization has.
pub(crate) async fn length(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<i64, StoreError> {
    let found = sqlx::query("SELECT length FROM histories WHERE organization_id = $1")
        .bind(organization.as_str())
        .fetch_optional(connection)
        .await?;
    found.map_or(Ok(0), |found| row::number(&found, 0))
}

async fn sets(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    after: i64,
    most: i64,
) -> Result<Vec<Happened>, StoreError> {
    let rows = sqlx::query(
        "SELECT number, id, actor_kind, actor_id, actor_name, at, kinds FROM change_sets \
         WHERE organization_id = $1 AND number > $2 ORDER BY number LIMIT $3",
    )
    .bind(organization.as_str())
    .bind(after)
    .bind(most)
    .fetch_all(connection)
    .await?;
    let set = |found: &AnyRow| {
        Ok(Happened {
            number: row::number(found, 0)?,
            id: row::text(found, 1)?,
            actor: read_actor(found, 2)?,
            at: row::millis(found, 5)?,
            kinds: row::text(found, 6)?
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            places: Vec::new(),
        })
    };
    rows.iter().map(set).collect()
}

/// What change sets moved, by number.
async fn places(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    sets: &[Happened],
) -> Result<BTreeMap<i64, Vec<Moved>>, StoreError> {
    let mut sql = Sql::new(
        "SELECT v.number, v.version, p.key, e.key, l.item_kind, l.item_key, \
         COALESCE(f.tags, s.tags), CAST(COALESCE(e.protected, 0) AS BIGINT) FROM versions v \
         LEFT JOIN environments e ON v.scope_kind = 'environment' AND e.id = v.scope_id \
         LEFT JOIN projects p ON p.id = COALESCE(e.project_id, v.scope_id) \
         LEFT JOIN change_log l ON l.scope_id = v.scope_id AND l.version = v.version \
         AND l.ordinal <= ",
    );
    sql.bind(NAMED);
    sql.push(
        " LEFT JOIN flags f ON l.item_kind = 'flag' AND f.project_id = p.id AND f.id = l.item_id \
         LEFT JOIN segments s ON l.item_kind = 'segment' \
         AND s.organization_id = v.organization_id AND s.id = l.item_id \
         WHERE v.organization_id = ",
    );
    sql.bind(organization.as_str());
    sql.push(" AND v.change_set_id IN ")
        .list(sets.iter().map(|set| set.id.as_str()));
    sql.push(" ORDER BY v.number, p.key, e.key, v.scope_id, l.ordinal");
    let rows = sql.query()?.fetch_all(connection).await?;
    let mut places: BTreeMap<i64, Vec<Moved>> = BTreeMap::new();
    for found in &rows {
        let of_set = places.entry(row::number(found, 0)?).or_default();
        add(of_set, found)?;
    }
    Ok(places)
}

/// Adds a row to the places of its change set.
fn add(places: &mut Vec<Moved>, found: &AnyRow) -> Result<(), StoreError> {
    let (project, environment) = (row::optional_text(found, 2)?, row::optional_text(found, 3)?);
    let is_here = |it: &Moved| it.project == project && it.environment == environment;
    if !places.last().is_some_and(is_here) {
        places.push(Moved {
            project,
            environment,
            protected: row::boolean(found, 7)?,
            version: row::number(found, 1)?,
            items: Vec::new(),
            more: false,
        });
    }
    let (Some(place), Some(kind)) = (places.last_mut(), row::optional_text(found, 4)?) else {
        return Ok(());
    };
    if place.items.len() as i64 >= NAMED {
        place.more = true;
        return Ok(());
    }
    let tags = row::optional_text(found, 6)?;
    place.items.push(MovedItem {
        kind: ItemKind::of_name(&kind),
        key: row::optional_text(found, 5)?.unwrap_or_default(),
        tags: tags.map_or(Ok(Vec::new()), |tags| serde_json::from_str(&tags))?,
    });
    Ok(())
}
