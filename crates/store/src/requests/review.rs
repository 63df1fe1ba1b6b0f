//! Reviewing, discussing and withdrawing a request.

use burgee_domain::admission::Verdict;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::request::{Act as RequestAct, MAX_EVENTS, Stage};
use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};

use super::voices::Standings;
use super::{Event, Party, Request, RequestError, rows};
use crate::environments::Act;
use crate::error::StoreError;
use crate::{Store, Tx};

/// What a review or a comment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Said {
    /// It shall be applied.
    Approve,
    /// It shall not.
    Decline,
    /// Neither.
    Comment,
}

impl Said {
    /// The name that it is stored by, as serde writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Decline => "decline",
            Self::Comment => "comment",
        }
    }

    /// What a reviewer thinks; none for a comment.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Approve => Some(Verdict::Approve),
            Self::Decline => Some(Verdict::Decline),
            Self::Comment => None,
        }
    }

    /// Its act and kind in the history, and its word.
    fn act(self) -> (RequestAct, &'static str, &'static str) {
        match self {
            Self::Approve => (RequestAct::Review, "approveRequest", "approved"),
            Self::Decline => (RequestAct::Review, "declineRequest", "declined"),
            Self::Comment => (RequestAct::Discuss, "commentRequest", "commented on"),
        }
    }
}

/// A review or a comment to be added.
#[derive(Clone, Debug)]
pub struct NewReview {
    /// In which organization.
    pub organization: Id<Organization>,
    /// Of which request.
    pub request: String,
    /// The revision that was looked at; whichever is newest where none is given.
    pub revision: Option<i64>,
    /// What it says.
    pub said: Said,
    /// Who says it.
    pub by: Party,
    /// In their words.
    pub text: String,
    /// When.
    pub now: Millis,
}

impl Store {
    /// Adds a review or a comment. The last review of the newest revision is what somebody thinks.
    ///
    /// # Errors
    /// [`RequestError::Own`] for reviews by who wrote a revision, [`RequestError::Revised`] where
    /// the revision is not the newest, [`RequestError::Closed`] and [`RequestError::Full`].
    pub async fn review_request(&self, new: &NewReview) -> Result<(), RequestError> {
        let (act, kind, done) = new.said.act();
        let mut tx = self.begin_write().await?;
        let dialect = self.shared.dialect;
        let mut request = rows::lock(&mut tx, dialect, &new.organization, &new.request).await?;
        request.stage = request.stage.after(act)?;
        if new.revision.is_some_and(|it| it != request.revision) {
            return Err(RequestError::Revised(request.revision));
        }
        if new.said != Said::Comment {
            let mut standings = Standings::new(&new.organization, new.now);
            let reviewers = standings.reviewers(&mut tx, &[&request]).await?;
            let is_author = |it: &super::voices::Reviewers| it.authors.contains(&new.by.voice);
            if reviewers.get(&request.id).is_some_and(is_author) {
                return Err(RequestError::Own);
            }
            request.changed_at = new.now;
        }
        let event = Event {
            revision: request.revision,
            said: new.said,
            by: new.by.clone(),
            text: new.text.clone(),
            at: new.now,
        };
        let before = rows::insert_event(&mut tx, &new.organization, &request.id, &event).await?;
        if before >= MAX_EVENTS {
            return Err(RequestError::Full(MAX_EVENTS, "reviews and comments"));
        }
        rows::update(&mut tx, &new.organization, &request).await?;
        self.record_request(
            &mut tx,
            &new.organization,
            &request,
            &new.by,
            (kind, done),
            new.now,
        )
        .await?;
        Ok(self.end(tx, false).await?)
    }

    /// Takes a request back; one that was taken back stays so.
    ///
    /// # Errors
    /// [`RequestError::Closed`] where it was applied.
    pub async fn withdraw_request(
        &self,
        organization: &Id<Organization>,
        id: &str,
        by: &Party,
        now: Millis,
    ) -> Result<(), RequestError> {
        let mut tx = self.begin_write().await?;
        let mut request = rows::lock(&mut tx, self.shared.dialect, organization, id).await?;
        if request.stage == Stage::Withdrawn {
            return Ok(());
        }
        request.stage = request.stage.after(RequestAct::Withdraw)?;
        request.changed_at = now;
        request.due_at = None;
        rows::update(&mut tx, organization, &request).await?;
        let said = ("withdrawRequest", "withdrawn");
        self.record_request(&mut tx, organization, &request, by, said, now)
            .await?;
        Ok(self.end(tx, false).await?)
    }

    /// Writes what was done with a request into the history; `said` is the kind and the word.
    pub(super) async fn record_request(
        &self,
        tx: &mut Tx,
        organization: &Id<Organization>,
        request: &Request,
        by: &Party,
        (kind, done): (&'static str, &str),
        now: Millis,
    ) -> Result<(), StoreError> {
        let act = Act {
            organization,
            actor: &by.actor,
            project: None,
            kind,
            params: vec![
                ("request", request.id.clone()),
                ("title", request.title.clone()),
                ("revision", request.revision.to_string()),
            ],
            text: format!(
                "request \"{}\" {done}, revision {}",
                request.title, request.revision
            ),
        };
        self.administer(tx, &act, &mut [], now).await?;
        Ok(())
    }
}
