//! Who speaks in a request, and what they may do at the time of counting.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::access::Rights;
use burgee_domain::admission::{Verdict, Voice};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use super::rows;
use super::{Party, Request, Said};
use crate::change_sets::{Actor, ActorKind};
use crate::error::StoreError;
use crate::people::{members, membership};
use crate::tokens;

/// What somebody is now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    /// None: they are gone.
    pub(crate) rights: Option<Rights>,
    account: Option<String>,
    groups: Vec<String>,
}

/// What an actor is now: members and tokens may have lost what they had, or be gone.
pub(crate) async fn standing(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    actor: &Actor,
    now: Millis,
) -> Result<Standing, StoreError> {
    let (rights, account) = match actor.kind {
        ActorKind::Member => {
            let account = Id::new(actor.id.as_str());
            let rights = membership::rights(connection, organization, &account).await?;
            (rights, Some(account))
        }
        ActorKind::Token => {
            let id = Id::new(actor.id.as_str());
            let found = tokens::find(connection, organization, &id).await?;
            let Some(token) = found.filter(|it| it.works_at(now)) else {
                return Ok(Standing::default());
            };
            (tokens::rights(connection, &token).await?, token.account)
        }
        ActorKind::Operator | ActorKind::System => (Some(Rights::everything()), None),
    };
    let groups = match &account {
        Some(account) => members::find(connection, organization, account).await?,
        None => None,
    };
    Ok(Standing {
        rights,
        account: account.map(|it| it.to_string()),
        groups: groups.map(|it| it.groups).unwrap_or_default(),
    })
}

/// Standings that were looked up once.
pub(super) struct Standings<'a> {
    organization: &'a Id<Organization>,
    now: Millis,
    known: BTreeMap<(&'static str, String), Standing>,
}

impl<'a> Standings<'a> {
    pub(super) fn new(organization: &'a Id<Organization>, now: Millis) -> Self {
        Self {
            organization,
            now,
            known: BTreeMap::new(),
        }
    }

    /// The voice of somebody who thinks so.
    pub(super) async fn voice(
        &mut self,
        connection: &mut AnyConnection,
        by: &Party,
        verdict: Verdict,
        is_author: bool,
    ) -> Result<Voice, StoreError> {
        let key = (by.actor.kind.as_str(), by.actor.id.clone());
        if !self.known.contains_key(&key) {
            let found = standing(connection, self.organization, &by.actor, self.now).await?;
            self.known.insert(key.clone(), found);
        }
        let standing = self.known.get(&key).cloned().unwrap_or_default();
        Ok(Voice {
            name: by.actor.name.clone(),
            account: standing.account,
            groups: standing.groups,
            rights: standing.rights,
            verdict,
            is_author,
        })
    }

    /// The reviewers of requests, each by their last word on the newest revision, by request.
    pub(super) async fn reviewers(
        &mut self,
        connection: &mut AnyConnection,
        requests: &[&Request],
    ) -> Result<BTreeMap<String, Reviewers>, StoreError> {
        let ids: Vec<&str> = requests.iter().map(|it| it.id.as_str()).collect();
        let newest: BTreeMap<&str, i64> = requests
            .iter()
            .map(|it| (it.id.as_str(), it.revision))
            .collect();
        let mut found: BTreeMap<String, Reviewers> = BTreeMap::new();
        for request in requests {
            let reviewers = found.entry(request.id.clone()).or_default();
            reviewers.authors.insert(request.author.voice.clone());
        }
        for (id, head) in rows::heads(connection, self.organization, &ids).await? {
            let reviewers = found.entry(id).or_default();
            reviewers.authors.insert(head.author.voice);
        }
        let verdicts = [Said::Approve.as_str(), Said::Decline.as_str()];
        let events = rows::events(connection, self.organization, &ids, &verdicts).await?;
        let mut last = BTreeMap::new();
        for (id, event) in events {
            let of_newest = newest.get(id.as_str()) == Some(&event.revision);
            if let (true, Some(verdict)) = (of_newest, event.said.verdict()) {
                last.insert((id, event.by.voice.clone()), (event.by, verdict));
            }
        }
        for ((id, voice), (by, verdict)) in last {
            let reviewers = found.entry(id).or_default();
            let is_author = reviewers.authors.contains(&voice);
            let heard = self.voice(connection, &by, verdict, is_author).await?;
            reviewers.voices.push(heard);
            reviewers.spoke.insert(voice);
        }
        Ok(found)
    }
}

/// Who wrote a request, and who reviewed its newest revision.
#[derive(Debug, Default)]
pub(super) struct Reviewers {
    /// The voices of all who wrote a revision.
    pub(super) authors: BTreeSet<String>,
    /// The voices of all who reviewed the newest.
    pub(super) spoke: BTreeSet<String>,
    pub(super) voices: Vec<Voice>,
}

/// The voices of one request.
pub(crate) async fn of(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    request: &Request,
    now: Millis,
) -> Result<Vec<Voice>, StoreError> {
    let mut standings = Standings::new(organization, now);
    let mut found = standings.reviewers(connection, &[request]).await?;
    let reviewers = found.remove(&request.id).unwrap_or_default();
    Ok(reviewers.voices)
}
