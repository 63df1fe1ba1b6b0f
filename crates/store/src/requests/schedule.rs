//! Steps by their moments, over all requests: what a calendar shows.

use std::collections::BTreeMap;

use burgee_domain::diff::DiffLine;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::list::{Listed, listed};
use super::{Party, StepHead, rows, steps};
use crate::error::StoreError;
use crate::page::{self, Page, PageRequest};
use crate::sql::Sql;
use crate::{Store, row};

/// Which steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleFilter {
    /// Those due at this moment or later.
    pub from: Option<Millis>,
    /// Those due before this moment.
    pub to: Option<Millis>,
    /// Those of requests that move this project or environment, by id.
    pub scope: Option<String>,
}

/// A step that has a moment, with its request.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduled {
    /// The step.
    pub step: StepHead,
    /// How many steps the request has.
    pub of: i64,
    /// What the step does, as it was when it was asked for.
    pub diff: Vec<DiffLine>,
    /// The request.
    pub listed: Listed,
}

/// A step, and whose it is.
struct Found {
    request: String,
    step: StepHead,
    of: i64,
    diff: Vec<DiffLine>,
}

impl Store {
    /// Steps that have a moment, in the order of their moments: those that wait, those that were
    /// applied, and those that a request stopped or was withdrawn before.
    pub async fn schedule(
        &self,
        organization: &Id<Organization>,
        viewer: &Party,
        filter: &ScheduleFilter,
        page: &PageRequest,
        now: Millis,
    ) -> Result<Page<Scheduled>, StoreError> {
        let mut tx = self.begin_read().await?;
        let found = select(&mut tx, organization, filter, page).await?;
        let found = Page::cut(found, page.size(), cursor_of);
        let mut requests = BTreeMap::new();
        for it in &found.items {
            if !requests.contains_key(&it.request) {
                let request = rows::find(&mut tx, organization, &it.request).await?;
                requests.insert(it.request.clone(), request);
            }
        }
        let requests = requests.into_values().collect();
        let listed = listed(&mut tx, organization, viewer, requests, now).await?;
        tx.rollback().await?;
        let by_id: BTreeMap<&str, &Listed> = listed
            .iter()
            .map(|it| (it.request.id.as_str(), it))
            .collect();
        let items = found.items.into_iter().filter_map(|it| {
            Some(Scheduled {
                listed: (*by_id.get(it.request.as_str())?).clone(),
                step: it.step,
                of: it.of,
                diff: it.diff,
            })
        });
        Ok(Page {
            items: items.collect(),
            next: found.next,
        })
    }
}

async fn select(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    filter: &ScheduleFilter,
    page: &PageRequest,
) -> Result<Vec<Found>, StoreError> {
    let mut sql = Sql::new("SELECT ");
    sql.push(steps::HEAD);
    sql.push(
        ", s.request_id, (SELECT MAX(n.step) FROM request_steps n \
         WHERE n.organization_id = r.organization_id AND n.request_id = r.id \
         AND n.revision = r.revision), s.diff FROM request_steps s JOIN requests r \
         ON r.organization_id = s.organization_id AND r.id = s.request_id \
         WHERE s.due_at IS NOT NULL \
         AND (s.revision = r.revision OR s.change_set_id IS NOT NULL) \
         AND s.organization_id = ",
    );
    sql.bind(organization.as_str());
    if let Some(from) = filter.from {
        sql.push(" AND s.due_at >= ").bind(from.0);
    }
    if let Some(to) = filter.to {
        sql.push(" AND s.due_at < ").bind(to.0);
    }
    if let Some(scope) = &filter.scope {
        rows::of_scope(&mut sql, organization, scope);
    }
    if let Some(cursor) = &page.cursor {
        let mut parts = cursor.splitn(3, '.');
        let mut number = || parts.next().and_then(|it| it.parse::<i64>().ok());
        let (at, step) = (number(), number());
        let (at, step) = at.zip(step).ok_or_else(page::bad_cursor)?;
        let id = parts.next().ok_or_else(page::bad_cursor)?;
        sql.push(" AND (s.due_at > ").bind(at);
        sql.push(" OR s.due_at = ").bind(at);
        sql.push(" AND (s.request_id > ").bind(id);
        sql.push(" OR s.request_id = ").bind(id);
        sql.push(" AND s.step > ").bind(step).push("))");
    }
    sql.push(" ORDER BY s.due_at, s.request_id, s.step LIMIT ");
    sql.bind(page.size() + 1);
    let rows = sql.query()?.fetch_all(connection).await?;
    let read = |found: &AnyRow| {
        Ok(Found {
            step: steps::read_head(found, 0)?,
            request: row::text(found, 4)?,
            of: row::number(found, 5)?,
            diff: row::json(found, 6)?,
        })
    };
    rows.iter().map(read).collect()
}

fn cursor_of(found: &Found) -> String {
    let at = found.step.due_at.unwrap_or_default();
    format!("{}.{}.{}", at.0, found.step.step, found.request)
}
