//! Writing a request down: its first revision, further ones, the same once more.

use std::collections::BTreeMap;

use burgee_domain::access::Rights;
use burgee_domain::change;
use burgee_domain::command::{self, Command};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::request::{Act, MAX_OPEN, MAX_REVISIONS, Stage, held};
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;
use serde_json::json;

use super::{Party, Request, RequestError, Revision, RevisionHead, rows, scopes};
use crate::apply::ConflictFound;
use crate::apply::waiting::{Against, Draft, Tried};
use crate::error::StoreError;
use crate::{Store, Tx, digest, workspace};

/// A request to be made.
#[derive(Clone, Debug)]
pub struct NewRequest {
    /// The client's id for it (a UUID), so that one that is sent again is made once.
    pub id: Option<String>,
    /// What it is for, in a line.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// What it would do.
    pub content: NewRevision,
}

/// What a request would do, to be written down.
#[derive(Clone, Debug)]
pub struct NewRevision {
    /// In which organization.
    pub organization: Id<Organization>,
    /// By whom.
    pub author: Party,
    /// What they may do.
    pub rights: Rights,
    /// The comment on the change set.
    pub comment: String,
    /// The versions that the author saw, as of a change set.
    pub base: BTreeMap<String, i64>,
    /// What to do, in order.
    pub commands: Vec<Command>,
    /// When.
    pub now: Millis,
}

/// What a rebase found.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebased {
    /// The newest revision.
    pub revision: i64,
    /// What others had changed since the revision before.
    pub differences: Vec<ConflictFound>,
}

impl NewRevision {
    fn draft<'a>(&'a self, seed: &'a str) -> Draft<'a> {
        Draft {
            organization: &self.organization,
            actor: &self.author.actor,
            rights: &self.rights,
            comment: &self.comment,
            commands: &self.commands,
            seed,
            now: self.now,
        }
    }

    fn head(&self, revision: i64, rebased: bool) -> RevisionHead {
        RevisionHead {
            revision,
            author: self.author.clone(),
            rebased,
            comment: self.comment.clone(),
            at: self.now,
        }
    }
}

impl Store {
    /// Makes a request, and gives its id. Its author must be allowed all that it does.
    ///
    /// # Errors
    /// Those of a change set but for approvals, [`RequestError::NoEffect`] and
    /// [`RequestError::Full`].
    pub async fn create_request(&self, new: &NewRequest) -> Result<String, RequestError> {
        let content = &new.content;
        change::well_formed(&content.commands)?;
        let id = new.id.clone().unwrap_or_else(new_id);
        let digest = digest_of(new)?;
        let organization = &content.organization;
        let mut tx = self.begin_write().await?;
        if is_repeated(&mut tx, organization, &id, digest).await? {
            return Ok(id);
        }
        let workspace = self.workspace_of(&mut tx, content).await?;
        if is_repeated(&mut tx, organization, &id, digest).await? {
            return Ok(id);
        }
        if rows::count_open(&mut tx, organization).await? >= MAX_OPEN {
            return Err(RequestError::Full(MAX_OPEN, "open requests"));
        }
        let seed = new_id();
        let draft = content.draft(&seed);
        let tried = self
            .try_out(&mut tx, &workspace, &draft, Against::Named(&content.base))
            .await?;
        let mut request = Request {
            id: id.clone(),
            title: new.title.clone(),
            description: new.description.clone(),
            stage: Stage::Open,
            author: content.author.clone(),
            revision: 1,
            scopes: Vec::new(),
            places: Vec::new(),
            about: Vec::new(),
            change_set: None,
            created_at: content.now,
            changed_at: content.now,
        };
        let revision = revise(&mut request, &draft, &tried, content.head(1, false))?;
        if !rows::insert(&mut tx, organization, &request, digest).await? {
            // Two of one id at once, which lock nothing in common: the other was faster.
            return match is_repeated(&mut tx, organization, &id, digest).await? {
                true => Ok(id),
                false => Err(StoreError::Reused.into()),
            };
        }
        rows::insert_revision(&mut tx, organization, &id, &revision, &tried.moved()).await?;
        let said = ("createRequest", "made");
        self.record_request(
            &mut tx,
            organization,
            &request,
            &content.author,
            said,
            content.now,
        )
        .await?;
        self.end(tx, false).await?;
        Ok(id)
    }

    /// Writes another revision of a request, which nobody has approved; gives its number.
    ///
    /// # Errors
    /// Those of a change set but for approvals, [`RequestError::NoEffect`],
    /// [`RequestError::Closed`] and [`RequestError::Full`].
    pub async fn revise_request(
        &self,
        id: &str,
        content: &NewRevision,
    ) -> Result<i64, RequestError> {
        change::well_formed(&content.commands)?;
        let mut tx = self.begin_write().await?;
        rows::find(&mut tx, &content.organization, id).await?;
        let workspace = self.workspace_of(&mut tx, content).await?;
        let seed = new_id();
        let draft = content.draft(&seed);
        let tried = self
            .try_out(&mut tx, &workspace, &draft, Against::Named(&content.base))
            .await?;
        let dialect = self.shared.dialect;
        let request = rows::lock(&mut tx, dialect, &content.organization, id).await?;
        let head = content.head(request.revision + 1, false);
        self.next_revision(tx, request, &draft, &tried, head).await
    }

    /// Tries a request's commands out on what is there now, and writes that down as another
    /// revision, which nobody has approved.
    ///
    /// # Errors
    /// As [`Store::revise_request`]; where the commands do not fit any more, the conflicts of that.
    pub async fn rebase_request(
        &self,
        organization: &Id<Organization>,
        id: &str,
        author: &Party,
        rights: &Rights,
        now: Millis,
    ) -> Result<Rebased, RequestError> {
        let mut tx = self.begin_write().await?;
        let newest = rows::find(&mut tx, organization, id).await?.revision;
        let before = rows::revision(&mut tx, organization, id, newest).await?;
        let content = NewRevision {
            organization: organization.clone(),
            author: author.clone(),
            rights: rights.clone(),
            comment: before.head.comment.clone(),
            base: BTreeMap::new(),
            commands: before.commands.clone(),
            now,
        };
        let workspace = self.workspace_of(&mut tx, &content).await?;
        let draft = content.draft(&before.seed);
        let tried = self
            .try_out(&mut tx, &workspace, &draft, Against::Known(&before.base))
            .await?;
        let differences = self
            .differences(&mut tx, &workspace, &before, &tried)
            .await?;
        let request = rows::lock(&mut tx, self.shared.dialect, organization, id).await?;
        if request.revision != newest {
            return Err(RequestError::Revised(request.revision));
        }
        let head = content.head(newest + 1, true);
        let revision = self
            .next_revision(tx, request, &draft, &tried, head)
            .await?;
        Ok(Rebased {
            revision,
            differences,
        })
    }

    /// Writes the next revision of a locked request, and commits.
    async fn next_revision(
        &self,
        mut tx: Tx,
        mut request: Request,
        draft: &Draft<'_>,
        tried: &Tried<'_>,
        head: RevisionHead,
    ) -> Result<i64, RequestError> {
        request.stage = request.stage.after(Act::Revise)?;
        if request.revision >= MAX_REVISIONS {
            return Err(RequestError::Full(MAX_REVISIONS, "revisions"));
        }
        let (organization, author, now) = (draft.organization, head.author.clone(), head.at);
        let said = match head.rebased {
            true => ("rebaseRequest", "rebased"),
            false => ("reviseRequest", "revised"),
        };
        request.changed_at = now;
        let revision = revise(&mut request, draft, tried, head)?;
        let moved = tried.moved();
        rows::insert_revision(&mut tx, organization, &request.id, &revision, &moved).await?;
        rows::update(&mut tx, organization, &request).await?;
        self.record_request(&mut tx, organization, &request, &author, said, now)
            .await?;
        self.end(tx, false).await?;
        Ok(request.revision)
    }

    /// What the commands of a revision refer to, locked.
    async fn workspace_of(
        &self,
        tx: &mut Tx,
        content: &NewRevision,
    ) -> Result<Workspace, StoreError> {
        let references = command::references(&content.commands);
        let dialect = self.shared.dialect;
        workspace::load(tx, dialect, &content.organization, &references).await
    }
}

/// The revision that a draft comes to; the request says what it is about now.
fn revise(
    request: &mut Request,
    draft: &Draft<'_>,
    tried: &Tried<'_>,
    head: RevisionHead,
) -> Result<Revision, RequestError> {
    if tried.outcome().steps.is_empty() {
        return Err(RequestError::NoEffect);
    }
    let diff = tried.diff();
    request.revision = head.revision;
    request.scopes = tried.scopes();
    request.places = tried.places(draft.commands);
    request.about = scopes::about(&diff);
    Ok(Revision {
        head,
        commands: draft.commands.to_vec(),
        seed: draft.seed.to_owned(),
        base: tried.versions(),
        held: held::hold(tried.workspace, tried.outcome()),
        diff,
    })
}

fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// By which a repeated request is told from another one under the same id.
fn digest_of(new: &NewRequest) -> Result<[u8; 32], StoreError> {
    let content = &new.content;
    let commands = serde_json::to_value(&content.commands)?;
    let asked = json!([
        new.title,
        new.description,
        content.comment,
        content.base,
        commands
    ]);
    Ok(digest::bytes(asked.to_string().as_bytes()))
}

async fn is_repeated(
    tx: &mut Tx,
    organization: &Id<Organization>,
    id: &str,
    digest: [u8; 32],
) -> Result<bool, StoreError> {
    match rows::digest_of(tx, organization, id).await? {
        None => Ok(false),
        Some(first) if first == digest => Ok(true),
        Some(_) => Err(StoreError::Reused),
    }
}
