//! Reading the audit log: filtered, newest first by pages, or oldest first to be taken elsewhere.

use burgee_domain::audit::Link;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use crate::error::StoreError;
use crate::history::{self, LISTED_COMMANDS, LoggedChangeSet};
use crate::page::{Page, PageRequest};
use crate::sql::{Sql, containing};
use crate::{Store, row};

/// What is looked for; an empty filter finds everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Who did it: an id, or a name as it was at the time, without regard to case.
    pub actor: Option<String>,
    /// A kind of command, e.g. `turnOn`.
    pub kind: Option<String>,
    /// The key of the project that it is about; also of one that was deleted.
    pub project: Option<String>,
    /// The key of the environment in it.
    pub environment: Option<String>,
    /// Asked for at this moment or later.
    pub from: Option<Millis>,
    /// Asked for before this moment.
    pub to: Option<Millis>,
    /// In who, why, or the words of what changed; without regard to case.
    pub text: Option<String>,
}

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// Its place in the organization's history, from 1 on.
    pub number: i64,
    /// What was done.
    pub change: LoggedChangeSet,
    /// The chain after it; none within the second before it is sealed.
    pub chain: Option<Link>,
    /// Where its body was redacted.
    pub redacted: Option<Redacted>,
}

/// That a body was redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// When.
    pub at: Millis,
    /// The change set that ordered it.
    pub by: String,
    /// In plain words.
    pub why: String,
}

/// An entry's place, and what the chain says of it.
struct Place {
    number: i64,
    id: String,
    bytes: i64,
    chain: Option<Link>,
    redacted: Option<Redacted>,
}

impl Store {
    /// Entries of an organization, newest first; what was pruned is not among them. The commands of
    /// large ones are left out ([`Store::change_set`] has them).
    pub async fn audit(
        &self,
        organization: &Id<Organization>,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEntry>, StoreError> {
        let before = page.cursor.as_deref().map(history::cursor).transpose()?;
        let mut tx = self.begin_read().await?;
        let mut sql = places(organization, filter);
        sql.push(" AND c.number < ")
            .bind(before.unwrap_or(i64::MAX));
        sql.push(" ORDER BY c.number DESC LIMIT ")
            .bind(page.size() + 1);
        let places = read(&mut tx, sql).await?;
        let places = Page::fit(
            places,
            page.size(),
            |place| place.bytes,
            |place| place.number.to_string(),
        );
        let items = entries(&mut tx, organization, places.items, LISTED_COMMANDS).await?;
        tx.rollback().await?;
        Ok(Page {
            items,
            next: places.next,
        })
    }

    /// The entries after a number, oldest first, whole: at most `limit`, and fewer where they are
    /// large. None: there are no more.
    pub async fn audit_after(
        &self,
        organization: &Id<Organization>,
        filter: &AuditFilter,
        after: i64,
        limit: i64,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let mut tx = self.begin_read().await?;
        let mut sql = places(organization, filter);
        sql.push(" AND c.number > ").bind(after);
        sql.push(" ORDER BY c.number LIMIT ").bind(limit);
        let places = read(&mut tx, sql).await?;
        let places = Page::fit(places, limit, |place| place.bytes, |_| String::new());
        let found = entries(&mut tx, organization, places.items, i64::MAX).await?;
        tx.rollback().await?;
        Ok(found)
    }
}

/// The statement that finds the places of entries, to be ended.
fn places(organization: &Id<Organization>, filter: &AuditFilter) -> Sql {
    let mut sql = Sql::new(
        "SELECT c.number, c.id, CAST(OCTET_LENGTH(c.result) + c.commands_size AS BIGINT), \
         s.chain, s.redacted_at, s.redacted_by, s.redacted_why FROM change_sets c \
         LEFT JOIN audit_seals s ON s.organization_id = c.organization_id \
         AND s.number = c.number WHERE c.organization_id = ",
    );
    sql.bind(organization.as_str());
    sql.push(
        " AND c.number > (SELECT COALESCE(MAX(a.number), 0) FROM audit_anchors a \
         WHERE a.organization_id = c.organization_id)",
    );
    push_who_and_when(&mut sql, filter);
    if let Some(kind) = &filter.kind {
        sql.push(" AND c.kinds LIKE ")
            .bind(containing(&format!(" {kind} ")));
        sql.push(" ESCAPE '\\'");
    }
    if let Some(text) = &filter.text {
        sql.push(" AND c.search LIKE ")
            .bind(containing(&text.to_lowercase()));
        sql.push(" ESCAPE '\\'");
    }
    push_place(&mut sql, organization, filter);
    sql
}

fn push_who_and_when(sql: &mut Sql, filter: &AuditFilter) {
    if let Some(actor) = &filter.actor {
        sql.push(" AND (c.actor_id = ").bind(actor);
        sql.push(" OR LOWER(c.actor_name) = LOWER(")
            .bind(actor)
            .push("))");
    }
    if let Some(from) = filter.from {
        sql.push(" AND c.at >= ").bind(from.0);
    }
    if let Some(to) = filter.to {
        sql.push(" AND c.at < ").bind(to.0);
    }
}

/// Appends that an entry is about a project or an environment, by their keys.
fn push_place(sql: &mut Sql, organization: &Id<Organization>, filter: &AuditFilter) {
    let Some(project) = &filter.project else {
        return;
    };
    let projects = |sql: &mut Sql| {
        sql.push("(SELECT p.id FROM projects p WHERE p.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND p.key_folded = ")
            .bind(project.to_ascii_lowercase());
        sql.push(")");
    };
    sql.push(" AND c.number IN (SELECT v.number FROM versions v JOIN environments e");
    sql.push(" ON e.id = v.scope_id WHERE v.organization_id = ");
    sql.bind(organization.as_str());
    sql.push(" AND e.project_id IN ");
    projects(sql);
    if let Some(environment) = &filter.environment {
        sql.push(" AND e.key_folded = ")
            .bind(environment.to_ascii_lowercase());
    } else {
        sql.push(" UNION SELECT v.number FROM versions v WHERE v.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND v.scope_id IN ");
        projects(sql);
        sql.push(" UNION SELECT o.number FROM change_sets o WHERE o.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND o.project_id IN ");
        projects(sql);
    }
    sql.push(")");
}

async fn read(connection: &mut AnyConnection, sql: Sql) -> Result<Vec<Place>, StoreError> {
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter()
        .map(|found| {
            let chain = row::optional_blob(found, 3)?;
            let at = row::optional_millis(found, 4)?;
            let by = row::optional_text(found, 5)?.unwrap_or_default();
            let why = row::optional_text(found, 6)?.unwrap_or_default();
            Ok(Place {
                number: row::number(found, 0)?,
                id: row::text(found, 1)?,
                bytes: row::number(found, 2)?,
                chain: chain.and_then(|it| it.try_into().ok()),
                redacted: at.map(|at| Redacted { at, by, why }),
            })
        })
        .collect()
}

/// The entries at these places, in their order.
async fn entries(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    places: Vec<Place>,
    largest: i64,
) -> Result<Vec<AuditEntry>, StoreError> {
    let ids = places.iter().map(|place| place.id.as_str());
    let mut found = history::load(connection, organization, ids, largest).await?;
    let entries = places.into_iter().filter_map(|place| {
        Some(AuditEntry {
            number: place.number,
            change: found.remove(&place.id)?,
            chain: place.chain,
            redacted: place.redacted,
        })
    });
    Ok(entries.collect())
}
