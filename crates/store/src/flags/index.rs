//! A project's flags in short, all in one answer: what a list of thousands shows of each.
//!
//! One statement per table, and no text that can be large is read: neither targets nor rules, and
//! of variations only what is short (the few flags with large ones are asked for by themselves).

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Flag, Life, Project};
use burgee_eval::flag::{Fallthrough, Variation, VariationType};
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::log::{LastChange, last_changes};
use crate::sql::Sql;
use crate::{Store, row};

/// From so many bytes on, variations are read for one flag at a time: all those of a project
/// together could be hundreds of megabytes.
const LARGE: i64 = 4 * 1024;

/// A flag in short.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedFlag {
    /// Its id.
    pub id: Id<Flag>,
    /// What programs ask for.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// The type of its values.
    pub kind: VariationType,
    /// The values that it can have; texts are cut to what the caller wants of them.
    pub variations: Vec<Variation>,
    /// For filters.
    pub tags: Vec<String>,
    /// Live or archived.
    pub life: Life,
    /// When it was made.
    pub created_at: Millis,
    /// What it does in each environment that was asked for and where it is released.
    pub cells: BTreeMap<Id<Environment>, Cell>,
    /// The last change of the flag or of its targeting in one of these environments.
    pub last_change: Option<LastChange>,
}

/// What a flag does in an environment, in short.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// On or off.
    pub is_enabled: bool,
    /// What those get whom no target and no rule takes, while it is on.
    pub fallthrough: Fallthrough,
    /// What everybody gets while it is off: a variation's id.
    pub off_variation: String,
    /// Whether there are rules.
    pub has_rules: bool,
    /// Whether there are individual targets.
    pub has_targets: bool,
    /// Whether other flags have to serve something for it to serve more than its off variation.
    pub has_prerequisites: bool,
}

impl Store {
    /// All flags of a project that are not deleted, by key, with what they do in `environments`.
    /// `shorten` is given each flag's variations as they are read, and keeps what is wanted.
    pub async fn flag_index(
        &self,
        project: &Id<Project>,
        environments: &[Id<Environment>],
        shorten: impl Fn(Vec<Variation>) -> Vec<Variation>,
    ) -> Result<Vec<IndexedFlag>, StoreError> {
        let mut tx = self.begin_read().await?;
        let mut flags = flags(&mut tx, project, shorten).await?;
        let place: BTreeMap<Id<Flag>, usize> =
            flags.iter().map(|flag| flag.id.clone()).zip(0..).collect();
        for (id, environment, cell) in cells(&mut tx, environments).await? {
            if let Some(flag) = place.get(&id).and_then(|at| flags.get_mut(*at)) {
                flag.cells.insert(environment, cell);
            }
        }
        let scopes = environments.iter().map(Id::as_str);
        let scopes = scopes.chain([project.as_str()]);
        for (id, change) in last_changes(&mut tx, "flag", scopes).await? {
            let Some(flag) = place.get(&Id::new(id)).and_then(|at| flags.get_mut(*at)) else {
                continue;
            };
            let known = flag.last_change.as_ref().map_or(i64::MIN, |it| it.number);
            // The flag's own change stands for that of its targeting in the same change set.
            let own = change.scope == project.as_str();
            if change.number > known || change.number == known && own {
                flag.last_change = Some(change);
            }
        }
        tx.rollback().await?;
        Ok(flags)
    }
}

impl Store {
    /// In how many of these environments each flag of a project is on; those that are on in none are
    /// left out.
    pub async fn flags_on(
        &self,
        environments: &[Id<Environment>],
    ) -> Result<BTreeMap<Id<Flag>, i64>, StoreError> {
        let mut sql = Sql::new(
            "SELECT flag_id, COUNT(*) FROM targetings WHERE is_enabled = 1 AND environment_id IN ",
        );
        sql.list(environments.iter().map(Id::as_str));
        sql.push(" GROUP BY flag_id");
        let rows = sql.query()?.fetch_all(&self.shared.truth.read).await?;
        let counted = |found: &AnyRow| Ok((row::id(found, 0)?, row::number(found, 1)?));
        rows.iter().map(counted).collect()
    }
}

async fn flags(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    shorten: impl Fn(Vec<Variation>) -> Vec<Variation>,
) -> Result<Vec<IndexedFlag>, StoreError> {
    let mut sql = Sql::new(
        "SELECT f.id, f.key, f.name, f.kind, f.tags, f.life, f.created_at, \
         CASE WHEN OCTET_LENGTH(f.variations) <= ",
    );
    sql.bind(LARGE);
    sql.push(" THEN f.variations END FROM flags f WHERE f.life <> 'deleted' AND f.project_id = ");
    sql.bind(project.as_str()).push(" ORDER BY f.key_folded");
    let rows = sql.query()?.fetch_all(&mut *connection).await?;
    let mut flags = Vec::with_capacity(rows.len());
    for found in rows {
        let id: Id<Flag> = row::id(&found, 0)?;
        let variations = match row::optional_text(&found, 7)? {
            Some(text) => serde_json::from_str(&text)?,
            None => large_variations(connection, project, &id).await?,
        };
        flags.push(IndexedFlag {
            id,
            key: row::key(&found, 1)?,
            name: row::text(&found, 2)?,
            kind: row::name(&found, 3)?,
            tags: row::json(&found, 4)?,
            life: row::name(&found, 5)?,
            created_at: row::millis(&found, 6)?,
            variations: shorten(variations),
            cells: BTreeMap::new(),
            last_change: None,
        });
    }
    Ok(flags)
}

async fn large_variations(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    flag: &Id<Flag>,
) -> Result<Vec<Variation>, StoreError> {
    let found = sqlx::query("SELECT variations FROM flags WHERE project_id = $1 AND id = $2")
        .bind(project.as_str())
        .bind(flag.as_str())
        .fetch_one(connection)
        .await?;
    row::json(&found, 0)
}

async fn cells(
    connection: &mut AnyConnection,
    environments: &[Id<Environment>],
) -> Result<Vec<(Id<Flag>, Id<Environment>, Cell)>, StoreError> {
    // An empty list is the text `[]`; its length is known without reading it.
    let mut sql = Sql::new(
        "SELECT t.flag_id, t.environment_id, t.is_enabled, t.fallthrough, t.off_variation, \
         CAST(OCTET_LENGTH(t.rules) AS BIGINT), CAST(OCTET_LENGTH(t.target_users) AS BIGINT), \
         CAST(OCTET_LENGTH(t.prerequisites) AS BIGINT) \
         FROM targetings t WHERE t.environment_id IN ",
    );
    sql.list(environments.iter().map(Id::as_str));
    let rows = sql.query()?.fetch_all(connection).await?;
    let cell = |found: &AnyRow| {
        let cell = Cell {
            is_enabled: row::boolean(found, 2)?,
            fallthrough: row::json(found, 3)?,
            off_variation: row::text(found, 4)?,
            has_rules: row::number(found, 5)? > 2,
            has_targets: row::number(found, 6)? > 2,
            has_prerequisites: row::number(found, 7)? > 2,
        };
        Ok((row::id(found, 0)?, row::id(found, 1)?, cell))
    };
    rows.iter().map(cell).collect()
}
