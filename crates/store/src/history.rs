//! The history: the change sets of an organization, of a project or of an environment, newest
//! first, in the order in which they took effect.

mod filter;

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_eval::time::Millis;
use serde_json::Value;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::change_sets::{Actor, read_actor};
use crate::error::StoreError;
use crate::page::{self, Page, PageRequest};
use crate::sql::Sql;
use crate::{Store, image, row};
pub use filter::HistoryFilter;

/// From so many bytes of JSON on a list leaves a change set's commands out: a page must not be as
/// large as what was imported in it.
pub(crate) const LISTED_COMMANDS: i64 = 64 * 1024;

/// Whose history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryScope {
    /// All of the organization's.
    Organization,
    /// A project with all its environments.
    Project(Id<Project>),
    /// One environment.
    Environment(Id<Environment>),
}

/// A change set as the history shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedChangeSet {
    /// Unique in the organization.
    pub id: String,
    /// Who made it.
    pub actor: Actor,
    /// Why.
    pub comment: String,
    /// What was asked for: a list of commands, as JSON; null where `truncated`.
    pub commands: Value,
    /// Whether the commands were left out of a list for their size ([`Store::change_set`] has
    /// them).
    pub truncated: bool,
    /// What was answered ([`crate::Applied`] as JSON); for SDK keys and settings with the
    /// version alone.
    pub result: Value,
    /// When.
    pub at: Millis,
}

impl Store {
    /// A scope's change sets that a filter finds, newest first.
    pub async fn history(
        &self,
        organization: &Id<Organization>,
        scope: &HistoryScope,
        filter: &HistoryFilter,
        page: &PageRequest,
    ) -> Result<Page<LoggedChangeSet>, StoreError> {
        let mut tx = self.begin_read().await?;
        let places = places(&mut tx, organization, scope, filter, page).await?;
        let places = Page::fit(
            places,
            page.size(),
            |place| place.bytes,
            |place| place.number.to_string(),
        );
        let ids = places.items.iter().map(|place| place.id.as_str());
        let mut found = load(&mut tx, organization, ids, LISTED_COMMANDS).await?;
        tx.rollback().await?;
        let items = places.items.iter();
        let items = items.filter_map(|place| found.remove(&place.id));
        Ok(Page {
            items: items.collect(),
            next: places.next,
        })
    }

    /// The id of the change set with this number in an organization's history.
    pub async fn change_set_numbered(
        &self,
        organization: &Id<Organization>,
        number: i64,
    ) -> Result<String, StoreError> {
        let query = "SELECT id FROM change_sets WHERE organization_id = $1 AND number = $2";
        let found = sqlx::query(query)
            .bind(organization.as_str())
            .bind(number)
            .fetch_optional(&self.shared.truth.read)
            .await?;
        row::text(&found.ok_or(StoreError::NotFound("change set"))?, 0)
    }

    /// One change set of an organization, with all its commands.
    pub async fn change_set(
        &self,
        organization: &Id<Organization>,
        id: &str,
    ) -> Result<LoggedChangeSet, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let mut found = load(&mut connection, organization, [id], i64::MAX).await?;
        found.remove(id).ok_or(StoreError::NotFound("change set"))
    }
}

/// A change set's place in a list.
struct Place {
    number: i64,
    id: String,
    /// Of what the list shows of it.
    bytes: i64,
}

/// The places of a page's change sets, and of one more.
async fn places(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    scope: &HistoryScope,
    filter: &HistoryFilter,
    page: &PageRequest,
) -> Result<Vec<Place>, StoreError> {
    let before = page.cursor.as_deref().map(cursor).transpose()?;
    let before = before.unwrap_or(i64::MAX);
    let mut sql = Sql::new("SELECT c.number, c.id, CAST(OCTET_LENGTH(c.result) + CASE");
    sql.push(" WHEN c.commands_size <= ").bind(LISTED_COMMANDS);
    sql.push(" THEN c.commands_size ELSE 0 END AS BIGINT)");
    sql.push(" FROM change_sets c WHERE c.organization_id = ");
    sql.bind(organization.as_str());
    sql.push(" AND c.number < ").bind(before);
    push_scope(&mut sql, organization, scope);
    filter.push(&mut sql, organization);
    sql.push(" ORDER BY c.number DESC LIMIT ")
        .bind(page.size() + 1);
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter()
        .map(|found| {
            Ok(Place {
                number: row::number(found, 0)?,
                id: row::text(found, 1)?,
                bytes: row::number(found, 2)?,
            })
        })
        .collect()
}

/// Appends that a change set is of a scope: that it moved it, or is about it.
fn push_scope(sql: &mut Sql, organization: &Id<Organization>, scope: &HistoryScope) {
    let id = match scope {
        HistoryScope::Organization => return,
        HistoryScope::Project(id) => id.as_str(),
        HistoryScope::Environment(id) => id.as_str(),
    };
    sql.push(" AND c.number IN (SELECT v.number FROM versions v WHERE v.organization_id = ");
    sql.bind(organization.as_str());
    sql.push(" AND v.scope_id = ").bind(id);
    if let HistoryScope::Project(_) = scope {
        sql.push(" UNION SELECT v.number FROM versions v JOIN environments e");
        sql.push(" ON e.id = v.scope_id WHERE v.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND e.project_id = ").bind(id);
        sql.push(" UNION SELECT a.number FROM change_sets a WHERE a.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND a.project_id = ").bind(id);
    } else {
        sql.push(" UNION SELECT a.number FROM change_sets a WHERE a.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND a.environment_id = ").bind(id);
    }
    sql.push(")");
}

pub(crate) fn cursor(text: &str) -> Result<i64, StoreError> {
    text.parse().map_err(|_| page::bad_cursor())
}

/// Reads change sets by id; the commands of those only where they have at most `largest` bytes.
pub(crate) async fn load<'a>(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    ids: impl IntoIterator<Item = &'a str>,
    largest: i64,
) -> Result<BTreeMap<String, LoggedChangeSet>, StoreError> {
    let mut sql = Sql::new(
        "SELECT id, actor_kind, actor_id, actor_name, comment, result, at, \
         CASE WHEN commands_size <= ",
    );
    sql.bind(largest);
    sql.push(" THEN commands END FROM change_sets WHERE organization_id = ");
    sql.bind(organization.as_str());
    sql.push(" AND id IN ").list(ids);
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter()
        .map(|found| {
            let change_set = read(found)?;
            Ok((change_set.id.clone(), change_set))
        })
        .collect()
}

fn read(found: &AnyRow) -> Result<LoggedChangeSet, StoreError> {
    let commands = row::optional_blob(found, 7)?;
    let truncated = commands.is_none();
    let commands = match commands {
        Some(packed) => serde_json::from_slice(&image::unpack_unsized(&packed)?)?,
        None => Value::Null,
    };
    Ok(LoggedChangeSet {
        id: row::text(found, 0)?,
        actor: read_actor(found, 1)?,
        comment: row::text(found, 4)?,
        commands,
        truncated,
        result: row::json(found, 5)?,
        at: row::millis(found, 6)?,
    })
}
