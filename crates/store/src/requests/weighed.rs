//! Requests with what they ask, and what they have got: the part of looking at them that is the
//! same for whoever looks.

use std::collections::BTreeSet;

use burgee_domain::access::Marks;
use burgee_domain::admission::{self, Ask, EnvironmentNeeds, Voice, standing};
use burgee_domain::request::{Stage, State};
use sqlx::AnyConnection;

use super::voices::{Reviewers, Standings};
use super::{Party, Request};
use crate::environments::rules;
use crate::error::StoreError;

/// A request with what it waits for. One that is not open waits for nothing.
#[derive(Debug)]
pub(super) struct Weighed {
    pub(super) request: Request,
    /// What the environments ask, and have got.
    pub(super) needs: Vec<EnvironmentNeeds>,
    /// What `needs` were counted of.
    asks: Vec<Ask>,
    /// The voices of all who wrote a revision.
    authors: BTreeSet<String>,
    /// The voices of all who reviewed the newest.
    spoke: BTreeSet<String>,
}

impl Weighed {
    /// What people are shown.
    pub(super) fn state(&self) -> State {
        self.request.stage.shown(standing(&self.needs))
    }

    /// Whether the review of `viewer`, who has this voice, is one that is missing.
    pub(super) fn awaits(&self, viewer: &Party, voice: &Voice) -> bool {
        let is_free = !self.authors.contains(&viewer.voice) && !self.spoke.contains(&viewer.voice);
        let mut pairs = self.asks.iter().zip(&self.needs);
        is_free && pairs.any(|(ask, needs)| needs.missing > 0 && ask.hears(voice))
    }
}

/// Requests with what they wait for now, in their order.
pub(super) async fn weigh(
    connection: &mut AnyConnection,
    standings: &mut Standings<'_>,
    marks: &Marks,
    requests: Vec<Request>,
) -> Result<Vec<Weighed>, StoreError> {
    let open: Vec<&Request> = requests
        .iter()
        .filter(|it| it.stage == Stage::Open)
        .collect();
    let environments = open.iter().flat_map(|it| &it.places);
    let rules = rules::load(connection, environments.map(|it| &it.environment)).await?;
    let mut reviewers = standings.reviewers(connection, &open).await?;
    let weighed = requests.into_iter().map(|request| {
        let asks = match request.stage {
            Stage::Open => admission::asks(&request.places, &rules, marks),
            _ => Vec::new(),
        };
        let Reviewers {
            authors,
            spoke,
            voices,
        } = reviewers.remove(&request.id).unwrap_or_default();
        Weighed {
            needs: asks.iter().map(|ask| ask.count(&voices)).collect(),
            request,
            asks,
            authors,
            spoke,
        }
    });
    Ok(weighed.collect())
}
