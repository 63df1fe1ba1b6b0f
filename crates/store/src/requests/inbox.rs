//! What waits for somebody: the reviews of theirs that are missing, and their own requests that
//! they can go on with.
//!
//! All who listen are told how many that are, whenever something was done about requests. So what
//! is the same for everybody is read once ([`Store::waiting`]); for each is asked only who they are
//! by now ([`Store::viewer`]).

use burgee_domain::access::Marks;
use burgee_domain::admission::{Verdict, Voice};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::request::{Stage, State};
use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use super::voices::Standings;
use super::weighed::{Weighed, weigh};
use super::{Party, Request, rows};
use crate::error::StoreError;
use crate::sql::{LIST, Sql};
use crate::{Store, environments, news, row};

/// The open requests of an organization, with what they wait for at one moment.
#[derive(Debug)]
pub struct Waiting {
    /// The number of the organization's last change set by then.
    pub number: i64,
    /// Which environments are protected.
    pub marks: Marks,
    requests: Vec<Weighed>,
}

/// Somebody for whom requests may wait.
#[derive(Clone, Debug)]
pub struct Viewer {
    /// Who.
    pub party: Party,
    voice: Voice,
    /// How many of their own requests have stopped.
    stopped: i64,
}

impl Waiting {
    /// How many requests are open.
    pub fn open(&self) -> i64 {
        self.requests.len() as i64
    }

    /// Of how many requests, among those that the viewer `sees`, their review is one that is
    /// missing: those that a list of requests [for them](super::RequestFilter::for_me) has.
    pub fn reviews(&self, viewer: &Viewer, sees: impl Fn(&Request) -> bool) -> i64 {
        let missing = self
            .requests
            .iter()
            .filter(|it| it.awaits(&viewer.party, &viewer.voice));
        missing.filter(|it| sees(&it.request)).count() as i64
    }

    /// How many of the viewer's own requests they can go on with: those that were declined, that
    /// stopped, or that are approved and wait for no moment, where they `may_apply` them.
    pub fn own(&self, viewer: &Viewer, may_apply: impl Fn(&Request) -> bool) -> i64 {
        let goes_on = |it: &&Weighed| match it.state() {
            State::Declined => true,
            State::Approved => it.request.due_at.is_none() && may_apply(&it.request),
            State::Waiting | State::Applied | State::Withdrawn | State::Stopped => false,
        };
        let own = self.requests.iter();
        let own = own.filter(|it| it.request.author.is(&viewer.party));
        own.filter(goes_on).count() as i64 + viewer.stopped
    }
}

impl Store {
    /// The open requests of an organization, with what they wait for now.
    pub async fn waiting(
        &self,
        organization: &Id<Organization>,
        now: Millis,
    ) -> Result<Waiting, StoreError> {
        let mut tx = self.begin_read().await?;
        let waiting = waiting(&mut tx, organization, now).await;
        tx.rollback().await?;
        waiting
    }

    /// What somebody is now, for whom requests may wait.
    pub async fn viewer(
        &self,
        organization: &Id<Organization>,
        party: &Party,
        now: Millis,
    ) -> Result<Viewer, StoreError> {
        let mut tx = self.begin_read().await?;
        let viewer = viewer(&mut tx, organization, party, now).await;
        tx.rollback().await?;
        viewer
    }

    /// How many requests of an organization are open: counted in an index.
    pub async fn open_requests(&self, organization: &Id<Organization>) -> Result<i64, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        rows::count_open(&mut connection, organization).await
    }
}

async fn waiting(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    now: Millis,
) -> Result<Waiting, StoreError> {
    let number = news::length(connection, organization).await?;
    let marks = environments::marks(connection, organization).await?;
    let mut sql = Sql::new(rows::SELECT);
    sql.bind(organization.as_str());
    sql.push(" AND r.stage = ").bind(Stage::Open.as_str());
    let found = sql.query()?.fetch_all(&mut *connection).await?;
    let open: Result<Vec<Request>, StoreError> = found.iter().map(rows::read).collect();
    let mut open = open?.into_iter();
    let mut standings = Standings::new(organization, now);
    let mut requests = Vec::with_capacity(open.as_slice().len());
    while !open.as_slice().is_empty() {
        let some = open.by_ref().take(LIST).collect();
        requests.extend(weigh(connection, &mut standings, &marks, some).await?);
    }
    Ok(Waiting {
        number,
        marks,
        requests,
    })
}

async fn viewer(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    party: &Party,
    now: Millis,
) -> Result<Viewer, StoreError> {
    let mut sql = Sql::new("SELECT COUNT(*) FROM requests r WHERE r.organization_id = ");
    sql.bind(organization.as_str());
    sql.push(" AND r.stage = ").bind(Stage::Stopped.as_str());
    rows::of_author(&mut sql, party);
    let found = sql.query()?.fetch_one(&mut *connection).await?;
    let stopped = row::number(&found, 0)?;
    let mut standings = Standings::new(organization, now);
    let voice = standings
        .voice(connection, party, Verdict::Approve, false)
        .await?;
    Ok(Viewer {
        party: party.clone(),
        voice,
        stopped,
    })
}
