//! Looking at requests: lists, and one with all that was said.

use std::collections::BTreeMap;

use burgee_domain::admission::{EnvironmentNeeds, Verdict};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::request::{Stage, State};
use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use super::voices::Standings;
use super::weighed::weigh;
use super::{
    Event, Party, Request, Revision, RevisionHead, Said, Step, StepHead, StepWords, rows, steps,
};
use crate::error::StoreError;
use crate::page::{self, Page, PageRequest};
use crate::{Store, environments};

/// Which requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFilter {
    /// Those that are shown so.
    pub state: Option<State>,
    /// Those that move this project or environment, by id.
    pub scope: Option<String>,
    /// Whether those alone that the viewer made.
    pub mine: bool,
    /// Whether those alone that wait for the viewer's review.
    pub for_me: bool,
}

/// A request with what it waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The request.
    pub request: Request,
    /// What people are shown.
    pub state: State,
    /// What the environments ask, and have got; of an open request.
    pub needs: Vec<EnvironmentNeeds>,
    /// Whether the viewer's review is one that is missing.
    pub awaits_viewer: bool,
    /// Those that were applied, and those of the newest revision, in order.
    pub steps: Vec<StepHead>,
}

/// A request with its revisions and what was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// As in a list.
    pub listed: Listed,
    /// The newest revision.
    pub newest: Revision,
    /// The steps that were applied of earlier ones.
    pub before: Vec<Step>,
    /// All revisions, from the first.
    pub revisions: Vec<RevisionHead>,
    /// What the steps of all revisions were to do, in their order.
    pub words: Vec<StepWords>,
    /// Reviews and comments, from the first.
    pub events: Vec<Event>,
}

impl Store {
    /// Requests, newest first. What is missing is counted now; where a filter is about that, a page
    /// can hold fewer than asked for.
    pub async fn requests(
        &self,
        organization: &Id<Organization>,
        viewer: &Party,
        filter: &RequestFilter,
        page: &PageRequest,
        now: Millis,
    ) -> Result<Page<Listed>, StoreError> {
        let mut tx = self.begin_read().await?;
        let found = select(&mut tx, organization, viewer, filter, page).await?;
        let found = Page::cut(found, page.size(), cursor_of);
        let mut items = listed(&mut tx, organization, viewer, found.items, now).await?;
        tx.rollback().await?;
        items.retain(|it| {
            filter.state.is_none_or(|state| state == it.state)
                && (it.awaits_viewer || !filter.for_me)
        });
        Ok(Page {
            items,
            next: found.next,
        })
    }

    /// One request of an organization.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn request(
        &self,
        organization: &Id<Organization>,
        id: &str,
        viewer: &Party,
        now: Millis,
    ) -> Result<Seen, StoreError> {
        let mut tx = self.begin_read().await?;
        let seen = seen(&mut tx, organization, id, viewer, now).await;
        tx.rollback().await?;
        seen
    }
}

/// One request, with all that was said.
pub(super) async fn seen(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    id: &str,
    viewer: &Party,
    now: Millis,
) -> Result<Seen, StoreError> {
    let request = rows::find(connection, organization, id).await?;
    let newest = rows::revision(connection, organization, id, request.revision).await?;
    let mut before = Vec::new();
    for number in steps::applied_revisions(connection, organization, id, request.revision).await? {
        let steps = steps::of_revision(connection, organization, id, number).await?;
        before.extend(steps.into_iter().filter(|it| it.head.done.is_some()));
    }
    let revisions = rows::heads(connection, organization, &[id]).await?;
    let words = steps::words(connection, organization, id).await?;
    let kinds = [Said::Approve, Said::Decline, Said::Comment].map(Said::as_str);
    let events = rows::events(connection, organization, &[id], &kinds).await?;
    let listed = listed(connection, organization, viewer, vec![request], now).await?;
    let listed = listed.into_iter().next();
    Ok(Seen {
        listed: listed.ok_or(StoreError::NotFound("request"))?,
        newest,
        before,
        words,
        revisions: revisions.into_iter().map(|(_, head)| head).collect(),
        events: events.into_iter().map(|(_, event)| event).collect(),
    })
}

async fn select(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    viewer: &Party,
    filter: &RequestFilter,
    page: &PageRequest,
) -> Result<Vec<Request>, StoreError> {
    let mut sql = crate::sql::Sql::new(rows::SELECT);
    sql.bind(organization.as_str());
    let stage = match filter.state {
        Some(State::Waiting | State::Approved | State::Declined) => Some(Stage::Open),
        Some(State::Applied) => Some(Stage::Applied),
        Some(State::Withdrawn) => Some(Stage::Withdrawn),
        Some(State::Stopped) => Some(Stage::Stopped),
        None => filter.for_me.then_some(Stage::Open),
    };
    if let Some(stage) = stage {
        sql.push(" AND r.stage = ").bind(stage.as_str());
    }
    if filter.mine {
        rows::of_author(&mut sql, viewer);
    }
    if let Some(scope) = &filter.scope {
        rows::of_scope(&mut sql, organization, scope);
    }
    if let Some(cursor) = &page.cursor {
        let (at, id) = cursor.split_once('.').ok_or_else(page::bad_cursor)?;
        let at: i64 = at.parse().map_err(|_| page::bad_cursor())?;
        sql.push(" AND (r.created_at < ").bind(at);
        sql.push(" OR r.created_at = ").bind(at);
        sql.push(" AND r.id < ").bind(id).push(")");
    }
    sql.push(" ORDER BY r.created_at DESC, r.id DESC LIMIT ");
    sql.bind(page.size() + 1);
    let found = sql.query()?.fetch_all(connection).await?;
    found.iter().map(rows::read).collect()
}

fn cursor_of(request: &Request) -> String {
    format!("{}.{}", request.created_at.0, request.id)
}

/// Requests with what they wait for now.
pub(super) async fn listed(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    viewer: &Party,
    requests: Vec<Request>,
    now: Millis,
) -> Result<Vec<Listed>, StoreError> {
    let marks = environments::marks(connection, organization).await?;
    let ids: Vec<&str> = requests.iter().map(|it| it.id.as_str()).collect();
    let mut steps: BTreeMap<String, Vec<StepHead>> = BTreeMap::new();
    for (id, head) in steps::heads(connection, organization, &ids).await? {
        steps.entry(id).or_default().push(head);
    }
    let mut standings = Standings::new(organization, now);
    let weighed = weigh(connection, &mut standings, &marks, requests).await?;
    let approving = Verdict::Approve;
    let me = standings
        .voice(connection, viewer, approving, false)
        .await?;
    let listed = weighed.into_iter().map(|it| Listed {
        state: it.state(),
        awaits_viewer: it.awaits(viewer, &me),
        steps: steps.remove(&it.request.id).unwrap_or_default(),
        needs: it.needs,
        request: it.request,
    });
    Ok(listed.collect())
}
