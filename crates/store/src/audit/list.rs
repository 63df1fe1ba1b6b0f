//! Reading the audit log: filtered, newest first by pages, or oldest first to be taken elsewhere.

use burgee_domain::audit::Link;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use crate::change_sets::Actor;
use crate::environments::Act;
use crate::error::StoreError;
use crate::history::{self, HistoryFilter, LISTED_COMMANDS, LoggedChangeSet};
use crate::page::{Page, PageRequest};
use crate::sql::Sql;
use crate::{Store, row};

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
        filter: &HistoryFilter,
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
        filter: &HistoryFilter,
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

    /// Writes into the log that it is taken elsewhere: before it is, so that nobody has it of whom
    /// it says nothing. What was looked for is not said, since it may name somebody.
    pub async fn record_audit_export(
        &self,
        organization: &Id<Organization>,
        filter: &HistoryFilter,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let (of, text) = match *filter == HistoryFilter::default() {
            true => ("all", "audit log: all of it exported"),
            false => ("some", "audit log: some of it exported"),
        };
        let act = Act {
            organization,
            actor,
            project: None,
            kind: "exportAudit",
            params: vec![("entries", of.to_owned())],
            text: text.to_owned(),
        };
        let mut tx = self.begin_write().await?;
        self.administer(&mut tx, &act, &mut [], now).await?;
        self.end(tx, false).await
    }
}

/// The statement that finds the places of entries, to be ended.
fn places(organization: &Id<Organization>, filter: &HistoryFilter) -> Sql {
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
    filter.push(&mut sql, organization);
    sql
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
